"""Research agents and skills: folders of files that say how a question is worked on."""
