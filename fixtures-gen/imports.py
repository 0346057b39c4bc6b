"""Lists imports that no task may use: `imports.py TASKS_DIR TASK...` prints a JSON list of problems.

Solutions, seeds and judges run on the standard library alone (specification, section 2); seeds and judges may
also use benchlib, and any file a module that lies beside it.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path


def imported_roots(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields (line, top-level package) of every absolute import, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.partition(".")[0]


def problems_of(task: Path) -> Iterator[str]:
    """Yields one line for each import of a task's Python files that is neither standard nor local."""
    for file in sorted(task.rglob("*.py")):
        inside = file.relative_to(task)
        beside = task.glob("*.py") if file.parent == task else task.glob("*/**/*")
        local = {path.stem if path.suffix == ".py" else path.name for path in beside}
        allowed = set(sys.stdlib_module_names) | local
        if file.parent == task:
            allowed.add("benchlib")
        try:
            tree = ast.parse(file.read_bytes(), filename=str(inside))
        except SyntaxError as error:
            if inside.parts[0] not in ("visible", "stages"):
                yield f"tasks/{task.name}/{inside}:{error.lineno}: {error.msg}"
            continue
        for line, root in imported_roots(tree):
            if root not in allowed:
                yield f"tasks/{task.name}/{inside}:{line}: imports {root}, not in the standard library"


def main() -> None:
    tasks_dir, *names = sys.argv[1:]
    tasks = (Path(tasks_dir) / name for name in names)
    print(json.dumps([problem for task in tasks for problem in problems_of(task)]))


if __name__ == "__main__":
    main()
