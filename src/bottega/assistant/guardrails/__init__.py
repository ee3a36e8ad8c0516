"""What the guardrails judge by: word lists, measures, anchors and pointers, without a model."""
