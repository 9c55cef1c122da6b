# ruff: noqa: RUF001 - these are other scripts than the Latin one
"""Names and sentences in the scripts that people write."""

from typing import Final

NAMES: Final = (
    "陳偉", "山田 太郎", "田中 さくら", "김민준", "สมชาย ใจดี", "अनुष्का शर्मा",
    "علی\u200cرضا", "محمد عبد الله", "יעל כהן", "Nguyễn Thị Hồng", "Zoë O'Brien-Łukasz", "Ольга", "Ἑλένη", "ක්\u200dරිෂ්",
    "葛\U000e0100城", "\U00020bb7野家", "\U000323af", "👨\u200d👩\u200d👧", "🏳️\u200d🌈",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\U0001fae8", "\U0001fadf", "❤️ Lucky 7", "നമ്\u200d", "Ace", "4711",
)  # fmt: skip
"""As they are stored."""
SENTENCES: Final = (
    "你好 大家,祝好運!", "次の手はバンカーですか?", "한 판 더 해요, 행운을 빌어요!", "ขอให้โชคดีทุกคนนะครับ",
    "सबको शुभकामनाएँ, अगला दौर कब है?", "می\u200cخواهم یک دست دیگر بازی کنم", "حظا سعيدا للجميع!",
    "בהצלחה לכולם, עוד סיבוב?",
    "Chúc mọi người may mắn, ván sau đặt con nào?", "Bravo ! Qui mise sur « banco » ?", "Grüße an alle – weiter geht’s",
)  # fmt: skip
