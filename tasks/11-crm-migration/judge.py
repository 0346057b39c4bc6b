"""Judges task 11: databases after the migration, after another one, an import, and the same import again."""

import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import comparing, judging
from benchlib.candidate import Fixture, Workspace
from benchlib.readers import Json
from contacts import (
    CONTACTS,
    DATABASE,
    METHODS,
    TABLES,
    Contact,
    Row,
    as_rows,
    import_rows,
    migrated_book,
    rows_of,
)

SECONDS = 60.0
MOSTLY = 0.75
CSV = "inputs/new_contacts.csv"
REPORTS = ("output/import_report.json", "output/again/report.json")
SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'"
METHOD_KEY = ["contact_id", "kind", "normalized_value"]

MIGRATED = {
    1: ("Alice Moran", "Met at Expo\nAsked for a brochure"),
    3: ("Bob Stone", "Prefers mornings\nvip"),
    7: ("Nora Unreachable", ""),
    9: ("Gina Long", "Call back\nVIP\nCall\nvip"),
    23: ("Zoë First", "Line one\nLine two\nLine three\u2028still three\x0band\rso on"),
    37: ("Aaron Early", "zz\naa"),
}
IMPORTED = {
    5: ("David R.", "Phone only\nCalled"),
    6: ("Erin Park", "Asked for a quote\nAsked"),
    9: ("Gina Long", "Call back\nVIP\nCall\nvip\ncall back\nLong\u2028term,\rlong"),
    18: ("Night Shift", "first\nthird"),
    33: ("Front Gate", "No email, phone of Alice\nNot Alice"),
}
NEW_FORM = """
    DROP TABLE contacts;
    CREATE TABLE contacts (id INTEGER PRIMARY KEY, display_name TEXT, notes TEXT);
    CREATE TABLE contact_methods (
        contact_id INTEGER, kind TEXT, value TEXT, normalized_value TEXT, is_primary INTEGER
    );
    PRAGMA user_version = """
DAMAGED = {
    "version-0": "PRAGMA user_version = 0",
    "version-3": "PRAGMA user_version = 3",
    "blank": "UPDATE contacts SET name = char(32, 160) WHERE id = (SELECT max(id) FROM contacts)",
}
NOT_FOR_IMPORT = {"old": "", "new-0": NEW_FORM + "0", "new-3": NEW_FORM + "3"}
MOVED_BY = 1_000_000
MALFORMED = {
    "short.csv": "display_name,email,phone,notes\nFirst,first@example.com,,\nShort,short@example.com,1\n",
    "long.csv": "display_name,email,phone,notes\nFirst,first@example.com,,\nLong,long@example.com,,,\n",
    "header.csv": "name,email,phone,notes\nFirst,first@example.com,,\n",
    "case.csv": "Display_Name, email,phone,notes\nFirst,first@example.com,,\n",
    "order.csv": "display_name,phone,email,notes\nFirst,,first@example.com,\n",
    "empty.csv": "",
}
EARLIER_REPORT = "an earlier report\n"


@dataclass
class State:
    """Everything a database holds."""

    version: object
    schema: list[tuple[object, ...]]
    tables: dict[str, list[str]]
    rows: dict[str, list[Row]]


@dataclass
class Import:
    """What one import left."""

    state: State
    report: Json
    slips: list[str]


@dataclass
class Work:
    """The states of one database, command after command; an import that went wrong is kept as its reason."""

    workspace: Workspace
    refused: dict[str, State]
    """Databases laid beside it, as they were before; most must be refused."""
    migrated: State
    migrated_again: State
    imports: list[Import | Exception]
    id_columns: list[tuple[object, ...]]

    def imported(self, index: int) -> Import:
        return judging.made(self.imports[index])


@dataclass
class Expected:
    """Contacts and methods after the migration and after one import or more, and the two reports."""

    migrated: dict[str, list[Row]]
    imported: dict[str, list[Row]]
    reports: list[dict[str, list[int]]]
    into_empty: tuple[dict[str, list[Row]], dict[str, list[int]]]
    """Rows and report of an import into a database without contacts."""
    moved_ids: list[int]
    """Contacts that stay in the small database with all its ids moved."""


