"""Verification by rules: claims, entities, relations and contradictions. Texts in, verdicts out.

No database and no model: what the rules cannot decide is left undecided, for a model to judge.
"""
