"""Studies of whole meals: simulated participants, the feeding robot, paired statistics, claims, failure triage."""
