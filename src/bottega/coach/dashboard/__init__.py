"""The launch screen: what is known is shown at once, what has to be worked out follows."""
