"""Merge the layers of a configuration into one file and report what is in force."""

import argparse
import configparser
import csv
import json
import re
import sys
import tomllib
from datetime import date, time
from pathlib import Path

TITLE = "Layered Configuration Upgrade Report"
REFERENCE = re.compile(r"\$\{([^}]*)\}")
HIDDEN = "***"
ABSENT = object()


def get(tree, path):
    for key in path.split("."):
        if not isinstance(tree, dict) or key not in tree:
            return ABSENT
        tree = tree[key]
    return tree


def put(tree, path, value):
    *parents, last = path.split(".")
    for key in parents:
        tree = tree.setdefault(key, {})
    tree[last] = value


def take(tree, path):
    """Remove the value at `path` and every object that becomes empty by that."""
    key, _, rest = path.partition(".")
    if not rest:
        return tree.pop(key)
    value = take(tree[key], rest)
    if not tree[key]:
        del tree[key]
    return value


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def ini_value(text):
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except ValueError:
        return text


def read_ini(path):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(path, encoding="utf-8")
    layer = {}
    for section in parser.sections():
        for name, text in parser.items(section):
            put(layer, f"{section}.{name}", ini_value(text))
    return layer


def json_value(value):
    if isinstance(value, dict):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value


def read_layers(folder):
    return [
        read_ini(folder / "defaults.ini"),
        json_value(tomllib.loads((folder / "site.toml").read_text("utf-8"))),
        json.loads((folder / "user.json").read_text("utf-8")),
        json.loads((folder / "runtime.json").read_text("utf-8")),
    ]


def read_migrations(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [(row["old_key"], row["new_key"]) for row in csv.DictReader(file)]


def migrate(layer, migrations):
    for old, new in migrations:
        if get(layer, old) is ABSENT:
            continue
        value = take(layer, old)
        if get(layer, new) is ABSENT:
            put(layer, new, value)


def merge(below, layer):
    merged = dict(below)
    for key, value in layer.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            there = merged.get(key)
            merged[key] = merge(there if isinstance(there, dict) else {}, value)
        else:
            merged[key] = value
    return merged


def all_paths(tree, prefix=""):
    for key, value in tree.items():
        yield prefix + key
        if isinstance(value, dict):
            yield from all_paths(value, f"{prefix}{key}.")


def settings(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from settings(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def references(value):
    if isinstance(value, str):
        return REFERENCE.findall(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [reference for item in value for reference in references(item)]
    return []


def find_errors(config):
    errors = set()
    links = {}
    for path, value in settings(config):
        for reference in references(value):
            target = get(config, reference)
            if target is ABSENT:
                errors.add(f"ERROR missing reference: {path} -> {reference}")
            elif isinstance(target, (dict, list)):
                errors.add(f"ERROR not a scalar: {path} -> {reference}")
            else:
                links.setdefault(path, []).append(reference)
    for start in links:
        errors.update(f"ERROR cycle: {' -> '.join(cycle)}" for cycle in cycles_from(start, links))
    return sorted(errors)


def cycles_from(start, links):
    """Cycles whose first path in string order is `start`."""
    trails = [[start]]
    while trails:
        trail = trails.pop()
        for path in links.get(trail[-1], []):
            if path == start:
                yield [*trail, start]
            elif path > start and path not in trail:
                trails.append([*trail, path])


def is_secret(path):
    return any(key.endswith("_secret") for key in path.split("."))


def substitute(value, config, hide):
    """`value` with its references replaced; with `hide` also without secrets."""
    if isinstance(value, str):
        return REFERENCE.sub(lambda match: referenced_text(match[1], config, hide), value)
    if isinstance(value, list):
        return [substitute(item, config, hide) for item in value]
    if isinstance(value, dict):
        return {
            key: HIDDEN if hide and is_secret(key) else substitute(item, config, hide)
            for key, item in value.items()
        }
    return value


def referenced_text(path, config, hide):
    if hide and is_secret(path):
        return HIDDEN
    return str(substitute(get(config, path), config, hide))


def report_value(path, value, config):
    if is_secret(path):
        return HIDDEN
    shown = substitute(value, config, hide=True)
    return json.dumps(shown, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def report_lines(config, known):
    ordered = sorted(settings(config))
    effective = [f"{path} = {report_value(path, value, config)}" for path, value in ordered]
    unknown = [f"WARNING unknown key: {path}" for path, _ in ordered if path not in known]
    return [TITLE, "[effective]", *effective, "[unknown]", *unknown]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True)
    args = parser.parse_args()
    migrations = read_migrations(args.inputs / "key_migrations.csv")
    layers = read_layers(args.inputs)
    for layer in layers:
        migrate(layer, migrations)
    known = {*all_paths(layers[0]), *(new for _, new in migrations)}
    merged = {}
    for layer in layers:
        merged = merge(merged, layer)
    errors = find_errors(merged)
    if errors:
        print("\n".join(errors), file=sys.stderr)
        sys.exit(2)
    config = substitute(merged, merged, hide=False)
    write(args.output, json.dumps(config, ensure_ascii=False, sort_keys=True, indent=2) + "\n")
    write(args.report, "\n".join(report_lines(merged, known)) + "\n")


if __name__ == "__main__":
    main()
