"""What may be done to tables, rounds, rules and play, to chats, and about players."""

from typing import Final

from casino.staff.duties import TO_LOOSEN, Act, DutySide, Role, Signed

_CONFIG: Final = "config_changed"
_ADMINISTRATOR: Final = (Role.ADMINISTRATOR,)
_FLOOR: Final = (Role.FLOOR_MANAGER,)
_SUPPORT: Final = (Role.SUPPORT,)

APPROVE_VOID: Final = Act(
    "baccarat.approve_void",
    "approve or decline voids, confirm who pays for winnings spent before one",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="money",
    assertion=Signed.ALWAYS,
    persons=2,
    event="round_voided",
    tells="the players",
)
SET_RISK_RULES: Final = Act(
    "risk.add_riskrule",
    "set risk rules and the jurisdiction",
    DutySide.OVERSEE,
    (Role.COMPLIANCE,),
    one_more=TO_LOOSEN,
    event=_CONFIG,
)
OPEN_TABLE: Final = Act(
    "baccarat.add_table",
    "open tables",
    DutySide.DO,
    _FLOOR,
    scope="configure",
    one_more="for real money, with other rules than a preset's, or if players have the edge",
    event="table_opened",
)
APPROVE_TABLE: Final = Act(
    "baccarat.approve_table",
    "confirm tables for real money with other rules than a preset's, or on which players have the edge",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="configure",
    assertion=Signed.ALWAYS,
    persons=2,
    event="table_opened",
)
CLOSE_TABLE: Final = Act(
    "baccarat.close_table", "close tables", DutySide.DO, _FLOOR, scope="configure", event="table_stopped"
)
RESUME_ROUND: Final = Act(
    "baccarat.change_round", "resume suspended rounds", DutySide.DO, _FLOOR, scope="stop", assertion=Signed.ALWAYS
)
DRAFT_RULES: Final = Act(
    "baccarat.draft_rules", "draft rules", DutySide.DO, _FLOOR, scope="configure", assertion=Signed.ALWAYS
)
PUBLISH_RULES: Final = Act(
    "baccarat.publish_rules",
    "publish, reject and retire rules",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="configure",
    assertion=Signed.ALWAYS,
    persons=2,
    event="rules_published",
)
REQUEST_VOID: Final = Act(
    "baccarat.request_void",
    "void rounds, and request it once cards may be known",
    DutySide.DO,
    _FLOOR,
    scope="money",
    assertion=Signed.ALWAYS,
)
STOP_PLAY: Final = Act(
    "baccarat.stop_play",
    "stop and resume play",
    DutySide.ANY,
    (Role.FLOOR_MANAGER, Role.DUTY_MANAGER),
    scope="stop",
    one_more="to resume an operator's play, or what a regulator stopped",
    event="table_stopped",
)
STOP_GAMING: Final = Act(
    "baccarat.stop_gaming",
    "stop all gaming, with deposits where it is chosen",
    DutySide.ANY,
    (Role.DUTY_MANAGER,),
    event="gaming_stopped",
)
RESUME_PLAY: Final = Act(
    "baccarat.change_killswitch",
    "confirm that play resumes",
    DutySide.ANY,
    (Role.DUTY_MANAGER,),
    scope="stop",
    assertion=Signed.ALWAYS,
    persons=2,
    event=_CONFIG,
)
REPLACE_WITNESS: Final = Act(
    "baccarat.replace_witness",
    "confirm that tables use another witness",
    DutySide.ANY,
    (Role.DUTY_MANAGER,),
    persons=2,
    event=_CONFIG,
)
SHARE_PACK: Final = Act(
    "baccarat.share_dispute_pack",
    "share dispute packs by link",
    DutySide.ANY,
    (Role.COMPLIANCE,),
    scope="compliance",
    event="dispute_pack_shared",
)
ADD_SKIN: Final = Act(
    "baccarat.add_skin", "create skins", DutySide.ADMINISTER, _ADMINISTRATOR, scope="configure", event=_CONFIG
)
CHANGE_SKIN: Final = Act(
    "baccarat.change_skin", "change skins", DutySide.ADMINISTER, _ADMINISTRATOR, scope="configure", event=_CONFIG
)
DELETE_SKIN: Final = Act(
    "baccarat.delete_skin", "remove skins", DutySide.ADMINISTER, _ADMINISTRATOR, scope="configure", event=_CONFIG
)
ASSESS_PLAYER: Final = Act(
    "risk.assess_player",
    "note, tag and verify players, open complaints",
    DutySide.ANY,
    (Role.COMPLIANCE, Role.SUPPORT),
    scope="compliance",
)
SCREEN_PLAYER: Final = Act(
    "risk.screen_player",
    "record what a screening for sanctions or politically exposed persons found",
    DutySide.ANY,
    (Role.COMPLIANCE,),
    scope="compliance",
)
MODERATE: Final = Act(
    "chat.moderate",
    "mute players, close reports",
    DutySide.DO,
    _SUPPORT,
    scope="compliance",
    event="player_data_changed",
)
BAN_PLAYER: Final = Act(
    "chat.ban_player", "ban players", DutySide.DO, _SUPPORT, scope="compliance", event="player_blocked"
)
EDIT_FILTER_WORDS: Final = Act(
    "chat.edit_filter_words",
    "choose the words that chats hide",
    DutySide.DO,
    _SUPPORT,
    scope="compliance",
    event=_CONFIG,
)
LAUNCH: Final = Act("baccarat.launch_player", "launch players", DutySide.DO, scope="play")
FORCE_CARDS: Final = Act(
    "baccarat.force_cards", "force the cards of a sandbox operator's table", DutySide.DO, scope="configure"
)
SET_VOID_POLICY: Final = Act(
    "baccarat.add_voidpolicy",
    "say who pays for winnings spent before a void",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="configure",
    assertion=Signed.LIVE,
    persons=2,
    delayed=True,
    event=_CONFIG,
)
ACTS: Final = (
    LAUNCH,
    FORCE_CARDS,
    SET_VOID_POLICY,
    APPROVE_VOID,
    SET_RISK_RULES,
    OPEN_TABLE,
    APPROVE_TABLE,
    CLOSE_TABLE,
    RESUME_ROUND,
    DRAFT_RULES,
    PUBLISH_RULES,
    REQUEST_VOID,
    STOP_PLAY,
    STOP_GAMING,
    RESUME_PLAY,
    REPLACE_WITNESS,
    SHARE_PACK,
    ADD_SKIN,
    CHANGE_SKIN,
    DELETE_SKIN,
    ASSESS_PLAYER,
    SCREEN_PLAYER,
    MODERATE,
    BAN_PLAYER,
    EDIT_FILTER_WORDS,
)
