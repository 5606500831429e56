"""Screen and keyboard of a terminal: questions as plain lines that wrap at any width, and the lines that are typed."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from rich.console import Console
from rich.text import Text

from handup.core import Question, in_words
from handup.core.checks import one_line, printable
from handup.core.shapes.places import COLUMNS, ROWS
from handup.desk.record import Record

STOP_KEY, NOT_NOW_KEY, ELSE_KEY, TRY_KEY, HELP_KEY = "s", "n", "o", "t", "?"
ALWAYS = ((NOT_NOW_KEY, "not now"), (ELSE_KEY, "someone else"), (TRY_KEY, "let the robot try"), (HELP_KEY, "help"))
"""Keys at every question, besides the stop, which comes first."""
LEAST_WIDTH = 10
"""Least width for which lines are wrapped; narrower terminals wrap by themselves."""
LOOK_EVERY_S = 0.3
"""Seconds between two looks whether the question is still open while a person types."""
MAX_LINE = 20_000
"""Longest line in bytes; the rest is cut off, as no answer is so long."""

HELP = """\
Type a key and press Enter.
s  stops the robot at once, and it stays stopped until a person lets it go on. So does the word stop.
n  puts the question off for a while. I may go on without your answer; otherwise I ask you again.
o  passes it on to the next person; where nobody is left, it ends without an answer.
{try_}
Enter takes my own guess, where I have one. It never gives permission.
To answer with a word or number that means something here, put = before it: =n
Ctrl-D or Ctrl-C leaves the question open; nothing is lost. They do not stop the robot.\
"""
TRY_HELP = "t  lets me try by myself."


def help_on(asked: Question) -> str:
    """Return the help on the keys at a question."""
    return HELP.format(try_=asked.rule.only_people or TRY_HELP)


def plain(console: Console) -> bool:
    """Return True if lines and frames are to be left out, as for screen readers, files and simple terminals."""
    return not console.is_terminal or os.environ.get("TERM", "") in {"dumb", "unknown"}


class Screen:
    """Output of questions and messages to a terminal.

    Args:
        console: The terminal; standard error where it is None, so that standard output stays free for results.
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(file=sys.stderr, highlight=False)

    def say(self, text: str, *, strong: bool = False, indent: int = 0) -> None:
        """Write a paragraph. Control characters never reach the terminal."""
        self._lines(printable(text), " " * indent, " " * indent, strong=strong)

    def command(self, words: str) -> None:
        """Write a command to run, in one piece so that it can be copied: only the terminal itself wraps it."""
        self.console.print(Text(f"  {one_line(words)}"), soft_wrap=True)

    def prompt(self, label: str) -> None:
        """Write the label before the place where a person types."""
        self.console.print(Text(f"{one_line(label)}: "), end="")
        self.console.file.flush()

    def newline(self) -> None:
        """End a line on which somebody was typing."""
        self.console.print()

    def question(self, record: Record, by: str) -> None:
        """Write a question and its keys."""
        asked = record.question
        title = f"Question for {record.turn or by}, from {record.run}"
        self.console.print()
        if plain(self.console):
            self.say(title)
        else:
            self.console.rule(Text(one_line(title), style="bold"), align="left", style="none")
        if record.turn is not None and record.turn != by:
            self.say(f"It is {record.turn}'s turn. You may answer it too, {by}.")
        for label, text in (("I was doing", asked.doing), ("I ask because", asked.why)):
            if text.strip():
                self.say(f"{label}: {text.strip()}")
        self.console.print()
        self.say(asked.prompt.strip(), strong=True)
        if asked.guess is not None:
            sure = f" ({asked.sureness})" if asked.sureness else ""
            self.say(f"I think: {in_words(asked, asked.guess)}{sure}")
        if asked.support.strip():
            self.say(f"What helps: {asked.support.strip()}")
        if asked.image:
            self.say(f"Picture: {asked.image}")
        self.console.print()
        self.keys(asked)

    def keys(self, asked: Question) -> None:
        """Write the keys of a question, the stop first."""
        self._key(STOP_KEY, "STOP the robot at once: type s and press Enter", strong=True)
        guess = None if asked.guess is None else asked.rule.shape.option(asked, asked.guess)
        for number, choice in enumerate(asked.choices):
            mine = "  (my guess)" if choice == guess else ""
            self._key(str(number + 1), f"{one_line(choice)}{mine}")
            for label, texts in (("then", asked.effects), ("picture", asked.pictures)):
                if texts and texts[number].strip():
                    self.say(f"{label}: {one_line(texts[number])}", indent=7)
        for key, words in ALWAYS:
            if key != TRY_KEY or not asked.rule.only_people:
                self._key(key, words)
        self.console.print()
        if asked.rule.on_image:
            self.sketch()
        self.say(how_to_answer(asked))

    def sketch(self) -> None:
        """Write the picture's frame with numbered fields, or the fields in words where frames are left out."""
        if plain(self.console):
            self.say("The picture has fields: 1 2 3 in the upper row, 4 5 6 in the middle, 7 8 9 below.")
            return
        line = "+" + "-----+" * COLUMNS
        self.say(f"0%{' ' * (6 * COLUMNS - 5)}100% across")
        for row in range(ROWS):
            self.say(line)
            fields = "".join(f"  {row * COLUMNS + column + 1}  |" for column in range(COLUMNS))
            self.say(f"|{fields}")
        self.say(f"{line} 100% down")

    def _key(self, key: str, words: str, *, strong: bool = False) -> None:
        self._lines(words, f"{key:>3}  ", " " * 5, strong=strong)

    def _lines(self, text: str, first: str, rest: str, *, strong: bool = False) -> None:
        """Write text wrapped to the width, after `first` on its first line and `rest` on the others."""
        style, lead = "bold" if strong else "", first
        for part in text.split("\n"):
            # Not a padded block of rich: that fills lines with spaces, which some screen readers read out.
            for line in Text(part).wrap(self.console, max(self.console.width - len(rest), LEAST_WIDTH)) or [Text("")]:
                self.console.print(Text(f"{lead}{line.plain.rstrip()}", style=style), soft_wrap=True)
                lead = rest


