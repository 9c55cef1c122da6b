"""Year, month, day, and the time of day with its zone."""

DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s e"
DATETIME_FORMAT = "Y-m-d H:i:s e"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
