"""Agents at work without a model: drafts by template, from what the workspace holds."""
