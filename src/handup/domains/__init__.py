"""Worlds, and the policies that live in them: one folder each. Edges; nothing that decides about asking is here."""
