"""Judges task 14: layers are migrated, merged, substituted; the report hides secrets, names unknown keys."""

import csv
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Unreadable

FILES = ["defaults.ini", "site.toml", "user.json", "runtime.json", "key_migrations.csv"]
CONFIG, REPORT = "output/config.json", "output/report.txt"
TITLE, EFFECTIVE, UNKNOWN = "Layered Configuration Upgrade Report", "[effective]", "[unknown]"
MOSTLY = 0.6

ANCHORS = {
    'app.literal = "${app.name}"',
    'database.options.primary = "postgres://analyst:***@user.bind/primary"',
    'mail.gateway = "smtp-of-user"',
    'notify = ["hook?key=***",{"Hook":"***","hook_secret":"***"}]',
    "gone.for = {}",
}
DESK = "name = Elm\ndesk = ${branch.office.name} 3\nseats = 12\nopen = true\n"
OTHER = [f"[branch.office]\n{DESK}[branch.annex]\n{DESK}", "trial = true\n", "{}", "{}", "old_key,new_key\n"]
RENAMED = 'old_key,new_key\n"branch.desk, old","branch.desk, new"\n'
ALL_KNOWN = [OTHER[0] + "[branch]\ndesk, old = 3\n", "", *OTHER[2:4], RENAMED]
BROKEN = [
    """[app]
name = Atlas
title = ${app.nmae} and ${app.name} and ${app.nmae}, ${network}
greeting = ${app.title}
tags = ["${app.part}", [{"all": "${app.tags}"}]]
odd = ${app.tags.0} ${app.name.length} ${app.none} ${app.nil}
none = {}
nil = []
edition = basic
gone = ${app.edition} ${server.port} ${network.port}
mended = ${nowhere}
""",
    "server.port = 80\n",
    '{"app": {"mended": "${app.name}"}, "Zone": "${away}"}',
    '{"app": {"edition": null}}',
    "old_key,new_key\nserver.port,network.port\n",
]
BROKEN_LINES = """ERROR missing reference: Zone -> away
ERROR missing reference: app.gone -> app.edition
ERROR missing reference: app.gone -> server.port
ERROR missing reference: app.odd -> app.name.length
ERROR missing reference: app.odd -> app.tags.0
ERROR missing reference: app.tags -> app.part
ERROR missing reference: app.title -> app.nmae
ERROR not a scalar: app.odd -> app.nil
ERROR not a scalar: app.odd -> app.none
ERROR not a scalar: app.tags -> app.tags
ERROR not a scalar: app.title -> network"""
EDGE_LINES = """ERROR cycle: app.again -> app.again
ERROR cycle: cycle.first -> cycle.second -> cycle.first
ERROR cycle: ring.a -> ring.c -> ring.b -> ring.a
ERROR missing reference: app.note -> app.nmae
ERROR missing reference: ring.b -> ring.none"""

type Tree = dict[str, Any]


@dataclass
class Upgrade:
    """Both outputs, as expected or as found; the report as the lines of its two parts."""

    config: Tree
    effective: list[str]
    unknown: list[str]


@dataclass
class Found:
    """What the run on the fixture wrote, and its workspace for further runs."""

    own: Upgrade
    workspace: Workspace

    @property
    def is_main(self) -> bool:
        """Whether further runs are made: in the twin they would tell nothing new."""
        return self.workspace.fixture.name == "main"


# What is expected.


def expect(fixture: Fixture) -> Upgrade:
    """Calculate both outputs from the pristine inputs."""
    found = calculate([fixture.text(f"inputs/{name}") for name in FILES])
    if missed := ANCHORS - set(found.effective):
        raise judging.JudgeError(f"the calculation misses the anchors {sorted(missed)}")
    return found


