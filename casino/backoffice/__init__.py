"""What every page of the admin shares: lists and pages that only show. Users alone can be edited."""
