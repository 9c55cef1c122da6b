"""What every page of the admin shares: lists and pages that only show. Staff and groups alone can be edited."""
