"""A model's probabilities for some options, from the log-probabilities of the one letter that it answers with.

Every option has a letter, and the model is asked for a letter alone, so that one token decides. Letters that begin a
sentence by themselves (A, I, O) are left out: "A plate of …" is no choice of the first option.

What can go wrong, and is not seen here: a server that gives the log-probabilities *after* its temperature (ours asks
for a temperature of 1, where both are the same); a model that favours early letters, whatever they stand for; one that
is sure of everything. So these numbers are raw scores, to be calibrated like any other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from handup.core import BadAnswer, BadSetting, ContractViolation
from handup.core.checks import shown
from handup.domains.feeding.adapters.endpoint import OTHER_MODEL

LETTERS = "BCDEFGHJKLMNPQRSTUVW"
MOST_OPTIONS = len(LETTERS)
"""As many as `top_logprobs` shows of one token; more could not all be seen."""
LEAST_MASS = 0.5
"""So much of the probability must lie on the options. Below, the model wanted to say something else."""
AROUND = " \t\n\r\"'`*().:▁Ġ"
"""What may stand around a letter: tokens carry spaces, marks and their tokeniser's own signs."""
Scores = dict[str, float]


def lettered(options: Sequence[str]) -> dict[str, str]:
    """Each option by its letter.

    Raises:
        BadSetting: Fewer than two, or more than there are letters.
    """
    if not 2 <= len(options) <= MOST_OPTIONS:
        raise BadSetting(f"{len(options)} options", hint=f"Give 2 to {MOST_OPTIONS}: more cannot be told apart.")
    return dict(zip(LETTERS, options, strict=False))


def first_token(said: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The likeliest first tokens of an answer and their log-probabilities.

    Raises:
        ContractViolation: There are none: the model or its server does not give them.
    """
    try:
        listed = said["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        found = [(str(each["token"]), float(each["logprob"])) for each in listed]
    except (KeyError, IndexError, TypeError, ValueError):
        found = []
    if not found or any(math.isnan(number) or number > 1e-6 for _, number in found):
        raise ContractViolation("an answer comes without log-probabilities of its first token", hint=OTHER_MODEL)
    return found


def probabilities(tokens: Sequence[tuple[str, float]], options: Mapping[str, str]) -> Scores:
    """What each option is worth, the likeliest first; they add up to 1.

    Tokens that mean the same letter (`B`, ` B`, `b`) count together. An option whose letter is not among the tokens
    gets an even share of the probability that is left over, but no more than the least likely token that was shown:
    otherwise it would have been shown.

    Args:
        tokens: As `first_token` gives them.
        options: By letter.

    Raises:
        BadAnswer: Most of the probability lies on something that is none of the options.
    """
    seen: Scores = {}
    for token, number in tokens:
        letter = token.strip(AROUND).upper()
        if letter in options:
            seen[letter] = seen.get(letter, 0.0) + math.exp(min(number, 0.0))
    mass = sum(seen.values())
    if mass < LEAST_MASS:
        likeliest = max(tokens, key=lambda each: each[1])[0]
        raise BadAnswer(
            f"the model answers {shown(likeliest)}, which is none of the options (they have {100 * mass:.0f} % of it)",
            hint="Take a model that does as it is told, or one without a thinking step before its answer.",
        )
    shown_mass = sum(math.exp(min(number, 0.0)) for _, number in tokens)
    least = math.exp(min(number for _, number in tokens))
    unseen = [letter for letter in options if letter not in seen]
    share = min(max(1.0 - shown_mass, 0.0) / max(len(unseen), 1), least)
    whole = mass + share * len(unseen)
    worth = {options[letter]: seen.get(letter, share) / whole for letter in options}
    return dict(sorted(worth.items(), key=lambda each: -each[1]))
