"""The web app in a window of its own."""
