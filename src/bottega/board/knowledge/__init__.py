"""What agents learn, in three tiers: of a task, of a project, of all of them (decision 14).

`service.py` is what the rest of the board calls.
"""
