"""Skins of the table page: an operator's colours and logo, validated when they are set.

A launch names a skin. Without a name it has the skin with its brand's slug, else the one named `standard`, if any.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

from django.db import transaction
from msgspec import Meta

from baccarat.acts import ADD_SKIN, CHANGE_SKIN, DELETE_SKIN
from baccarat.services import logos
from baccarat.storage.models import Skin
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.kernel.errors import Invalid, Missing, Refusal
from casino.operators.models import Brand, Operator
from casino.operators.principals import BrandScope
from casino.operators.refusals import InvalidSlug
from casino.operators.services import is_slug
from casino.significant import act_log
from casino.staff.duties import Act

__all__ = [
    "ColourMissing", "ContrastTooLow", "Skin", "TooManySkins", "UnknownSkin", "addresses", "change", "chosen_name",
    "create", "files", "find", "is_colour", "list_skins", "read_file", "remove", "require_contrast",
]  # fmt: skip

STANDARD: Final = "standard"
"""The skin of launches that name none and whose brand has none."""
MAX_SKINS: Final = 50
MAX_RADIUS: Final = 24
RADIUS: Final = "round"
COLOURS: Final = {
    "go": "Buttons that carry on, such as Deal.",
    "go-ink": "Words on `go`.",
    "accent-fill": "What is chosen or focused.",
    "accent-ink": "Words on `accent-fill` and `gold`.",
    "gold": "Lines and chosen filters.",
    "felt-1": "The cloth where light falls on it.",
    "felt-2": "The cloth.",
    "felt-3": "The cloth at its edge.",
    "print": "Words on the cloth.",
    "rail-1": "The rail's upper side.",
    "rail-2": "The rail.",
    "rail-3": "The rail's lower side.",
    "room-1": "The room behind the table.",
    "room-2": "The room at its edge.",
    "back": "Backs of cards.",
}
"""The custom properties of base.css that hold a skin's colours."""

COLOUR_PATTERN: Final = "#[0-9a-f]{6}"
_COLOUR: Final = re.compile(COLOUR_PATTERN, re.ASCII)
_Ratio = Annotated[str, Meta(pattern=r"^[1-9][0-9]?\.[0-9]{1,2}$", examples=["4.5"])]
_TEXT: Final = 4.5  # by WCAG 2.2 AA
_LARGE: Final = 3.0  # large words, and lines
_PAIRS: Final = (
    ("go-ink", "go", _TEXT),
    ("accent-ink", "accent-fill", _TEXT),
    ("accent-ink", "gold", _TEXT),
    ("print", "felt-1", _LARGE),  # only the large words of the print lie where light falls
    ("print", "felt-2", _TEXT),
    ("print", "felt-3", _TEXT),
    ("#6fa5f0", "felt-2", _LARGE),  # lines of the spots: player,
    ("#f0868b", "felt-2", _LARGE),  # banker,
    ("#74d69c", "felt-2", _LARGE),  # and tie
    ("accent-fill", "#000000", _LARGE),  # the ring of the focus lies in a black one
)
"""Foreground, background, and the least contrast between them; what is no property never changes."""


class UnknownSkin(Missing):
    title = "There is no such skin"
    remedy = "List your skins, or set it first."


class TooManySkins(Refusal):
    title = "There are too many skins"
    remedy = "Remove one first."
    fact_types = {"limit": int}


class ColourMissing(Invalid):
    """`colour` is the one without which the contrast is not known."""

    code = "skin_colour_missing"
    title = "A colour needs the one beside it"
    remedy = "Set both, so that the contrast between them can be checked."
    fact_types = {"colour": Annotated[str, Meta(extra_json_schema={"enum": list(COLOURS)})]}


class ContrastTooLow(Invalid):
    """`contrast` and `needed` are ratios by WCAG 2."""

    code = "skin_contrast_too_low"
    title = "Two colours are too much alike"
    remedy = "Choose a lighter or a darker one; words need a contrast of 4.5, large words and lines one of 3."
    fact_types = {"foreground": str, "background": str, "contrast": _Ratio, "needed": _Ratio}


def is_colour(text: str) -> bool:
    """Return whether a text is a colour as skins write them, such as #0b474e."""
    return _COLOUR.fullmatch(text) is not None


def change(*, operator: UUID, name: str, colours: Mapping[str, str], radius: int | None, logo: bytes, by: str) -> Skin:
    """Set a skin, in place of the one with this name; setting the same again changes nothing.

    Raises InvalidSlug, ColourMissing, ContrastTooLow, LogoNotAccepted, TooManySkins.
    """
    if not is_slug(name):
        raise InvalidSlug(f"{name[:60]!r} is not a slug.")
    require_contrast(colours)
    properties: dict[str, Any] = {key: colours[key] for key in COLOURS if key in colours}
    if radius is not None:
        properties[RADIUS] = radius
    picture = logos.redraw(logo) if logo else b""
    with transaction.atomic():
        Operator.objects.select_for_update(no_key=True).get(pk=operator)
        mine = Skin.objects.filter(operator_id=operator)
        skin = mine.filter(name=name).first()
        if skin is None and mine.count() >= MAX_SKINS:
            raise TooManySkins(limit=MAX_SKINS)
        if skin is not None and (skin.properties, bytes(skin.logo)) == (properties, picture):
            return skin
        before, now = None if skin is None else _facts(skin), database_now()
        skin = skin or Skin(id=new_id(now), operator_id=operator, name=name)
        skin.properties, skin.logo, skin.changed_at = properties, picture, now
        skin.save()
        act = ADD_SKIN if before is None else CHANGE_SKIN
        _record(skin, act, by=by, reason="A skin was set", before=before, after=_facts(skin))
    return skin