def how_to_answer(asked: Question) -> str:
    """Return a sentence or two on what to type."""
    enter = (
        f"Press Enter for: {in_words(asked, asked.guess)}." if asked.guess is not None and takes_enter(asked) else ""
    )
    return f"{asked.rule.shape.how_to_type(asked)} {enter}".strip()


def takes_enter(asked: Question) -> bool:
    """Return True if Enter alone takes the guess. Permission is never given so: it must be typed."""
    return asked.guess is not None and not asked.rule.explicit


class Keyboard:
    """Standard input, or another stream with a file descriptor.

    On systems that cannot wait for a stream and a clock at once, a question that was settled elsewhere is taken back
    only after the line is complete.

    Args:
        stream: The stream to read; standard input where it is None.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdin
        self._rest = b""
        self._ended = False

    @property
    def live(self) -> bool:
        """True if it is a terminal whose input is for this program; reading from the background would halt it.

        Lines typed ahead at a terminal must not answer the next question.
        """
        return self._stream is not None and self._stream.isatty() and _is_in_front(self._descriptor())

    def line(self, gone: Callable[[], bool]) -> str | None:
        """Return the next line without its end; None as soon as `gone` returns True.

        Raises:
            EOFError: The input has ended.
        """
        if self._stream is None:
            raise EOFError
        descriptor = self._descriptor()
        if descriptor is None:
            text = self._stream.readline(MAX_LINE)
            if not text:
                raise EOFError
            return text.rstrip("\r\n")
        while b"\n" not in self._rest and not self._ended:
            if gone():
                return None
            if select.select([descriptor], [], [], LOOK_EVERY_S)[0]:
                self._take(descriptor)
        if not self._rest:
            self._ended = self._ended and not self.live  # after Ctrl-D more can be typed at a terminal
            raise EOFError
        line, _, self._rest = self._rest.partition(b"\n")
        return line[:MAX_LINE].decode("utf-8", "replace").rstrip("\r")

    def drop(self) -> None:
        """Forget lines typed ahead at a terminal; lines from a program are kept."""
        descriptor = self._descriptor()
        if not self.live or descriptor is None:
            return
        self._rest = b""
        while select.select([descriptor], [], [], 0.0)[0]:
            before = len(self._rest)
            self._take(descriptor)
            if self._ended or len(self._rest) == before:
                break
        self._rest, self._ended = b"", False
        import termios  # noqa: PLC0415 - not everywhere

        with suppress(termios.error):  # half a line, which only the terminal itself knows
            termios.tcflush(descriptor, termios.TCIFLUSH)

    def _take(self, descriptor: int) -> None:
        data = os.read(descriptor, 4096)
        self._ended = not data
        self._rest = (self._rest + data)[-4 * MAX_LINE :]

    def _descriptor(self) -> int | None:
        if os.name != "posix":
            return None
        try:
            return self._stream.fileno()
        except (OSError, ValueError, AttributeError):
            return None


def _is_in_front(descriptor: int | None) -> bool:
    """Return True if a terminal's input is for this program, as it always is where a terminal has no jobs."""
    with suppress(OSError):
        return descriptor is None or os.tcgetpgrp(descriptor) == os.getpgrp()
    return True
