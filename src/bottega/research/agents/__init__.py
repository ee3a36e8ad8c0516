"""Research agents: folders of files that say how a question is worked on."""
