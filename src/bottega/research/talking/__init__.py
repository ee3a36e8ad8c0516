"""The conversation around a run: replies to a pause, breaking out, following up."""
