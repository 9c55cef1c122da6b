"""What runs here against what was approved: code, dependencies, settings and rules in force; and the clocks."""
