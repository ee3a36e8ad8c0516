"""The launch screen: what is stored is shown at once, what has to be worked out follows."""
