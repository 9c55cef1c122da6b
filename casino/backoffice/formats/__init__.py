"""Date and time formats for Django: like those of the other pages, with the time zone."""
