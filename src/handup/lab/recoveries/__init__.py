"""Studies of recoveries: runs of the kitting task with and without rules and people, and what the rules are made of."""
