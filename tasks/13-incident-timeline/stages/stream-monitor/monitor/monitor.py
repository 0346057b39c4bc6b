"""Watches log lines on standard input for a dropped column that the application still uses. Needs repair."""

import json
import sys

WINDOW_SECONDS = 60


def seconds_of(timestamp: str) -> int:
    hours, minutes, seconds = timestamp[11:19].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)


def main() -> None:
    dropped: dict[str, tuple[str, int]] = {}
    for line in sys.stdin:
        if line.startswith("{"):
            event = json.loads(line)
            if event.get("code") == "SCHEMA_CHANGE":
                dropped[event["column"]] = (event["release"], seconds_of(event["timestamp"]))
        elif "UNDEFINED_COLUMN" in line:
            for column, (release, changed) in dropped.items():
                late = seconds_of(line) - changed
                if column in line and late < WINDOW_SECONDS:
                    print(json.dumps({"release_id": release, "column": column, "seconds": late}), flush=True)


if __name__ == "__main__":
    main()
