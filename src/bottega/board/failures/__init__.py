"""Test failures: reports read, errors recognised again, classified, and worded as proposals.

A report comes in (`parsing.py`; one file a format), each failure is known by its fingerprint
(`fingerprint.py`), its history says which pattern it follows (`patterns.py`) and what to do about
it (`triage.py`), and `proposal.py` words the change. Nothing here knows of a database.
"""
