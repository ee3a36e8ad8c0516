"""Principles that a cluster of experiences supports, validated against its centroid."""