def create(*, operator: UUID, name: str, by: str) -> Skin:
    """Return the skin with this name, which has the ordinary looks if it is new. Raises InvalidSlug, TooManySkins."""
    with transaction.atomic():
        Operator.objects.select_for_update(no_key=True).get(pk=operator)
        skin = Skin.objects.filter(operator_id=operator, name=name).first()
        return skin or change(operator=operator, name=name, colours={}, radius=None, logo=b"", by=by)


def remove(*, operator: UUID, name: str, by: str) -> None:
    """Remove a skin; pages that were launched with it have the ordinary looks from now on. Raises UnknownSkin."""
    with transaction.atomic():
        skin = find(operator=operator, name=name, lock=True)
        before = _facts(skin)
        skin.delete()
        _record(skin, DELETE_SKIN, by=by, reason="A skin was removed", before=before, after=None)


def list_skins(*, operator: UUID) -> list[Skin]:
    """List an operator's skins by name."""
    return list(Skin.objects.filter(operator_id=operator).order_by("name"))


def find(*, operator: UUID, name: str, lock: bool = False) -> Skin:
    """Return a skin by its name, optionally locked for update. Raises UnknownSkin."""
    rows = Skin.objects.select_for_update() if lock else Skin.objects.all()
    skin = rows.filter(operator_id=operator, name=name).first()
    if skin is None:
        raise UnknownSkin(f"There is no skin {name[:60]!r}.")
    return skin


def chosen_name(*, operator: UUID, name: str | None, brand: BrandScope | None) -> str | None:
    """Name a launch's skin: the given one, else its brand's, else the standard one, if any. Raises UnknownSkin."""
    if name is not None:
        return find(operator=operator, name=name).name
    wanted = [STANDARD]
    if brand is not None:
        wanted.insert(0, Brand.objects.values_list("slug", flat=True).get(pk=brand.id))
    names = Skin.objects.filter(operator_id=operator, name__in=wanted).values_list("name", flat=True)
    return min(names, key=wanted.index, default=None)


def stylesheet(skin: Skin) -> str:
    """Write a skin's style sheet. Each value is one that `change` has checked."""
    values = {**skin.properties}
    if RADIUS in values:
        values[RADIUS] = f"{values[RADIUS]}px"
    lines = "".join(f"  --{name}: {value};\n" for name, value in sorted(values.items()))
    return f":root:root:root {{\n{lines}}}\n"  # more specific than the page's own rules, which know a style and a theme


def files(skin: Skin) -> tuple[str, str | None]:
    """Name a skin's style sheet and logo by the digests of what they contain."""
    logo = bytes(skin.logo)
    return f"{_digest(stylesheet(skin).encode())}.css", f"{_digest(logo)}.png" if logo else None


def addresses(*, operator: UUID, name: str | None) -> tuple[str | None, str | None]:
    """Return the addresses of a skin's style sheet and logo, below that of the page; none for a removed skin."""
    skin = Skin.objects.filter(operator_id=operator, name=name).first()
    if skin is None:
        return None, None
    sheet, logo = files(skin)
    return f"skins/{skin.id}/{sheet}", None if logo is None else f"skins/{skin.id}/{logo}"


def read_file(*, skin: UUID, name: str) -> tuple[bytes, bool] | None:
    """Return a file of a skin, and whether it is the one of this name: a page may ask for the one before a change.

    None for a skin that was removed, or has no such file.
    """
    row = Skin.objects.filter(pk=skin).first()
    if row is None:
        return None
    content = {".css": stylesheet(row).encode(), ".png": bytes(row.logo)}.get(name[-4:])
    return (content, name in files(row)) if content else None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:20]


def require_contrast(colours: Mapping[str, str]) -> None:
    """Check each pair of which a colour is set. Raises ColourMissing, ContrastTooLow."""
    for front, back, least in _PAIRS:
        named = {name for name in (front, back) if name in COLOURS}
        missing = named - colours.keys()
        if missing == named:
            continue
        if missing:
            (given,), (absent,) = named - missing, missing
            raise ColourMissing(f"{given} needs {absent} beside it.", colour=absent)
        ratio = contrast(colours.get(front, front), colours.get(back, back))
        if ratio < least:
            raise ContrastTooLow(
                f"{front} on {back} has a contrast of {ratio:.2f}, and needs {least}.",
                foreground=front, background=back, contrast=f"{ratio:.2f}", needed=f"{least}",
            )  # fmt: skip


def contrast(one: str, other: str) -> float:
    """Return the contrast between two colours by WCAG 2."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _facts(skin: Skin) -> dict[str, Any]:
    return {**skin.properties, "logo": files(skin)[1]}


def _record(skin: Skin, act: Act, *, by: str, reason: str, before: Any, after: Any) -> None:
    act_log.done(
        act.name,
        operator=skin.operator_id,
        subject=f"skin:{skin.name}",
        actor=by,
        reason=reason,
        before=before,
        after=after,
    )
