"""From a plan to phases: what it names in the project, and what is said at each stage."""
