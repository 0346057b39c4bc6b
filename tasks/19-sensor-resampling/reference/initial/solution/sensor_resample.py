"""Resample sensor readings to five-minute buckets; list counter resets and gaps."""

import argparse
import csv
import gzip
import io
import json
from datetime import datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

BUCKET_MINUTES = 5
GAP_SECONDS = 15 * 60
MEAN_PLACES = 6
DIGITS = 200  # more than any sum of readings has, so that nothing is rounded on the way
RESAMPLED = ["bucket_start_utc", "sensor_id", "kind", "count", "min", "max", "mean", "delta"]
RESETS = ["sensor_id", "previous_timestamp", "current_timestamp", "previous_value", "current_value"]
GAPS = ["sensor_id", "start_timestamp", "end_timestamp", "duration_seconds"]


def bucket_of(stamp):
    minute = int(stamp[14:16]) // BUCKET_MINUTES * BUCKET_MINUTES
    return f"{stamp[:14]}{minute:02}:00Z"


def to_seconds(stamp):
    return int(datetime.fromisoformat(stamp).timestamp())


def plain(number):
    if number == 0:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def mean_text(total, count):
    units = round(Fraction(total) / count * 10**MEAN_PLACES)
    return plain(Decimal(units).scaleb(-MEAN_PLACES))


def read_rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        yield from rows


def resample(rows, kinds):
    buckets = {}
    resets = []
    gaps = []
    last = {}
    for stamp, sensor, text, status in rows:
        if status != "GOOD":
            continue
        value = Decimal(text)
        seconds = to_seconds(stamp)
        key = (bucket_of(stamp), sensor)
        previous = last.get(sensor)
        last[sensor] = (stamp, seconds, text, value)
        if previous is not None and seconds - previous[1] > GAP_SECONDS:
            gaps.append((sensor, previous[0], stamp, seconds - previous[1]))
        if kinds[sensor] == "gauge":
            found = buckets.get(key)
            if found is None:
                buckets[key] = [1, value, value, value]
            else:
                found[0] += 1
                found[1] = min(found[1], value)
                found[2] = max(found[2], value)
                found[3] += value
        elif previous is not None:
            if value >= previous[3]:
                buckets[key] = buckets.get(key, 0) + value - previous[3]
            else:
                resets.append((sensor, previous[0], stamp, previous[2], text))
    resets.sort(key=lambda row: (row[2], row[0]))
    gaps.sort(key=lambda row: (row[1], row[0]))
    return buckets, resets, gaps


def bucket_rows(buckets, kinds):
    for bucket, sensor in sorted(buckets):
        found = buckets[bucket, sensor]
        if kinds[sensor] == "gauge":
            count, least, greatest, total = found
            values = [count, plain(least), plain(greatest), mean_text(total, count), ""]
        else:
            values = ["", "", "", "", plain(found)]
        yield [bucket, sensor, kinds[sensor], *values]


def write_csv(file, header, rows):
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("readings", type=Path)
    parser.add_argument("sensors", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    kinds = json.loads(args.sensors.read_text(encoding="utf-8"))
    args.output.mkdir(parents=True, exist_ok=True)
    with localcontext(prec=DIGITS):
        buckets, resets, gaps = resample(read_rows(args.readings), kinds)
        with gzip.GzipFile(args.output / "resampled.csv.gz", "wb", compresslevel=6, mtime=0) as packed:
            file = io.TextIOWrapper(packed, encoding="utf-8", newline="")
            write_csv(file, RESAMPLED, bucket_rows(buckets, kinds))
            file.flush()
    for name, header, rows in (("resets.csv", RESETS, resets), ("gaps.csv", GAPS, gaps)):
        with open(args.output / name, "w", encoding="utf-8", newline="") as file:
            write_csv(file, header, rows)


if __name__ == "__main__":
    main()
