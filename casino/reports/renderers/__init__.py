"""The forms a report is downloaded in, each loaded when it is asked for: some bring heavy libraries."""
