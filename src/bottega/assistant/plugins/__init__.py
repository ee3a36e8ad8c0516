"""Plugins: folders of agents, commands, skills and the hooks they name."""
