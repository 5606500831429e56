"""The architecture: which room may know which, what the pure rooms do without, and how large files get."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).parents[1] / "src" / "handup"
MAY_KNOW: dict[str, set[str]] = {
    "core": set(),
    "confidence": {"core"},
    "policy": {"core"},
    "what": {"core", "policy"},
    "when": {"core", "policy", "what"},
    "people": {"core"},
    "recover": {"core", "policy", "people", "when", "journal"},
    "whom": {"core", "policy", "people", "when"},
    "memory": {"core", "journal"},
    "models": {"core", "memory"},
    "intent": {"core", "policy", "people"},
    "journal": {"core"},
    "desk": {"core", "people", "whom", "journal"},
    "executive": {"core", "policy", "what", "when", "people", "recover", "desk", "journal"},
    "domains": {
        *("core", "confidence", "policy", "people", "recover", "when", "what", "memory", "intent", "desk", "journal"),
        *("executive", "models"),
    },
    "lab": {
        *("confidence", "core", "policy", "people", "what", "when", "recover", "memory", "journal", "desk", "domains"),
        *("intent", "executive", "whom", ""),
    },
    "adapters": {"core", "people", "desk", "journal"},
    "server": {"core", "people", "whom", "journal", "desk"},
    "client": {"core", "desk", "journal"},
    "cli": {
        *("confidence", "core", "policy", "people", "what", "when", "recover", "lab", "journal", "desk", "whom"),
        *("memory", "domains", "intent", "executive", "models", "server", "client", "adapters", ""),
    },
    "": {"confidence", "core", "policy", "when", "recover", "cli", "journal", "desk", "client"},
}
"""For each room the others it may import; "" is the package's front door. Nothing imports an edge but another edge."""
PURE = ("core", "confidence", "policy", "people", "what", "when", "recover", "whom", "memory", "intent")
PURE_PARTS = ("executive/language/", "executive/machine/")
"""Of rooms that are edges otherwise."""
WORLD = {
    "asyncio",
    "calendar",
    "datetime",
    "glob",
    "http",
    "io",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "pickle",
    "random",
    "rich",
    "secrets",
    "select",
    "shelve",
    "shutil",
    "signal",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "typer",
    "urllib",
    "uuid",
}
EXCEPTIONS = {
    "core/files.py": {"os", "pathlib"},  # reads and writes whole files for the rooms at the edge
    "core/moved.py": {"sys"},  # gives modules of 0.1.0 under their old names
    "core/installation.py": {"pathlib", "sys"},  # names the command that installs what is missing
    "people/limits.py": {"datetime"},  # what a given time is by the clock on a person's wall
    "people/answers.py": {"importlib.resources"},  # the fitted numbers lie beside the code
    "people/interruptibility.py": {"importlib.resources"},  # likewise
    "intent/push_models.py": {"importlib.resources"},  # likewise
    "policy/policy_file.py": {"pathlib"},  # reads a policy file for programs at the edge
    "what/mip.py": {"os", "sys"},  # a solver prints past Python onto standard output and must be kept quiet
}
MOST_LINES = 600

