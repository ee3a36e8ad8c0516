"""Projects: the directories with an `openspec` folder, and the rows that stand for them."""
