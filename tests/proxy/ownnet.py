"""A network of the test's own, as the walls make one: only loopback, and every address is local."""
import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
RTM_NEWROUTE, NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE = 24, 1, 4, 0x400
TABLE_LOCAL, PROTO_BOOT, SCOPE_HOST, TYPE_LOCAL, RTA_OIF = 255, 3, 254, 2, 4


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def route_all(family, scope):
    message = struct.pack("=BBBBBBBBI", family, 0, 0, 0, TABLE_LOCAL, PROTO_BOOT, scope, TYPE_LOCAL,
                          0) + struct.pack("=HHI", 8, RTA_OIF, 1)
    head = struct.pack("=IHHII", 16 + len(message), RTM_NEWROUTE,
                       NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.send(head + message)
        error = struct.unpack_from("=i", sock.recv(4096), 16)[0]
    if error:
        raise OSError(-error, "route")


def enter():
    """Before the first thread and the first child. Raises OSError where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", "0 %d 1" % uid)
    write("/proc/self/gid_map", "0 %d 1" % gid)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    route_all(socket.AF_INET, SCOPE_HOST)
    route_all(socket.AF_INET6, 0)
