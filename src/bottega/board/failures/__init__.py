"""Test failures: reports read, errors recognised again, classified, and worded as proposals.

A report is read (`reports/`) and stored (`recorder.py`); each failure is known by its fingerprint
(`facts.py`), its history says which pattern it follows (`patterns.py`) and what to do about it
(`triage.py`); `proposal.py` words the change, and `proof.py` sees whether that change worked.
"""
