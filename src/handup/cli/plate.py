"""`handup plate`: a plate that is cleared over many bites."""

from __future__ import annotations

from handup.cli.options import group
from handup.cli.plate_segment import EPILOG, segment_eval

app = group("plate", "Example: handup plate segment-eval --data FOLDER\n\nExit codes: 0 done, 2 bad input.")
app.command("segment-eval", epilog=EPILOG)(segment_eval)
