"""The measures a process takes against itself before it runs what nobody trusts. Linux only."""
