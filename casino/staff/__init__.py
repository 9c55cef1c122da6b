"""Staff: roles, second factors, lockouts, the access log, and the access review."""