def expect(fixture: Fixture) -> Expected:
    """Calculate every state from the pristine inputs; importing twice must change nothing."""
    book = migrated_book(fixture)
    migrated = rows_of(book)
    rows = fixture.csv(CSV)
    reports = [import_rows(book, rows)]
    imported = rows_of(book)
    reports.append(import_rows(book, rows))
    if rows_of(book) != imported or reports[1]["inserted_ids"]:
        raise judging.JudgeError("the calculation is not the same after a second import")
    for rows_there, anchors in ((migrated, MIGRATED), (imported, IMPORTED)):
        there = {row["id"]: (row["display_name"], row["notes"]) for row in rows_there[CONTACTS]}
        if wrong := [contact_id for contact_id, anchor in anchors.items() if there.get(contact_id) != anchor]:
            raise judging.JudgeError(f"the calculation misses the anchors {wrong}")
    started: dict[int, Contact] = {}
    report = import_rows(started, rows)
    moved_ids = [contact_id + MOVED_BY for contact_id in migrated_book(fixture.small())]
    return Expected(migrated, imported, reports, (rows_of(started), report), moved_ids)


def solve(fixture: Fixture) -> Work:
    """Over one workspace: migrate, migrate again, import when the list has come, and import again."""
    workspace = fixture.workspace(upto="initial")
    refused = place_other_inputs(workspace)
    workspace.python("-m", "crm.migrate", DATABASE, seconds=SECONDS)
    migrated = read(workspace, DATABASE)
    for table, columns in TABLES.items():
        comparing.same(f"columns of {table}", migrated.tables.get(table), columns)
    with workspace.outputs.sqlite(DATABASE) as database:
        id_columns = database.rows("SELECT name, upper(type) FROM pragma_table_info('contacts') WHERE pk > 0")
    again = workspace.python("-m", "crm.migrate", DATABASE, seconds=SECONDS, check=False)
    migrated_again = read(workspace, DATABASE)
    if not again.succeeded:
        migrated_again.version = again.says()
    workspace.add_stage("import-contacts")
    imports = [judging.tried(partial(import_contacts, workspace, report)) for report in REPORTS]
    return Work(workspace, refused, migrated, migrated_again, imports, id_columns)


def place_other_inputs(workspace: Workspace) -> dict[str, State]:
    """Lay them before anything of the candidate has run there; what the databases hold."""
    folder, states = workspace.root / "workspace", {}
    for name, change in {**DAMAGED, **NOT_FOR_IMPORT, "empty": "DELETE FROM contacts"}.items():
        shutil.copy(folder / "crm.db", folder / f"{name}.db")
        alter(folder / f"{name}.db", change)
        states[name] = read(workspace, f"workspace/{name}.db")
    for name, text in {**MALFORMED, "report.json": EARLIER_REPORT}.items():
        (folder / name).write_text(text, "utf-8")
    (workspace.root / REPORTS[0]).write_text(EARLIER_REPORT, "utf-8")
    return states


def alter(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)


def import_contacts(workspace: Workspace, report: str, database: str = DATABASE) -> Import:
    workspace.python("-m", "crm.import_contacts", database, CSV, report, seconds=SECONDS)
    workspace.outputs.slips.clear()
    written = workspace.outputs.json(report)
    return Import(read(workspace, database), written, list(workspace.outputs.slips))


def read(workspace: Workspace, path: str) -> State:
    """All that a database holds, in an order that does not depend on how it was written."""
    with workspace.outputs.sqlite(path) as database:
        tables = database.tables()
        rows: dict[str, list[Row]] = {}
        for table, columns in tables.items():
            quoted = table.replace('"', '""')
            rows[table] = as_rows(columns, database.rows(f'SELECT * FROM "{quoted}"'))
        schema = sorted(database.rows(SCHEMA), key=repr)
        return State(database.rows("PRAGMA user_version")[0][0], schema, tables, rows)


def mostly(what: str, actual: list[str], expected: list[str]) -> None:
    """Three in four are there, and few that should not be."""
    right, most = len(set(actual) & set(expected)), max(len(actual), len(expected))
    note = f"{right} of {len(actual)} {what} are right, {len(expected)} were expected"
    comparing.require(right >= MOSTLY * most, note)


