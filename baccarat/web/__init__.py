"""The table page: a template and static modules that use the public API, and the sign-in of demo players."""