def calculate(texts: list[str]) -> Upgrade:
    """Both outputs for the contents of the five input files."""
    defaults, site, user, runtime, renamed = texts
    toml = json.loads(json.dumps(tomllib.loads(site), default=lambda date: date.isoformat()))
    layers = [ini(defaults), toml, json.loads(user), json.loads(runtime)]
    moves = [(old.split("."), new.split(".")) for old, new in csv.reader(renamed.splitlines()[1:])]
    for layer, (old, new) in product(layers, moves):
        move(layer, old, new)
    known = {path for path, _ in nodes(layers[0])} | {".".join(new) for _, new in moves}
    merged: Tree = {}
    for layer in layers:
        lay_over(merged, layer)
    values = dict(nodes(merged))
    report = {
        path: "***" if secret(path) else json_line(filled(value, values, hide=True))
        for path, value in sorted(settings(merged).items())
    }
    effective = [f"{path} = {text}" for path, text in report.items()]
    unknown = [f"WARNING unknown key: {path}" for path in report if path not in known]
    return Upgrade(json.loads(json_line(filled(merged, values, hide=False))), effective, unknown)


def ini(text: str) -> Tree:
    layer: Tree = {}
    section = layer
    for line in text.split("\n"):
        if line.startswith("["):
            section = layer
            for key in line[1:-1].split("."):
                section = section.setdefault(key, {})
        elif line and line[0] not in "#;":
            name, _, value = line.partition("=")
            section[name.strip()] = json_or_text(value.strip())
    return layer


def json_or_text(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=no_json)
    except ValueError:
        return text


