"""The system-call filters of a jail, as classic BPF programs.

`program_filter` is for judged programs, services and the restricted shell. When root runs a jail, its user
owns the machine's control files. Whoever could make a user namespace could mount a file system that has some
of them (cgroup2), so that neither namespaces nor mounts can be made there. Sockets are those of the jail's
own network (a virtual machine's vsock is in no network namespace), and memory is such that the warden sees it
(memfd and System V memory belong to no process).

`host_filter` is for the agent host, which opens the restricted shell and so must make user namespaces and
mounts. Without a cgroup namespace of its own none of those shows the machine's control files.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass

CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUSER = 0x10000000
ALLOW = 0x7FFF0000
FAIL = 0x00050000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
X32_BIT = 0x40000000
ANY = 0xFFFFFFFF

NEW_MOUNT_CALLS = (428, 429, 430, 431, 432, 433, 442)
"""open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr: the same on every architecture."""
CLONE3 = 435
SOCKET_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""
EVERY_PROCESS = 0xFFFFFFFF
"""kill(-1, …): the agent and the services are among them."""


@dataclass(frozen=True)
class Calls:
    """Numbers of one architecture's system calls."""

    audit: int
    """What the kernel calls the architecture."""
    everywhere: tuple[int, ...]
    """Refused to all: setns add_key request_key keyctl bpf perf_event_open."""
    to_programs: tuple[int, ...]
    """Refused to programs: mount umount2 pivot_root memfd_create memfd_secret shmget."""
    unshare: int
    clone: int
    kill: int
    socket: int
    prlimit: int


ARCHITECTURES = {
    "x86_64": Calls(
        audit=0xC000003E,
        everywhere=(308, 248, 249, 250, 321, 298),
        to_programs=(165, 166, 155, 319, 447, 29),
        unshare=272,
        clone=56,
        kill=62,
        socket=41,
        prlimit=302,
    ),
    "aarch64": Calls(
        audit=0xC00000B7,
        everywhere=(268, 217, 218, 219, 280, 241),
        to_programs=(40, 39, 41, 279, 447, 194),
        unshare=97,
        clone=220,
        kill=129,
        socket=198,
        prlimit=261,
    ),
}


def program_filter(machine: str = platform.machine()) -> bytes:
    """The program for `bwrap --seccomp`; on an architecture that is not in the table it allows everything."""
    calls = ARCHITECTURES.get(machine)
    if calls is None:
        return _instruction(RETURN, ALLOW)
    refused = (*calls.everywhere, *calls.to_programs, *NEW_MOUNT_CALLS)
    return _filter(calls, refused, CLONE_NEWUSER | CLONE_NEWCGROUP)


def host_filter(machine: str = platform.machine()) -> bytes:
    """`program_filter` for the agent host, which may make the namespaces and mounts of its shell."""
    calls = ARCHITECTURES.get(machine)
    return _instruction(RETURN, ALLOW) if calls is None else _filter(calls, calls.everywhere, CLONE_NEWCGROUP)


def _filter(calls: Calls, refused: Sequence[int], namespaces: int) -> bytes:
    refuse = _instruction(RETURN, FAIL | errno.EPERM)
    program = [_instruction(LOAD, ARCHITECTURE_AT), _instruction(EQUAL, calls.audit, then=1), refuse]
    program += [_instruction(LOAD, NUMBER_AT), _instruction(AT_LEAST, X32_BIT, otherwise=1), refuse]
    for number in refused:
        program += [_instruction(EQUAL, number, otherwise=1), refuse]
    program += [_instruction(EQUAL, CLONE3, otherwise=1), _instruction(RETURN, FAIL | errno.ENOSYS)]
    refused_first_arguments = [
        (calls.unshare, ANY_BIT, namespaces),
        (calls.clone, ANY_BIT, namespaces),
        (calls.kill, EQUAL, EVERY_PROCESS),
        (calls.prlimit, ANY_BIT, ANY),  # another process's limits: the warden's are the jail's bounds
    ]
    for number, comparison, value in refused_first_arguments:
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
        _instruction(EQUAL, calls.socket, otherwise=len(families) + 2),
        _instruction(LOAD, FIRST_ARGUMENT_AT),
        *families,
        _instruction(RETURN, FAIL | errno.EAFNOSUPPORT),
    ]
    return b"".join([*program, _instruction(RETURN, ALLOW)])


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One `struct sock_filter`; `then` and `otherwise` are how many instructions a jump skips."""
    return struct.pack("=HBBI", code, then, otherwise, value)
