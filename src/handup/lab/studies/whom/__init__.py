"""Study of whom to ask: a home with a resident, a caregiver who comes and goes, and operators far away."""
