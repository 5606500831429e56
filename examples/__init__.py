"""Examples: each one a program, a page of the docs and a test."""
