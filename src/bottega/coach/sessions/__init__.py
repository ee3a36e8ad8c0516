"""Coaching sessions: started, resumed, abandoned, their state now, and their history."""
