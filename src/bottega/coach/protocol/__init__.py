"""Every message between the coach and a client, as a model (FR-050).

What a client sends is a plain model; what the coach sends is an `Outgoing`, which knows its type.
`catalogue.py` lists them all.
"""
