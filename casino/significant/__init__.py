"""Significant events: what a regulator wants told, kept for good, and acknowledged by a person."""
