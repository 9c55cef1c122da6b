"""Heartbeats and counts of all processes, and what tells people when something is wrong."""
