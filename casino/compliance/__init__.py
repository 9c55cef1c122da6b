"""Compliance: cases, attestation of the release, clocks and outages, retention, erasure and exports."""
