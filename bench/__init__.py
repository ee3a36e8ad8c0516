"""Benchmarks: ratios against named peers in the same run."""
