"""The checks that a claim has to pass against the statement that it rests on.

Each compares one thing that changes what a rule says. A check fails only on what the texts say
themselves; where a good paraphrase and a distortion look alike it is doubtful.
"""