def same_table(table: str, state: State, expected: dict[str, list[Row]]) -> None:
    """The same values of the same types."""
    key, rows = ["id"] if table == CONTACTS else METHOD_KEY, state.rows.get(table, [])
    comparing.same_rows(table, rows, expected[table], key=key)
    comparing.same(f"types in {table}", types(rows), types(expected[table]))


def types(rows: list[Row]) -> set[tuple[str, ...]]:
    return {tuple(type(value).__name__ for value in row.values()) for row in rows}


@judging.core
def most_duplicates_are_merged(actual: Work, expected: Expected) -> None:
    """After the migration at least three in four contacts are those that stay."""
    found, wanted = (
        [repr(row["id"]) for row in rows[CONTACTS]] for rows in (actual.migrated.rows, expected.migrated)
    )
    mostly("contacts", found, wanted)


@judging.core
def most_methods_are_migrated(actual: Work, expected: Expected) -> None:
    """At least three in four contact methods are there in their normal form, a leading + aside."""
    found, wanted = (
        [
            f"{row['contact_id']} {row['kind']} {row['normalized_value']}".replace(" +", " ")
            for row in rows[METHODS]
        ]
        for rows in (actual.migrated.rows, expected.migrated)
    )
    mostly("contact methods", found, wanted)


@judging.core
def another_database_is_migrated(actual: Work, expected: Expected) -> None:
    """In another database, too, at least three in four contacts are those that stay."""
    workspace = actual.workspace.fixture.small().workspace(upto="initial")
    alter(workspace.root / DATABASE, f"UPDATE contacts SET id = id + {MOVED_BY}")
    workspace.python("-m", "crm.migrate", DATABASE, seconds=SECONDS)
    found = [repr(row.get("id")) for row in read(workspace, DATABASE).rows.get(CONTACTS, [])]
    mostly("contacts", found, [repr(contact_id) for contact_id in expected.moved_ids])


def schema_is_version_2(actual: Work, expected: Expected) -> None:
    """The version is 2, with just the two tables in the form that is asked for."""
    comparing.same("user_version", actual.migrated.version, 2)
    comparing.same("the tables", actual.migrated.tables, TABLES)
    comparing.same("the primary key of contacts", actual.id_columns, [("id", "INTEGER")])


def contacts_are_merged(actual: Work, expected: Expected) -> None:
    """After the migration every contact has its id, name and notes, and duplicates are merged."""
    same_table(CONTACTS, actual.migrated, expected.migrated)


def methods_are_exact(actual: Work, expected: Expected) -> None:
    """After the migration every email and phone is there once with its normal form, the first primary."""
    same_table(METHODS, actual.migrated, expected.migrated)


def second_migration_changes_nothing(actual: Work, expected: Expected) -> None:
    """A second migration succeeds and leaves version, schema and rows as they are."""
    comparing.same("user_version after it", actual.migrated_again.version, 2)
    comparing.require(actual.migrated_again == actual.migrated, "it changed the schema or the rows")


def contacts_are_imported(actual: Work, expected: Expected) -> None:
    """After the import every contact is right, new and updated ones too, and the form is as before."""
    state = actual.imported(0).state
    same_table(CONTACTS, state, expected.imported)
    comparing.same("version and tables", (state.version, state.tables), (2, TABLES))


def methods_are_imported(actual: Work, expected: Expected) -> None:
    """After the import new emails and phones are there, and those that were there are as before."""
    same_table(METHODS, actual.imported(0).state, expected.imported)


def report_is_exact(actual: Work, expected: Expected) -> None:
    """The report lists inserted ids, updated ids and skipped rows, in the order of the rows."""
    comparing.same_json("the report", actual.imported(0).report, expected.reports[0])
    comparing.lines_end_with_lf(actual.imported(0).slips)


def second_import_changes_nothing(actual: Work, expected: Expected) -> None:
    """After the same import again the database is as it must be after the first, and nothing was inserted."""
    again = actual.imported(1)
    comparing.same_json("the second report", again.report, expected.reports[1])
    for table in TABLES:
        same_table(table, again.state, expected.imported)


