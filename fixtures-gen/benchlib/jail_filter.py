"""The system-call filter of judged programs and of the restricted shell, as a classic BPF program.

When root runs a jail, its user owns the machine's control files. Whoever could make a user namespace could
mount a file system that has some of them (cgroup2), so that neither namespaces nor mounts can be made there.
Sockets are those of the jail's own network (a virtual machine's vsock is in no network namespace), and memory
is such that the warden sees it (memfd and System V memory belong to no process).
"""

from __future__ import annotations

import errno
import platform
import struct

CLONE_NEWUSER = 0x10000000
ALLOW = 0x7FFF0000
FAIL = 0x00050000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
X32_BIT = 0x40000000

NEW_MOUNT_CALLS = (428, 429, 430, 431, 432, 433, 442)
"""open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr: the same on every architecture."""
CLONE3 = 435
SOCKET_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""
EVERY_PROCESS = 0xFFFFFFFF
"""kill(-1, …): the agent and the services are among them."""

ARCHITECTURES: dict[str, tuple[int, tuple[int, ...], tuple[int, ...], int, int]] = {
    # Audit number; mount umount2 pivot_root setns add_key request_key keyctl bpf perf_event_open memfd_create
    # memfd_secret shmget; unshare clone; kill; socket.
    "x86_64": (0xC000003E, (165, 166, 155, 308, 248, 249, 250, 321, 298, 319, 447, 29), (272, 56), 62, 41),
    "aarch64": (0xC00000B7, (40, 39, 41, 268, 217, 218, 219, 280, 241, 279, 447, 194), (97, 220), 129, 198),
}


def filter_program(machine: str = platform.machine()) -> bytes:
    """The program for `bwrap --seccomp`; on an architecture that is not in the table it allows everything."""
    if machine not in ARCHITECTURES:
        return _instruction(RETURN, ALLOW)
    audit, refused, makers, kill, make_socket = ARCHITECTURES[machine]
    refuse = _instruction(RETURN, FAIL | errno.EPERM)
    program = [_instruction(LOAD, ARCHITECTURE_AT), _instruction(EQUAL, audit, then=1), refuse]
    program += [_instruction(LOAD, NUMBER_AT), _instruction(AT_LEAST, X32_BIT, otherwise=1), refuse]
    for number in (*refused, *NEW_MOUNT_CALLS):
        program += [_instruction(EQUAL, number, otherwise=1), refuse]
    program += [_instruction(EQUAL, CLONE3, otherwise=1), _instruction(RETURN, FAIL | errno.ENOSYS)]
    conditions = [*((number, ANY_BIT, CLONE_NEWUSER) for number in makers), (kill, EQUAL, EVERY_PROCESS)]
    for number, comparison, value in conditions:
        program += [
            _instruction(EQUAL, number, otherwise=4),
            _instruction(LOAD, FIRST_ARGUMENT_AT),
            _instruction(comparison, value, otherwise=1),
            refuse,
            _instruction(RETURN, ALLOW),
        ]
    families = [
        _instruction(EQUAL, family, then=len(SOCKET_FAMILIES) - place)
        for place, family in enumerate(SOCKET_FAMILIES)
    ]
    program += [
        _instruction(EQUAL, make_socket, otherwise=len(families) + 2),
        _instruction(LOAD, FIRST_ARGUMENT_AT),
        *families,
        _instruction(RETURN, FAIL | errno.EAFNOSUPPORT),
    ]
    return b"".join([*program, _instruction(RETURN, ALLOW)])


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One `struct sock_filter`; `then` and `otherwise` are how many instructions a jump skips."""
    return struct.pack("=HBBI", code, then, otherwise, value)
