"""Questions to a person, for which a run waits as long as it takes."""
