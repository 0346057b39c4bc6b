"""Updates of segments, and alternatives for the transports that updates break."""

from decimal import Decimal

REPLACED = (
    "start_local",
    "end_local",
    "start_timezone",
    "end_timezone",
    "origin",
    "destination",
    "start",
    "end",
)


def apply_updates(segments, updates):
    """The segments with their update's values; `status` tells the cancelled ones."""
    chosen = {}
    for update in updates:
        known = chosen.get(update["segment_id"])
        if known is None or update["revision"] >= known["revision"]:
            chosen[update["segment_id"]] = update
    updated = []
    for segment in segments:
        update = chosen.get(segment["segment_id"], segment)
        counts = update["revision"] > segment["revision"]
        updated.append(segment | update if counts else segment)
    return updated


def is_cancelled(segment):
    return segment.get("status") == "cancelled"


def best_alternative(segment, previous, alternatives, needs):
    fitting = [
        alternative
        for alternative in alternatives
        if alternative["replaces_segment_id"] == segment["segment_id"]
        and alternative["origin"] == (previous["destination"] if previous else segment["origin"])
        and (previous is None or alternative["start"] - previous["end"] >= needs(previous, segment))
    ]
    return min(
        fitting,
        key=lambda alternative: (
            alternative["end"],
            Decimal(alternative["price"]),
            alternative["alternative_id"],
        ),
        default=None,
    )


def rebook(segments, transports, alternatives, connects, needs):
    """What is left of the segments, broken transports with the data of their alternatives."""
    final = {segment["segment_id"]: segment for segment in segments if not is_cancelled(segment)}
    previous = None
    for segment in transports:
        broken = is_cancelled(segment) or (previous is not None and not connects(previous, segment))
        chosen = best_alternative(segment, previous, alternatives, needs) if broken else None
        if chosen:
            segment = segment | {name: chosen[name] for name in REPLACED}
            segment["selected_alternative_id"] = chosen["alternative_id"]
            final[segment["segment_id"]] = segment
        if chosen or not is_cancelled(segment):
            previous = segment
    return list(final.values())
