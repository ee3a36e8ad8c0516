"""Journal entries, from the local file of an open one to the searchable row of a resolved one."""
