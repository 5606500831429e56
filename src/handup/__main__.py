"""`python -m handup` is the `handup` command."""

import sys

try:
    from handup.cli.main import run

    run()
except KeyboardInterrupt:
    sys.exit(130)
