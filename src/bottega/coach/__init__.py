"""The coach: Paige, who teaches a developer through a real issue and never writes the code."""
