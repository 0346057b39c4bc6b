"""What to tell a person whose machine does not let the jail start."""

from __future__ import annotations

import re
from pathlib import Path


def explain(said: str) -> str:
    """What bwrap or the warden said, and what to do about it."""
    said = said.strip()
    if not re.search(
        r"uid map|new namespace|user namespace|RTM_NEWADDR|Operation not permitted|Permission denied", said
    ):
        return f"bwrap says: {said}" if said else "It said nothing."
    advice = "This machine does not let bwrap make user namespaces."
    if _setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        advice = (
            "AppArmor restricts user namespaces here (the default since Ubuntu 23.10). Allow them:\n"
            "  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n"
            "and for the time after a restart:\n"
            "  echo kernel.apparmor_restrict_unprivileged_userns=0 | sudo tee /etc/sysctl.d/60-rw30.conf"
        )
    elif _setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        advice += " Allow them: sudo sysctl -w kernel.unprivileged_userns_clone=1"
    elif _setting("/proc/sys/user/max_user_namespaces") == "0":
        advice += " Allow them: sudo sysctl -w user.max_user_namespaces=15000"
    else:
        advice += (
            " On Ubuntu 23.10 or newer: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0."
            " In a container: start it with --security-opt seccomp=unconfined"
            " --security-opt apparmor=unconfined --security-opt systempaths=unconfined."
        )
    return f"bwrap says: {said}\n{advice}"


def _setting(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