def no_json(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def move(layer: Tree, old: list[str], new: list[str]) -> None:
    way = [layer]
    for key in old[:-1]:
        way.append(way[-1].get(key, {}))
        if not isinstance(way[-1], dict):
            return
    if old[-1] not in way[-1]:
        return
    value = way[-1].pop(old[-1])
    for outer, key, inner in reversed(list(zip(way, old, way[1:], strict=False))):
        if not inner:
            del outer[key]
    for key in new[:-1]:
        layer = layer.setdefault(key, {})
    layer.setdefault(new[-1], value)


def lay_over(below: Tree, layer: Tree) -> None:
    for key, value in layer.items():
        if value is None:
            below.pop(key, None)
        elif not isinstance(value, dict):
            below[key] = value
        else:
            if not isinstance(below.get(key), dict):
                below[key] = {}
            lay_over(below[key], value)


def nodes(tree: Tree, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with its path, objects too."""
    for key, value in tree.items():
        yield prefix + key, value
        if isinstance(value, dict):
            yield from nodes(value, f"{prefix}{key}.")


def settings(tree: Tree) -> Tree:
    return {path: value for path, value in nodes(tree) if not isinstance(value, dict) or not value}


def filled(value: Any, values: Tree, *, hide: bool) -> Any:
    """The value with its references replaced; with `hide` as the report may show it."""
    if isinstance(value, dict):
        return {
            key: "***" if hide and secret(key) else filled(item, values, hide=hide)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [filled(item, values, hide=hide) for item in value]

    def referenced(found: re.Match[str]) -> str:
        return "***" if hide and secret(found[1]) else str(filled(values[found[1]], values, hide=hide))

    return re.sub(r"\$\{(.*?)\}", referenced, value) if isinstance(value, str) else value


def secret(path: str) -> bool:
    return "_secret." in f"{path}."


def json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


# What is run.


def command(folder: str, config: str = CONFIG, report: str = REPORT) -> list[str]:
    return ["-m", "solution.config_upgrade", folder, "--output", config, "--report", report]


def run(workspace: Workspace, folder: str, config: str = CONFIG, report: str = REPORT) -> Upgrade:
    """Run the command and read both outputs."""
    workspace.python(*command(folder, config, report))
    document = workspace.outputs.json(config)
    lines = workspace.outputs.text(report).removesuffix("\n").split("\n")
    if not isinstance(document, dict):
        raise Unreadable(f"{config}: expected an object")
    if lines[:2] != [TITLE, EFFECTIVE] or UNKNOWN not in lines:
        raise Unreadable(f"{report}: expected the lines {TITLE!r}, {EFFECTIVE!r} and later {UNKNOWN!r}")
    end = lines.index(UNKNOWN)
    return Upgrade(document, lines[2:end], lines[end + 1 :])


def add_folder(workspace: Workspace, name: str, texts: list[str]) -> str:
    (workspace.root / name).mkdir()
    for file, text in zip(FILES, texts, strict=True):
        (workspace.root / name / file).write_text(text, "utf-8")
    return name


def solve(fixture: Fixture) -> Found:
    """Run the command on the fixture."""
    workspace = fixture.workspace()
    return Found(run(workspace, "inputs"), workspace)


# The checks.


@judging.core
def most_settings_are_right(actual: Found, expected: Upgrade) -> None:
    """At least six settings in ten are right."""
    most_are_right(actual.own, expected)


@judging.core
def most_settings_of_another_folder_are_right(actual: Found, expected: Upgrade) -> None:
    """With other inputs, over the outputs of the first run, at least six settings in ten are right."""
    if actual.is_main:
        folder = add_folder(actual.workspace, "branch office", OTHER)
        most_are_right(run(actual.workspace, folder), calculate(OTHER))


def most_are_right(actual: Upgrade, expected: Upgrade) -> None:
    found, wanted = settings(actual.config), settings(expected.config)
    right = sum(json_line(found.get(path)) == json_line(value) for path, value in wanted.items())
    note = f"{len(found)} settings, among them {right} of the {len(wanted)} right ones"
    comparing.require(right >= MOSTLY * max(len(wanted), len(found)), note)


def configuration_is_exact(actual: Found, expected: Upgrade) -> None:
    """config.json has every setting with its value and type, and no other, its keys in order."""
    comparing.same_json("config.json", actual.own.config, expected.config, ordered_keys=True)


def effective_settings_are_reported(actual: Found, expected: Upgrade) -> None:
    """The report has a line for every setting, in order, with secrets hidden."""
    same_lines(actual.own.effective, expected.effective)


def unknown_keys_are_reported(actual: Found, expected: Upgrade) -> None:
    """The report warns of every unknown key, in order, and of nothing else."""
    same_lines(actual.own.unknown, expected.unknown)


def same_lines(actual: list[str], expected: list[str]) -> None:
    found, wanted = ([{"line": line} for line in lines] for lines in (actual, expected))
    comparing.same_rows("lines", found, wanted, key=["line"])


def lines_end_as_stated(actual: Found, expected: Upgrade) -> None:
    """Both outputs use LF and end with a newline."""
    comparing.lines_end_with_lf(actual.workspace.outputs.slips)


def folders_are_made(actual: Found, expected: Upgrade) -> None:
    """Missing parent folders of both outputs are made; a quoted key is renamed, and no key is unknown."""
    if actual.is_main:
        folder = add_folder(actual.workspace, "all-known", ALL_KNOWN)
        found = run(actual.workspace, folder, "output/a/b/config.json", "output/c/d/report.txt")
        comparing.same_json("outputs in new folders", asdict(found), asdict(calculate(ALL_KNOWN)))


def broken_references_are_refused(actual: Found, expected: Upgrade) -> None:
    """Each reference to nothing, an object or a list has its line; the exit status is 2, the outputs stay."""
    if actual.is_main:
        outputs, folder = actual.workspace.outputs, add_folder(actual.workspace, "broken", BROKEN)
        before = [outputs.content(path) for path in (CONFIG, REPORT)]
        is_refused(actual.workspace, folder, BROKEN_LINES)
        after = [outputs.content(path) for path in (CONFIG, REPORT)]
        comparing.require(after == before, "an output of the run before has been changed")


def is_refused(workspace: Workspace, folder: str, errors: str) -> None:
    """The command exits with status 2 and these errors, and leaves the names in output/ as they are."""
    names = workspace.outputs.names("output")
    done = workspace.python(*command(folder), check=False)
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.startswith("ERROR")]
    comparing.same("the exit status", done.exit, 2)
    same_lines(lines, errors.split("\n"))
    comparing.same("the names in output/", workspace.outputs.names("output"), names)


def edge(fixture: Fixture) -> None:
    """Every cycle is named in one line beside other errors; the exit status is 2 and nothing is written."""
    is_refused(fixture.workspace(), "inputs", EDGE_LINES)


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["solution/"],
        probe=judging.imports("solution.config_upgrade"),
        expect=expect,
        solve=solve,
        checks=[
            most_settings_are_right,
            most_settings_of_another_folder_are_right,
            configuration_is_exact,
            effective_settings_are_reported,
            unknown_keys_are_reported,
            lines_end_as_stated,
            folders_are_made,
            broken_references_are_refused,
        ],
        edge=edge,
    )
