"""The observer: follows how a person is doing and, rarely, sends them a nudge.

`service.py` receives what they do and decides when to evaluate; `triage.py` takes a snapshot, asks
a model (offline: `rules.py`) and sends the nudge (`nudge_text.py`).
"""
