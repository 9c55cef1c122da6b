"""Scoreboards of baccarat tables, computed from one mark per counted round. Pure."""