FILES = sorted(SRC.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(path: Path) -> str:
    parts = path.relative_to(SRC).parts
    return parts[0] if len(parts) > 1 else ""


PURE_FILES = [
    path for path in FILES if room_of(path) in PURE or path.relative_to(SRC).as_posix().startswith(PURE_PARTS)
]


def imported(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            yield node.module
            if node.module == "handup":
                yield from (f"handup.{alias.name}" for alias in node.names if (SRC / alias.name).is_dir())


def called(path: Path) -> Iterator[str]:
    """Dotted names of what a file calls."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def named(path: Path, what: object) -> str:
    return f"{path.relative_to(SRC).as_posix()}: {what}"


def test_a_room_imports_only_rooms_that_it_may_know() -> None:
    strangers = []
    for path in FILES:
        for name in imported(path):
            parts = name.split(".")
            other = parts[1] if len(parts) > 1 and (SRC / parts[1]).is_dir() else ""
            if parts[0] == "handup" and other != room_of(path) and other not in MAY_KNOW[room_of(path)]:
                strangers.append(named(path, name))
    assert strangers == []


def test_the_core_imports_nothing_else_of_handup() -> None:
    others = {name for path in FILES if room_of(path) == "core" for name in imported(path) if "handup" in name}
    assert all(name.startswith("handup.core") for name in others)


def test_the_pure_rooms_do_without_the_world() -> None:
    worldly = [
        named(path, name)
        for path in PURE_FILES
        for name in imported(path)
        if name.split(".")[0] in WORLD - EXCEPTIONS.get(path.relative_to(SRC).as_posix(), set())
    ]
    assert worldly == []


def test_the_pure_rooms_open_nothing_and_read_no_clock() -> None:
    forbidden = {"open", "input", "exec", "eval", "breakpoint", "__import__"}
    endings = (".open", ".read_text", ".read_bytes", ".write_text", ".now", ".today", ".utcnow", ".perf_counter")
    found = [
        named(path, name)
        for path in PURE_FILES
        if path.relative_to(SRC).as_posix() not in EXCEPTIONS
        for name in called(path)
        if name in forbidden or name.endswith(endings)
    ]
    assert found == []


def test_the_pure_rooms_draw_only_from_generators_with_a_seed() -> None:
    found = []
    for path in PURE_FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("np.random.", "numpy.random.")):
                of_seed = ast.unparse(node.func) == "np.random.default_rng" and node.args
                if not of_seed and not ast.unparse(node.func).startswith("np.random.default_rng("):
                    found.append(named(path, node.lineno))
    assert found == []


def test_nothing_is_printed_but_by_the_consoles_of_the_command_line() -> None:
    assert [named(path, "print") for path in FILES if "print" in set(called(path))] == []


def test_every_file_says_what_it_is_for() -> None:
    assert [named(path, "no docstring") for path in FILES if not ast.get_docstring(tree_of(path))] == []


def test_no_file_grows_out_of_hand() -> None:
    lines = {named(path, "lines"): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: count for name, count in lines.items() if count >= MOST_LINES} == {}


def test_no_error_is_swallowed_whole() -> None:
    found = [
        named(path, node.lineno)
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
    ]
    assert found == []


def test_every_room_has_its_rule() -> None:
    assert {room_of(path) for path in FILES} == set(MAY_KNOW)


def test_the_exceptions_are_still_needed() -> None:
    for name, allowed in EXCEPTIONS.items():
        assert allowed <= set(imported(SRC / name)), f"{name} may join the rule again"


def test_every_error_of_the_package_has_the_one_base_and_a_code_of_its_own_or_that_of_its_kind() -> None:
    from handup.core import HandupError, errors

    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    own = [each for each in kinds if issubclass(each, HandupError)]
    assert own == kinds
    roots = [each for each in own if HandupError in (each, *each.__bases__)]
    assert len({each.code for each in roots}) == len(roots)
    assert not [each for each in own if each not in roots and "code" in vars(each)]


def test_the_package_is_typed_for_others() -> None:
    assert (SRC / "py.typed").exists()


def test_no_test_judges_by_the_clock_but_for_promised_deadlines() -> None:
    """A difference of two looks at the clock is compared with a name of `tests.deadlines`, or is not compared."""
    tests = Path(__file__).parent
    for path in sorted(tests.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        promised = {
            name.asname or name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "tests.deadlines"
            for name in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and _is_a_time(node.left):
                known = {name.id for side in node.comparators for name in ast.walk(side) if isinstance(name, ast.Name)}
                assert known & promised, f"{path.relative_to(tests)}:{node.lineno}: take the limit from tests.deadlines"


def _is_a_time(node: ast.expr) -> bool:
    """Return whether an expression is a clock's time less another."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and any(
            isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in {"monotonic", "perf_counter"}
            for call in ast.walk(node)
        )
    )


# How the four rules below count. Docstrings: of modules, classes and functions under src/handup; the first word,
# without punctuation. Names: every name bound by `for` and by comprehensions. Classes: those whose name has no leading
# underscore. File names: of modules; the number of rooms with one of that name.
RIDDLES = {"What", "Whether", "Who", "Where", "When", "So"}
FILLERS = {"each", "one", "other", "some"}
SHARED_NAMES = {"__init__", "base", "check", "errors", "events"}


def test_docstrings_name_the_thing_or_say_what_it_does() -> None:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for path in FILES for node in ast.walk(tree_of(path)) if isinstance(node, kinds)]
    first = [text.split()[0].strip(".,:;?") for node in nodes if (text := ast.get_docstring(node))]
    riddles = sum(word in RIDDLES for word in first)
    assert riddles <= 0.03 * len(first), f"{riddles} of {len(first)}"


def test_loops_run_over_words_of_the_domain() -> None:
    loops = (ast.For, ast.AsyncFor, ast.comprehension)
    targets = [node.target for path in FILES for node in ast.walk(tree_of(path)) if isinstance(node, loops)]
    bound = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    fillers = sum(name in FILLERS for name in bound)
    assert fillers <= 0.02 * len(bound), f"{fillers} of {len(bound)}"


def test_no_two_public_classes_have_one_name() -> None:
    nodes = [(node, path) for path in FILES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    places: dict[str, list[str]] = {}
    for node, path in nodes:
        if not node.name.startswith("_"):
            places.setdefault(node.name, []).append(path.relative_to(SRC).as_posix())
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_a_file_can_be_told_by_its_name() -> None:
    rooms: dict[str, set[str]] = {}
    for path in FILES:
        rooms.setdefault(path.stem, set()).add(room_of(path))
    assert {name: found for name, found in rooms.items() if len(found) > 2 and name not in SHARED_NAMES} == {}
