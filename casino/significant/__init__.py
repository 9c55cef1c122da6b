"""Significant events (GLI-19 2.8.8): recorded for regulators, kept permanently, acknowledged by a person."""
