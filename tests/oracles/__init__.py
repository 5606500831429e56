"""Slow twins of the clever parts: brute force and literal readings that the tests compare with."""
