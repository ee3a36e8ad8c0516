""" "Review My Work": what a learner changed in a phase, compared with what the phase asks for."""
