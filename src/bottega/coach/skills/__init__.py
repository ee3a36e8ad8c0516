"""What a learner can do and cannot do yet: Dreyfus stages by skill, knowledge gaps, concepts."""
