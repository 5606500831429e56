"""`python -m handup` is the `handup` command."""

from handup.cli.main import run

run()
