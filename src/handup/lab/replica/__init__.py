"""The core paper's reference code imitated, quirks and all, for comparison only.

It differs from handup's own model: the state counts as a node; an answer is the module's gate applied to whatever
its inputs say now, and stands in for its output; asking a module erases the answers downstream of it; several
selectors offer answered modules again. `docs/lab/worlds.md` lists every difference.
"""
