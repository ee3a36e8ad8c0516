"""What a finished session says about the learner: where it was hard, and what is mastered."""
