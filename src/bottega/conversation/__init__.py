"""The conversation engine under the rooms: what was said, what is asked, what was decided."""
