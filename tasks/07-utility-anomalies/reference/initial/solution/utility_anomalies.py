"""Report unusual monthly meter readings and missing months as two CSV files and an HTML page."""

import argparse
import csv
from decimal import Decimal
from html import escape
from pathlib import Path
from statistics import median

WINDOW = 6
LARGEST = 10
MILLIONTH = Decimal("0.000001")
ANOMALY_FIELDS = ["meter_id", "month", "kwh", "baseline_median", "mad", "severity", "direction"]
GAP_FIELDS = ["meter_id", "month"]

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Utility anomalies</title>
<style>table {{ border-collapse: collapse }} th, td {{ border: 1px solid #999; padding: 2px 6px }}</style>
</head>
<body>
<h1>Utility anomalies</h1>
<ul>
<li>Meters: <span id="meter-count">{meters}</span></li>
<li>Anomalies: <span id="anomaly-count">{anomalies}</span></li>
<li>Missing months: <span id="gap-count">{gaps}</span></li>
</ul>
<h2>Largest anomalies</h2>
<table id="largest-anomalies">
<thead>
{heading}
</thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""


def read_meters(path):
    """Readings of each meter: month to value."""
    meters = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            meters.setdefault(row["meter_id"], {})[row["month"]] = Decimal(row["kwh"])
    return meters


def month_after(month):
    year, number = map(int, month.split("-"))
    return f"{year + 1:04}-01" if number == 12 else f"{year:04}-{number + 1:02}"


def find_gaps(meter_id, readings):
    """Absent months between the first and the last reading."""
    month, last = min(readings), max(readings)
    while month < last:
        if month not in readings:
            yield {"meter_id": meter_id, "month": month}
        month = month_after(month)


def six_places(value):
    return str(value.quantize(MILLIONTH) + 0)


def find_anomalies(meter_id, readings):
    """Readings that are too far from the median of the six before."""
    months = sorted(readings)
    for index in range(WINDOW, len(months)):
        value = readings[months[index]]
        window = [readings[month] for month in months[index - WINDOW : index]]
        middle = median(window)
        mad = median([abs(other - middle) for other in window])
        distance = abs(value - middle)
        if distance > max(3 * mad, middle / 4):
            severity = distance / middle if middle > 0 else Decimal(0)
            yield {
                "meter_id": meter_id,
                "month": months[index],
                "kwh": six_places(value),
                "baseline_median": six_places(middle),
                "mad": six_places(mad),
                "severity": six_places(severity),
                "direction": "high" if value > middle else "low",
            }


def write_csv(path, fields, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table_row(cell, values):
    return "<tr>" + "".join(f"<{cell}>{escape(value)}</{cell}>" for value in values) + "</tr>"


def render(meters, anomalies, gaps):
    largest = anomalies[:LARGEST]
    return PAGE.format(
        meters=len(meters),
        anomalies=len(anomalies),
        gaps=len(gaps),
        heading=table_row("th", ANOMALY_FIELDS),
        rows="\n".join(table_row("td", row.values()) for row in largest),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("usage", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    meters = read_meters(args.usage)
    anomalies = [row for meter_id, readings in meters.items() for row in find_anomalies(meter_id, readings)]
    anomalies.sort(key=lambda row: (-Decimal(row["severity"]), row["meter_id"], row["month"]))
    gaps = [row for meter_id, readings in meters.items() for row in find_gaps(meter_id, readings)]
    gaps.sort(key=lambda row: (row["meter_id"], row["month"]))
    args.output.mkdir(parents=True, exist_ok=True)
    write_csv(args.output / "anomalies.csv", ANOMALY_FIELDS, anomalies)
    write_csv(args.output / "gaps.csv", GAP_FIELDS, gaps)
    page = render(meters, anomalies, gaps)
    (args.output / "report.html").write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
