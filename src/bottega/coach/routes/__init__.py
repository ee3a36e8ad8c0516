"""The coach over REST: one file for each group of routes."""
