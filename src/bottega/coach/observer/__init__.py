"""The observer: watches how a person is doing and, rarely, has the coach say something.

`observer.py` hears what they do and decides when to look; `triage.py` looks (`snapshot.py`), asks
(`prompts/observer_triage.py`, by rule in `rules.py`) and speaks (`wording.py`).
"""
