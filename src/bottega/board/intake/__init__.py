"""Test reports in: what failed, what it is, and what is proposed for it."""
