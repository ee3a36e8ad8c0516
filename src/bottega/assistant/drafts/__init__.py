"""Drafts: their sections and revisions, and the offline model that writes them by template."""
