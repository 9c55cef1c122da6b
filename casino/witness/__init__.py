"""The witness: gives out links against signed closings, and cosigns checkpoints. README.md says why and how."""
