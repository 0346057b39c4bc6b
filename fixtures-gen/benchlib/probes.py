"""What tells level 1 from 0 when a candidate's main command fails: whether there is anything that runs."""

from collections.abc import Callable

from benchlib.candidate import Fixture

PROBE_SECONDS = 30.0

_IMPORT_PROBE = """
import importlib, importlib.util, sys
name = sys.argv.pop(1)
sys.path.insert(0, "")
spec = importlib.util.find_spec(name)
if spec is not None and spec.submodule_search_locations is not None:
    name += ".__main__"
    spec = importlib.util.find_spec(name)
if spec is None or spec.loader is None:
    sys.exit(f"no module {name}")
spec.loader.get_code(name)
try:
    importlib.import_module(name)
except SystemExit:
    pass
"""


def imports(module: str) -> Callable[[Fixture], None]:
    """A probe for level 1: `module`, or a package of this name with a `__main__`, compiles and imports in the
    jail.
    """

    def probe(fixture: Fixture) -> None:
        fixture.workspace().python("-c", _IMPORT_PROBE, module, seconds=PROBE_SECONDS)

    return probe


def serves(*command: str, cwd: str = ".", seconds: float = PROBE_SECONDS) -> Callable[[Fixture], None]:
    """A probe for level 1: the server prints its LISTENING line in a workspace with all stages."""

    def probe(fixture: Fixture) -> None:
        with fixture.workspace().serve(*command, cwd=cwd, seconds=seconds):
            pass

    return probe
