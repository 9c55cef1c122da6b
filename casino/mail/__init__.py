"""E-mails to people: written in the transaction that they tell of, sent afterwards, and retried until they are."""
