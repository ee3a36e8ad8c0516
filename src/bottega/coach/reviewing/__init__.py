"""Reviews by rule: what can be said of a solution or a change by running and reading it."""
