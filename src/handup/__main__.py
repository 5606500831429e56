"""`python -m handup` is the `handup` command."""

import sys

try:
    from handup.cli.main import run

    run()
except KeyboardInterrupt:
    sys.exit(130)
finally:
    # Python notes an interrupt inside an exec() of text, such as a dataclass that is made during an import, and then
    # ends by SIGINT although the command caught the interrupt and said its line. Another exec() clears the note.
    exec("")
