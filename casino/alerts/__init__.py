"""Heartbeats of all processes, and alerts: what is wrong, told to the people on call."""
