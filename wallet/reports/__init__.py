"""Money reports: liability, accounts and adjustments, each one SQL query over sealed entries."""