def empty_database_is_imported_into(actual: Work, expected: Expected) -> None:
    """A database without contacts is migrated, and the ids of an import into it begin with 1."""
    database, (rows, report) = "workspace/empty.db", expected.into_empty
    actual.workspace.python("-m", "crm.migrate", database, seconds=SECONDS)
    imported = import_contacts(actual.workspace, "output/empty.json", database)
    comparing.same_json("the report", imported.report, report)
    for table in TABLES:
        same_table(table, imported.state, rows)


def migration_refuses_as_a_whole(actual: Work, expected: Expected) -> None:
    """Another version, a blank name or a missing file end the migration without any change."""
    workspace = actual.workspace
    must_fail(workspace, [f"crm.migrate workspace/{name}.db" for name in (*DAMAGED, "missing")])
    comparing.require(not workspace.outputs.exists("workspace/missing.db"), "a missing database was created")
    for name in DAMAGED:
        same_state(workspace, f"workspace/{name}.db", actual.refused[name])


def import_refuses_as_a_whole(actual: Work, expected: Expected) -> None:
    """Another version, a missing file, a wrong header or one malformed row: the import changes nothing."""
    actual.imported(0)
    workspace, before = actual.workspace, read(actual.workspace, DATABASE)
    sources = [f"workspace/{name}.db {CSV}" for name in (*NOT_FOR_IMPORT, "absent")]
    sources += [f"{DATABASE} workspace/{name}" for name in (*MALFORMED, "none.csv")]
    must_fail(workspace, [f"crm.import_contacts {source} workspace/report.json" for source in sources])
    comparing.require(not workspace.outputs.exists("workspace/absent.db"), "a missing database was created")
    comparing.same("the report", workspace.outputs.text("workspace/report.json"), EARLIER_REPORT)
    for name in NOT_FOR_IMPORT:
        same_state(workspace, f"workspace/{name}.db", actual.refused[name])
    same_state(workspace, DATABASE, before)


def same_state(workspace: Workspace, path: str, before: State) -> None:
    comparing.require(read(workspace, path) == before, f"{path} was changed although the command failed")


def must_fail(workspace: Workspace, commands: list[str]) -> None:
    """Run modules one after the other; each must end with a status other than 0."""
    script = "".join(f"python3.12 -E -S -m {command} >&2; echo $?\n" for command in commands)
    run = workspace.run("/bin/sh", "-c", script, seconds=SECONDS * len(commands))
    accepted = [
        command for command, status in zip(commands, run.stdout.split(), strict=True) if status == b"0"
    ]
    comparing.require(not accepted, f"exited 0 instead of refusing: {', '.join(accepted)}")


def edge(fixture: Fixture) -> None:
    """Contacts of one email go into the lowest id, and each distinct note stands there once."""
    workspace = fixture.workspace(upto="initial")
    workspace.python("-m", "crm.migrate", DATABASE, seconds=SECONDS)
    found = [tuple(row.values()) for row in read(workspace, DATABASE).rows.get(CONTACTS, [])]
    terry, una = (4, "Terry Low", "Shared note\nFinal note"), (12, "Una", "Prefers email\nOn leave")
    comparing.same(
        "contacts", sorted(found, key=repr), sorted([terry, una, (20, "Vic", "Ring twice\nMonday")], key=repr)
    )


if __name__ == "__main__":
    judging.main(
        __file__,
        artifacts=["crm/"],
        probe=judging.imports("crm.migrate"),
        expect=expect,
        solve=solve,
        checks=[
            most_duplicates_are_merged,
            most_methods_are_migrated,
            another_database_is_migrated,
            schema_is_version_2,
            contacts_are_merged,
            methods_are_exact,
            second_migration_changes_nothing,
            contacts_are_imported,
            methods_are_imported,
            report_is_exact,
            second_import_changes_nothing,
            empty_database_is_imported_into,
            migration_refuses_as_a_whole,
            import_refuses_as_a_whole,
        ],
        edge=edge,
    )
