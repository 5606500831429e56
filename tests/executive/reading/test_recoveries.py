"""Recoveries from YAML."""

from __future__ import annotations

import pytest

from handup.core import BadRecipe, ResumeHint
from handup.executive.reader import parse_recoveries, scan_recoveries
from handup.executive.recipe import ActionStep
from handup.executive.recovery import Recovery

RULE = """\
format: 1
recoveries:
- name: look_again
  about: Look once more.
  when: {path: "**/pick/grasp", code: [slipped, no_plan], aborts: "2..", belief: "beliefs.holding == false"}
  helps: "failure.fields.force < 3"
  try: [{action: look, var: [seen]}]
  branches:
  - {if: "tried.seen", do: {task: pick, params: {object: failure.params.object}}, resume: next, level: fill}
  - {resume: {hint: retry, level: pick}}
  limit: 3
"""


def one(lines: str) -> Recovery:
    (found,) = parse_recoveries({"r.yaml": f"format: 1\nrecoveries:\n- {{name: a, {lines}}}\n"})
    return found


def test_everything_that_a_rule_can_say() -> None:
    (rule,) = parse_recoveries({"r.yaml": RULE})
    assert (rule.name, rule.about, rule.limit) == ("look_again", "Look once more.", 3)
    assert (rule.when.path, rule.when.codes) == ("**/pick/grasp", ("slipped", "no_plan"))
    assert (rule.when.least, rule.when.most, rule.when.contradiction) == (2, None, None)
    assert rule.when.belief is not None
    assert rule.when.belief.value({"beliefs": {"holding": False}}) is True
    assert rule.helps is not None
    assert rule.helps.value({"failure": {"fields": {"force": 2}}}) is True
    assert isinstance(rule.attempt[0], ActionStep)
    first, second = rule.branches
    assert (first.hint, first.level, second.hint, second.level) == (ResumeHint.NEXT, "fill", ResumeHint.RETRY, "pick")
    assert first.condition is not None
    assert first.condition.value({"tried": {"seen": True}}) is True
    assert second.condition is None
    assert len(first.steps) == 1
    assert (rule.place.line, rule.when.place.line, second.place.line) == (3, 5, 10)


def test_the_short_form() -> None:
    rule = one("do: [{action: look}, {action: wait}], resume: continue")
    assert (rule.when.path, rule.when.codes, rule.when.least, rule.when.most) == ("**", (), 1, None)
    assert (rule.limit, rule.attempt, len(rule.branches), len(rule.branches[0].steps)) == (1, (), 1, 2)
    assert rule.branches[0].hint is ResumeHint.CONTINUE


@pytest.mark.parametrize(
    ("aborts", "bounds"), [("2", (2, 2)), ('"2.."', (2, None)), ('"1..3"', (1, 3)), ("'4'", (4, 4))]
)
def test_ranges_of_aborts(aborts: str, bounds: tuple[int, int | None]) -> None:
    when = one(f"when: {{aborts: {aborts}}}, resume: retry").when
    assert (when.least, when.most) == bounds


@pytest.mark.parametrize("hint", list(ResumeHint))
def test_all_five_ways_to_resume(hint: ResumeHint) -> None:
    assert one(f"resume: {hint}").branches[0].hint is hint
    assert one(f"resume: {{hint: {hint}, level: t}}").branches[0].level == "t"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("name: a", "a recovery does not say how to resume"),
        ("name: a, resume: again", "r.yaml:3:21: 'resume' is 'again'. Known: continue, next, none"),
        ("name: a, resume: [retry]", "'resume' is a list"),
        ("name: a, resume: {level: t}", "'resume' has no hint"),
        ("resume: retry", "a recovery has no name"),
        ("name: a b, resume: retry", "the name of a recovery is 'a b'"),
        ("name: a, resume: retry, limit: .inf", "'limit' is '.inf'. Give a whole number from 1 to 1000"),
        ("name: a, resume: retry, limit: 0", "'limit' is '0'"),
        ("name: a, resume: retry, limit: ~", "'limit' is empty"),
        ("name: a, resume: retry, limit: 100000", "'limit' is '100000'"),
        ("name: a, resume: retry, when: {aborts: 0}", "'aborts' is '0'"),
        ("name: a, resume: retry, when: {aborts: '3..1'}", "which nothing meets"),
        ("name: a, resume: retry, when: {aborts: '..3'}", "'aborts' is '..3'"),
        ("name: a, resume: retry, when: {path: 'a//b'}", "the path is 'a//b'"),
        ("name: a, resume: retry, when: {path: [a]}", "the path is a list"),
        ("name: a, resume: retry, when: {code: [x, x]}", "the code 'x' stands twice"),
        ("name: a, resume: retry, when: {cod: x}", "'cod' is no key of 'when'. Did you mean 'code'?"),
        ("name: a, resume: retry, when: {belief: '1 +'}", "the end stands where a value should"),
        ("name: a, resume: retry, branches: [{resume: retry}]", "'resume' stands beside 'branches'"),
        ("name: a, branches: []", "'branches' is a list"),
        ("name: a, branches: [{if: 'tried.ok'}]", "r.yaml:3:24: a branch does not say how to resume"),
        ("name: a, branches: [{resume: retry, when: {}}]", "'when' is no key of a branch"),
        ("name: a, resume: retry, do: [{actio: b}]", "'actio' is no kind of step"),
    ],
)
def test_a_mistake_has_its_place_and_a_hint(lines: str, found: str) -> None:
    _, problems = scan_recoveries({"r.yaml": f"format: 1\nrecoveries:\n- {{{lines}}}\n"})
    assert len(problems) == 1, problems
    assert found in str(problems[0])
    assert problems[0].place.line == 3


def test_names_stand_once_in_all_files() -> None:
    text = "format: 1\nrecoveries:\n- {name: a, resume: retry}\n"
    with pytest.raises(BadRecipe, match=r"two recoveries called 'a'\. The first is at 1\.yaml:3:3"):
        parse_recoveries({"1.yaml": text, "2.yaml": text})


def test_a_file_may_hold_no_rule_yet() -> None:
    assert parse_recoveries({"r.yaml": "format: 1\nrecoveries:\n"}) == ()
    assert parse_recoveries({"r.yaml": "format: 1\nrecoveries: []\n"}) == ()
    for text in ("format: 1\n", "format: 1\nrecoveries: {a: 1}\n", "format: 1\nrecoveries: []\nrules: []\n"):
        with pytest.raises(BadRecipe):
            parse_recoveries({"r.yaml": text})
