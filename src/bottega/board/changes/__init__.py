"""OpenSpec changes: listed, shown, edited, decided on."""
