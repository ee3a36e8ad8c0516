"""What the guardrail hooks judge by: word lists and measures, without a model."""
