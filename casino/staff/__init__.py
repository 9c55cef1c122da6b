"""Staff: what each role may do, second factors, locks, who looked at what, and the review of all that."""
