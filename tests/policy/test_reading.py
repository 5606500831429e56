"""Policies from YAML: what is read, what is refused, and at which line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handup.core import BadPolicy, Question, QuestionKind
from handup.policy import Gate, Module, ModuleGraph, load_policy, parse_policy
from handup.policy.policy_file import LIMITS, MAX_BYTES
from tests.strategies import module_lists

EXAMPLES = Path(__file__).parents[2] / "examples" / "policies"
FOOD = "modules:\n  food: {confidence: 0.9}\n"
"""Two good lines: what a test adds stands from line 3 on."""


def refusal(text: str) -> BadPolicy:
    with pytest.raises(BadPolicy) as caught:
        parse_policy(text, file="policy.yaml")
    return caught.value


def module(text: str) -> Module:
    return parse_policy(f"modules:\n  food: {text}\n").modules[0]


# What is read


def test_a_module_needs_only_a_confidence() -> None:
    assert module("{confidence: 0.9}") == Module("food", 0.9)


def test_inputs_may_be_a_list() -> None:
    graph = parse_policy(FOOD + "  box: {confidence: 0.2, inputs: [food]}\n")
    assert graph.modules[1] == Module("box", 0.2, inputs=("food",))


def test_inputs_may_be_one_name() -> None:
    graph = parse_policy(FOOD + "  box: {confidence: 0.2, inputs: food}\n")
    assert graph.modules[1].inputs == ("food",)


def test_a_gate_is_read() -> None:
    graph = parse_policy(FOOD + "  box: {confidence: 0.2, inputs: food, gate: or}\n")
    assert graph.modules[1].gate is Gate.OR


@pytest.mark.parametrize(
    ("written", "value"),
    [("1", 1.0), ("0", 0.0), (".5", 0.5), ("1.", 1.0), ("+0.5", 0.5), ("5e-1", 0.5), ("1E-400", 0.0), ("-0", 0.0)],
)
def test_numbers_are_read_as_yaml_writes_them(written: str, value: float) -> None:
    assert module(f"{{confidence: {written}}}").confidence == value


def test_a_question_may_be_a_sentence() -> None:
    assert module('{confidence: 1, question: "Which food is this?"}').question == Question("Which food is this?")


def test_a_question_may_say_its_kind() -> None:
    read = module("{confidence: 1, question: {kind: box, prompt: Where is it?}}").question
    assert read == Question("Where is it?", QuestionKind.BOX)


def test_a_question_with_options_and_no_kind_is_a_choice() -> None:
    read = module("{confidence: 1, question: {prompt: Which?, options: [a, b]}}").question
    assert read == Question("Which?", QuestionKind.CHOICE, ("a", "b"))


def test_a_question_may_say_what_else_is_known_of_it() -> None:
    read = module(
        "{confidence: 1, question: {prompt: How far?, kind: number, low: 0, high: 40, unit: cm, support: It is near.}}"
    ).question
    assert read == Question("How far?", QuestionKind.NUMBER, low=0, high=40, unit="cm", support="It is near.")
    read = module("{confidence: 1, question: {prompt: Which?, options: [a, b], effects: [I wait, I go]}}").question
    assert read == Question("Which?", QuestionKind.CHOICE, ("a", "b"), effects=("I wait", "I go"))
    read = module(
        "{confidence: 1, question: {prompt: Where?, kind: points, marks: [start, end], image: a.png}}"
    ).question
    assert read == Question("Where?", QuestionKind.POINTS, marks=("start", "end"), image="a.png")


def test_what_does_not_belong_to_a_question_is_refused_at_its_line() -> None:
    with pytest.raises(BadPolicy, match="unit does not belong to a text question"):
        module("{confidence: 1, question: {prompt: What?, unit: cm}}")


def test_options_stay_as_written() -> None:
    read = module("{confidence: 1, question: {prompt: Which?, options: [yes, 1.10, true]}}").question
    assert read is not None
    assert read.options == ("yes", "1.10", "true")


def test_success_may_be_an_expression() -> None:
    graph = parse_policy(FOOD + "  box: {confidence: 0.2}\nsuccess: any(box, food)\n")
    assert (graph.success, graph.names) == ("any(box, food)", ("box", "food"))


def test_modules_may_stand_in_any_order() -> None:
    graph = parse_policy("modules:\n  box: {confidence: 0.2, inputs: food}\n  food: {confidence: 0.9}\n")
    assert graph.names == ("food", "box")


def test_json_is_read_too() -> None:
    assert parse_policy('{"modules": {"food": {"confidence": 0.9}}}').names == ("food",)


@st.composite
def questions(draw: st.DrawFn) -> Question | None:
    """None, or a question of any kind, in words that YAML could take for something else."""
    letters = st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="\ufffe\uffff")
    words = st.text(letters, min_size=1).filter(str.strip)
    kind = draw(st.none() | st.sampled_from(QuestionKind))
    return None if kind is None else Question(draw(words), kind, tuple(draw(st.lists(words, min_size=2, max_size=3))))


def in_flow_style(each: Module) -> str:
    """A module as one line of YAML; JSON quotes its texts."""
    fields: dict[str, Any] = {
        "confidence": each.confidence,
        "query_cost": each.query_cost,
        "inputs": each.inputs,
        "gate": str(each.gate),
    }
    if each.question is not None:
        fields["question"] = each.question.to_json()
    return f"  {each.name}: {json.dumps(fields, ensure_ascii=False)}\n"


def in_block_style(each: Module) -> str:
    """A module as lines of YAML."""
    lines = [f"  {each.name}:", f"    confidence: {each.confidence!r}", f"    query_cost: {each.query_cost!r}"]
    lines += [f"    gate: {each.gate}", *(["    inputs:"] if each.inputs else [])]
    lines += [f"    - {name}" for name in each.inputs]
    if each.question is not None:
        lines += ["    question:", f"      kind: {each.question.kind}", "      options:"]
        lines += [f"        - {json.dumps(option, ensure_ascii=False)}" for option in each.question.options]
        lines += [f"      prompt: {json.dumps(each.question.prompt, ensure_ascii=False)}"]
    return "\n".join([*lines, ""])


@given(st.data())
@pytest.mark.parametrize("written", [in_flow_style, in_block_style])
def test_a_written_graph_is_read_back(written: Any, data: st.DataObject) -> None:
    drawn = data.draw(module_lists())
    modules = [
        Module(each.name, each.confidence, each.query_cost, each.inputs, each.gate, data.draw(questions()))
        for each in drawn
    ]
    text = "modules:\n" + "".join(written(each) for each in modules)
    assert parse_policy(text).modules == ModuleGraph(modules).modules


def test_a_chain_of_ten_thousand_modules_is_read() -> None:
    links = (f"  m{place}: {{confidence: 1, inputs: m{place - 1}}}\n" for place in range(1, 10_000))
    graph = parse_policy("modules:\n  m0: {confidence: 1}\n" + "".join(links))
    assert len(graph) == 10_000


@pytest.mark.parametrize("name", ["bite", "visuo_haptic"])
def test_the_example_policies_can_be_read(name: str) -> None:
    graph = load_policy(EXAMPLES / f"{name}.yaml")
    assert len(graph) == 4
    assert all(each.question is not None for each in graph.modules)


def test_the_bite_is_a_chain_at_the_mean_cost_of_the_paper() -> None:
    graph = load_policy(EXAMPLES / "bite.yaml")
    assert graph.names == ("food", "box", "skill", "parameters")
    assert graph.is_series
    assert graph.query_costs.mean() == pytest.approx(0.32)


# What is refused: the text after `FOOD`'s two lines, the line, and a part of the message

BAD_POLICIES = [
    ("", 1, "there is nothing to read. Start with 'modules:'."),
    ("# only a comment\n", 1, "there is nothing to read"),
    ("- food\n", 1, "the policy is a list, not a map"),
    ("food\n", 1, "the policy is 'food', not a map"),
    ("\nsuccess: food\n", 2, "the policy has no modules. Add the key 'modules'."),
    ("modules:\n", 1, "'modules' is empty, not a map"),
    ("\nmodules: {}\n", 2, "the policy has no modules. List at least one module."),
    ("modules: [food]\n", 1, "'modules' is a list, not a map"),
    ("module:\n  food: {confidence: 1}\n", 1, "'module' is no key of the policy. Did you mean 'modules'?"),
    (FOOD + "sucess: food\n", 3, "'sucess' is no key of the policy. Did you mean 'success'?"),
    (FOOD + "<<: {}\n", 3, "merge keys (<<) are not read. Write the values out."),
    (FOOD + "modules: {}\n", 3, "the key 'modules' stands twice. Keep one of them; the first is in line 1."),
    (FOOD + "  food: {confidence: 0.1}\n", 3, "the key 'food' stands twice. Keep one of them; the first is in line 2."),
]

BAD_MODULES = [
    ("box: 0.9", 3, "'box' is '0.9', not a map. Write for example: food: {confidence: 0.9"),
    ("box:\n  skill: {}", 3, "'box' is empty, not a map"),
    ("a b: {confidence: 1}", 3, "'a b' is no module name"),
    ("all: {confidence: 1}", 3, "'all' is no module name"),
    ("5: {confidence: 1}", 3, "'5' is no module name"),
    ("box: {}", 3, "'box' has no confidence. Add the key 'confidence'."),
    ("box:\n    query_cost: 1", 3, "'box' has no confidence"),
    ("box:\n    confidence: 1\n    costs: 1", 5, "'costs' is no key of 'box'. Known: calibrator, confidence, gate"),
    ("box:\n    confidence: 1\n    query_costs: 1", 5, "Did you mean 'query_cost'?"),
    ("box:\n    Confidence: 1", 4, "'Confidence' is no key of 'box'. Did you mean 'confidence'?"),
    ("box: {confidence: 0,9}", 3, "'9' is no key of 'box'"),
    ("box: {confidence: 1, confidence: 1}", 3, "the key 'confidence' stands twice"),
    ("box: {confidence: 1, inputs: [food, foot]}", 3, "'box' takes 'foot', which is no module. Known: food, box."),
    ("box:\n    confidence: 1\n    inputs:\n    - food\n    - foot", 7, "'box' takes 'foot', which is no module"),
    ("box:\n    confidence: 1\n    inputs: foot", 5, "'box' takes 'foot', which is no module"),
    ("box:\n    confidence: 1\n    inputs:\n      [food, food]", 6, "'box' names an input twice"),
    ("box: {confidence: 1, inputs: }", 3, "inputs of 'box' is empty. Write names of modules"),
    ("box: {confidence: 1, inputs: {food: 1}}", 3, "inputs of 'box' is a map"),
    ("box:\n    confidence: 1\n    inputs:\n    - food\n    - [skill]", 7, "an item in inputs of 'box' is a list"),
    ("box:\n    confidence: 1\n    inputs:\n    - food\n    -", 7, "an item in inputs of 'box' is empty"),
    ("box: {confidence: 1, inputs: ['a\\b', \"a\\nb\"]}", 3, "'a\\nb' in inputs of 'box' is no module"),
    ("box: {confidence: 1}", 2, "2 modules feed no other: food, box"),
    ("box:\n    confidence: 1\n    inputs: box", 5, "the inputs form a cycle: box takes box"),
    ("a: {confidence: 1, inputs: food}\n  b:\n    confidence: 1\n    inputs: [c, a]\n  c: {confidence: 1, inputs: b}",
     6, "the inputs form a cycle: b takes c takes b"),
    ("box: {confidence: 1, inputs: food, gate: AND}", 3, "gate of 'box' is 'AND'. Did you mean 'and'? Known: and, or."),
    ("box: {confidence: 1, inputs: food, gate: [or]}", 3, "gate of 'box' is a list. Known: and, or."),
    ("box:\n    confidence: 1\n    gate:\n    inputs: food", 5, "gate of 'box' is empty"),
]  # fmt: skip

BAD_NUMBERS = [
    ("1.2", "confidence of 'box' must lie between 0 and 1, got 1.2. Give a probability."),
    ("-0.1", "confidence of 'box' must lie between 0 and 1, got -0.1"),
    ("1e999", "confidence of 'box' must lie between 0 and 1, got inf"),
    ("high", "confidence of 'box' must be a number, got 'high'. Write a number such as 0.9, without quotes."),
    ("'high'", "confidence of 'box' must be a number, got the text 'high'"),
    ('"0.9"', "confidence of 'box' must be a number, got the text '0.9'. Write a number such as 0.9, without quotes."),
    ("true", "confidence of 'box' must be a number, got 'true'"),
    (".nan", "confidence of 'box' must be a number, got '.nan'"),
    (".inf", "confidence of 'box' must be a number, got '.inf'"),
    ("nan", "confidence of 'box' must be a number, got 'nan'"),
    ("90%", "confidence of 'box' must be a number, got '90%'"),
    ("0x1", "confidence of 'box' must be a number, got '0x1'"),
    ("٠", "confidence of 'box' must be a number, got '٠'"),
    ("9" * 5000, "must be a number, got '999"),
    ("", "confidence of 'box' must be a number and is empty. Write a number"),
    ("null", "confidence of 'box' must be a number and is empty"),
    ("[0.9]", "confidence of 'box' must be a number and is a list"),
    ("{a: 0.9}", "confidence of 'box' must be a number and is a map"),
]

BAD_QUESTIONS = [
    (" ", 5, "question of 'box' is empty. Write a sentence that a person can answer"),
    ("true", 5, "question of 'box' is 'true'. Write a sentence"),
    ("5", 5, "question of 'box' is '5'. Write a sentence"),
    ("[a]", 5, "question of 'box' is a list"),
    ("'  '", 5, "a question has no words"),
    ("{kind: choice}", 5, "question of 'box' has no prompt. Add the key 'prompt'."),
    ("\n      prompt: Which?\n      sort: choice", 7, "'sort' is no key of question of 'box'. Did you mean 'support'?"),
    ("\n      prompt: Which?\n      kind: choise", 7, "kind in question of 'box' is 'choise'. Did you mean 'choice'?"),
    ("\n      prompt: Which?\n      options: a", 7, "options in question of 'box' are 'a'. Write a list such as"),
    ("\n      prompt: Which?\n      options:\n      - a\n      -", 9, "an item in options in question of 'box' is"),
    ("\n      prompt: Which?\n      kind: choice", 6, "a choice has fewer than two options"),
    ("\n      kind: text\n      prompt: []", 7, "prompt in question of 'box' is a list"),
]  # fmt: skip

BAD_EXPRESSIONS = [
    ("all(food, drink)", 3, "the success expression names 'drink', which is no module. Known: food."),
    ("all(food", 3, "success expression: ',' or ')' is missing at column 9. Write for example: all("),
    ("[food]", 3, "'success' is a list"),
    (" ", 3, "'success' is empty"),
    ("{food: 1}", 3, "'success' is a map"),
    ("all(" * 500, 3, "success expression: more than 100 levels"),
]

BAD_YAML = [
    ("  box: {confidence: 1", 3, "this is no valid YAML: expected ',' or '}'"),
    ("  box: {confidence: 1,\n\n\n", 3, "this is no valid YAML: expected the node content"),
    ("  box: 'a\n\n", 3, "this is no valid YAML: found unexpected end of stream"),
    ("  box: {confidence: 1\n  skill: {confidence: 1}\n", 4, "while parsing a flow mapping that begins in line 3"),
    (" box: {confidence: 1}\n", 3, "Mind the indentation (spaces, no tabs)"),
    ("\tbox: {confidence: 1}\n", 3, "no tabs"),
    ("  box: a: b\n", 3, "mapping values are not allowed here"),
    ("  box\n", 3, "could not find expected ':'"),
    ("  box: @a\n", 3, "found character '@' that cannot start any token"),
    ("---\nmodules: {}\n", 3, "a second document begins here"),
    ("...\nmodules: {}\n", 4, "a second document begins here"),
    ("  box: &a {confidence: 1}\n", 3, "anchors and aliases (& and *) are not read"),
    ("  box: *a\n", 3, "anchors and aliases (& and *) are not read"),
    ("  box: !module {confidence: 1}\n", 3, "the tag '!module' is not read"),
    ("  box: {confidence: !!float 1}\n", 3, "the tag 'tag:yaml.org,2002:float' is not read"),
    ("  [box]: {confidence: 1}\n", 3, "a list stands as a key"),
    ("  ? |\n    a\n    b\n  : {confidence: 1}\n", 3, "'a\\nb\\n' stands as a key. A key is a word"),
    (f"  ? {'b' * 2000}\n  : {{confidence: 1}}\n", 3, "stands as a key. A key is a word"),
    ("  box: " + "[" * 100_000, 3, "more than 10 levels of lists and maps are not read"),
    ("  box: " + "{a: " * 100_000, 3, "more than 10 levels of lists and maps are not read"),
    ("  " + "? " * 100_000, 3, "a map stands as a key"),
    ("  box:\n  " + "- " * 100_000, 4, "more than 10 levels of lists and maps are not read"),
    ("  box: a\0b\n", 3, "the character U+0000 is not allowed here"),
    ("  box: a\ud800b\n", 3, "the character U+D800 is not allowed here"),
    ('  box: {question: "\\ud800"}\n', 3, "the character U+D800 is not allowed"),
    ('  box: {question: "\\U00110000"}\n', 3, "this is no valid YAML"),
    ('  box: {question: "\\UFFFFFFFF"}\n', 3, "this is no valid YAML"),
]


def expect(text: str, line: int, part: str) -> None:
    error = refusal(text)
    assert part in str(error)
    assert (error.file, error.line) == ("policy.yaml", line)
    assert str(error).startswith(f"policy.yaml:{line}: ")
    assert str(error).endswith(" [HU101]")
    assert len(str(error).splitlines()) == 1
    assert len(str(error)) < 500


@pytest.mark.parametrize(("text", "line", "part"), BAD_POLICIES)
def test_a_bad_policy_is_refused_at_its_line(text: str, line: int, part: str) -> None:
    expect(text, line, part)


@pytest.mark.parametrize(("text", "line", "part"), BAD_MODULES)
def test_a_bad_module_is_refused_at_its_line(text: str, line: int, part: str) -> None:
    expect(f"{FOOD}  {text}\n", line, part)


@pytest.mark.parametrize(("value", "part"), BAD_NUMBERS)
def test_a_bad_number_is_refused_at_its_line(value: str, part: str) -> None:
    expect(f"{FOOD}  box:\n    inputs: food\n    confidence: {value}\n", 5, part)


def test_a_negative_query_cost_is_refused_at_its_line() -> None:
    expect(
        f"{FOOD}  box:\n    confidence: 1\n    query_cost: -0.1\n",
        5,
        "query_cost of 'box' must be finite and at least 0, got -0.1",
    )


@pytest.mark.parametrize(("value", "line", "part"), BAD_QUESTIONS)
def test_a_bad_question_is_refused_at_its_line(value: str, line: int, part: str) -> None:
    expect(f"{FOOD}  box:\n    confidence: 1\n    question: {value}\n    inputs: food\n", line, part)


@pytest.mark.parametrize(("value", "line", "part"), BAD_EXPRESSIONS)
def test_a_bad_expression_is_refused_at_its_line(value: str, line: int, part: str) -> None:
    expect(f"{FOOD}success: {value}\n", line, part)


def test_an_expression_that_leaves_a_module_out_is_refused_at_its_line() -> None:
    expect(FOOD + "  box: {confidence: 1}\nsuccess: food\n", 4, "the success expression leaves out box")


def test_inputs_beside_an_expression_are_refused_at_their_line() -> None:
    text = FOOD + "  box:\n    confidence: 1\n    inputs: food\nsuccess: all(food, box)\n"
    expect(text, 5, "'box' has inputs and stands in a success expression")


@pytest.mark.parametrize(("text", "line", "part"), BAD_YAML)
def test_bad_yaml_is_refused_at_its_line(text: str, line: int, part: str) -> None:
    expect(FOOD + text, line, part)


def test_an_unknown_version_of_yaml_is_refused() -> None:
    expect("%YAML 1.9\n---\n" + FOOD, 1, "this is no valid YAML")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_with_any_line_ending(end: str) -> None:
    expect((FOOD + "\n\nsucess: food\n").replace("\n", end), 5, "Did you mean 'success'?")


def test_a_list_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handup.policy.policy_file.LIMITS", replace(LIMITS, values=7))
    expect(FOOD + "  box:\n    confidence: 1\n", 3, "more than 7 keys and values are not read")


def test_a_text_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadPolicy, match="a text of more than 4194304 characters is not read"):
        parse_policy(" " * (MAX_BYTES + 1))


def test_an_error_about_a_text_names_it_a_text() -> None:
    with pytest.raises(BadPolicy, match=r"^<text>:1: "):
        parse_policy("")


PIECES = [
    *("modules", "success", "food", "box", "confidence", "query_cost", "inputs", "gate", "question", "prompt", "kind"),
    *(": ", ":", "\n", "\n  ", "\n    ", " ", "- ", "? ", ",", "[", "]", "{", "}", "'", '"', "|", ">", "|2", "#"),
    *("0.9", "1", "-1", ".inf", "true", "~", "null", "and", "or", "choice", "options", "all(", "any(", ")", "<<", "="),
    *("&a", "*a", "!", "!!str", "!<", "---", "...", "%YAML 1.1\n", "%YAML 7.7\n", "%TAG ! x\n", "%", "@", "`", "\t"),
    *("\\", "\\x4", "\\ud800", "\\UFFFFFFFF", "\\U00110000", "\0", "\r", "\x85", "\u2028", "\ufeff", "\ud800", "é"),
    *(FOOD, "modules:\n  food: ", "modules: {food: {confidence: "),
]


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("%YAML 1." + "9" * 5000)
@example("! !")
def test_any_text_is_a_policy_or_refused(text: str) -> None:
    try:
        graph = parse_policy(text)
    except BadPolicy as error:
        assert error.line is not None
        assert 1 <= error.line <= len(text.splitlines()) + 1
        assert len(str(error).splitlines()) == 1
    else:
        assert len(graph) >= 1


@given(st.binary())
def test_a_file_of_any_bytes_is_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "policy.yaml"
    path.write_bytes(data)
    with pytest.raises(BadPolicy, match=r"policy\.yaml:\d+: "):
        load_policy(path)


# Files


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(FOOD)
    assert load_policy(path).names == load_policy(str(path)).names == ("food",)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(FOOD, encoding="utf-8-sig")
    assert load_policy(path).names == ("food",)


def test_an_error_names_the_file_and_the_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(
        dedent("""\
        modules:
          food:
            confidence: 1.2
        """)
    )
    with pytest.raises(BadPolicy) as caught:
        load_policy(path)
    cause = "confidence of 'food' must lie between 0 and 1, got 1.2. Give a probability."
    assert str(caught.value) == f"{path}:3: {cause} [HU101]"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPolicy, match=r"nowhere\.yaml: there is no such file\. Check the path\. \[HU101\]"):
        load_policy(tmp_path / "nowhere.yaml")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPolicy, match="this is a directory"):
        load_policy(tmp_path)


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(BadPolicy, match="this file may not be read"):
        load_policy(tmp_path / "policy.yaml")


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000, "policy.yaml/inside"])
def test_a_path_that_cannot_be_one_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "policy.yaml").touch()
    with pytest.raises(BadPolicy, match="this file cannot be read"):
        load_policy(tmp_path / name)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.touch()
    with pytest.raises(BadPolicy, match="there is nothing to read"):
        load_policy(path)


@pytest.mark.parametrize(
    "data", [b"# \0\n", b"# \xff\n", FOOD.encode("utf-16")[2:], b"\x7fELF\0"], ids=["NUL", "Latin-1", "UTF-16", "ELF"]
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(b"\n\n" + data)
    with pytest.raises(BadPolicy, match=r"policy\.yaml:3: this is no UTF-8 text"):
        load_policy(path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(BadPolicy, match=r"policy\.yaml: a file of more than 4194304 bytes is not read"):
        load_policy(path)
