"""Checking Mermaid diagrams: eight kinds are parsed, the others known by their first word."""
