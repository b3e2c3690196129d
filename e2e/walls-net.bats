#!/usr/bin/env bats
# What a postinstall script tries on the network: listeners of the host hear nothing.
load helper
load walls

setup_file() {
	need python3
	shed
}
teardown_file() { unshed; }

setup() {
	scene
	listen
}
teardown() { kill "$listener" ${wired[@]+"${wired[@]}"} 2>/dev/null || true; }

# Listeners of every kind on the host; what they hear goes to $heard.
listen() {
	heard=$BATS_TEST_TMPDIR/heard
	sockets=$shed/sockets
	rm -rf "$sockets"
	mkdir -p "$sockets"
	: >"$heard"
	python3 - "$heard" "$sockets" >"$BATS_TEST_TMPDIR/ports" <<'PY' 3>&- &
import os, selectors, socket, sys
heard, where = sys.argv[1:]
sel = selectors.DefaultSelector()
def listen(family, kind, address, protocol=0):
    s = socket.socket(family, kind, protocol)
    if family == socket.AF_INET6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.bind(address)
    if kind == socket.SOCK_STREAM:
        if family in (socket.AF_INET, socket.AF_INET6):
            if protocol != 132:
                s.setsockopt(socket.IPPROTO_TCP, 23, 16)
        s.listen(16)
    sel.register(s, selectors.EVENT_READ, kind)
    return s.getsockname()
def name(address):
    return address[1] if isinstance(address, tuple) else address
names = [listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
         listen(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
         listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
         listen(socket.AF_INET6, socket.SOCK_DGRAM, ("::1", 0)),
         listen(socket.AF_UNIX, socket.SOCK_STREAM, where + "/s"),
         listen(socket.AF_UNIX, socket.SOCK_STREAM, "\0pmg-test-%d" % os.getpid()),
         listen(socket.AF_UNIX, socket.SOCK_DGRAM, where + "/d")]
for path in ("/s", "/d"):
    os.chmod(where + path, 0o777)
for protocol in (262, 132): # MPTCP, SCTP: not every kernel has them
    try:
        names.append(listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0), protocol))
    except OSError:
        names.append((0, 0))
print(*[name(n) for n in names[:4]], names[4], "@pmg-test-%d" % os.getpid(), names[6], name(names[7]), name(names[8]), flush=True)
sys.stdout.close()
while True:
    for key, _ in sel.select():
        if key.data == socket.SOCK_DGRAM:
            data = key.fileobj.recv(4096)
        else:
            c, _ = key.fileobj.accept()
            c.settimeout(2)
            try:
                data = c.recv(4096)
            except OSError:
                data = b""
            c.close()
        with open(heard, "ab") as f:
            f.write(data)
PY
	listener=$!
	wait_for 60 test -s "$BATS_TEST_TMPDIR/ports" || fail "no listeners"
	read -r tcp4 tcp6 udp4 udp6 pathname abstract datagrams mptcp sctp <"$BATS_TEST_TMPDIR/ports"
}

# Whoever sent says "attack"; nothing of what was sent guarded may arrive.
heard() {
	sleep 0.3
	case $1 in
	control)
		[ "$(grep -c attack "$heard")" -eq "$sent" ] || fail "the control was heard $(grep -c attack "$heard") times of $sent"
		;;
	guarded)
		[ ! -s "$heard" ] || fail "$evil_user: the listeners heard: $(cat "$heard")"
		;;
	esac
	: >"$heard"
}

@test "TCP, UDP, MPTCP, SCTP and fast open reach no listener of the host" {
	try 2009 "tcp 127.0.0.1:$tcp4" tcp 127.0.0.1 "$tcp4"
	try 2009 "tcp [::1]:$tcp6" tcp ::1 "$tcp6"
	try 2009 "udp 127.0.0.1:$udp4" udp 127.0.0.1 "$udp4"
	try 2009 "udp [::1]:$udp6" udp ::1 "$udp6"
	try 2009 "udp 127.0.0.1:$udp4" udp-sendto 127.0.0.1 "$udp4"
	try 2009 "udp 127.0.0.1:$udp4" udp-sendmmsg 127.0.0.1 "$udp4"
	try 2016 "sendto MSG_FASTOPEN" fastopen 127.0.0.1 "$tcp4"
	sent=7
	[ "$mptcp" = 0 ] || {
		try 2009 "socket AF_INET SOCK_STREAM IPPROTO_MPTCP" mptcp 127.0.0.1 "$mptcp"
		sent=8
	}
	# Where this kernel has none the control says so; to ask for such a socket is refused all the same.
	try 2009 "socket AF_INET SOCK_STREAM IPPROTO_SCTP" sctp 127.0.0.1 "$sctp"
	[ "$sctp" = 0 ] || sent=$((sent + 1))
	attack
}

@test "sockets of the file system and abstract ones reach no listener of the host" {
	try 2013 "unix $pathname" unix "$pathname"
	try 2013 "unix $abstract" unix "$abstract"
	try 2013 "socket AF_UNIX SOCK_DGRAM" unix-sendto "$datagrams"
	sent=3
	attack
}

@test "raw, packet, vsock and other sockets cannot be made" {
	try_root 2009 "socket AF_INET SOCK_RAW IPPROTO_ICMP" raw
	try_root 2009 "socket AF_PACKET SOCK_RAW" packet
	try 2009 "socket AF_VSOCK SOCK_STREAM" vsock
	sent=0
	attack
}

@test "a port cannot be listened on" {
	try 2014 "tcp 127.0.0.1:45871" listen 127.0.0.1 45871
	try 2014 "tcp [::1]:45871" listen ::1 45871
	sent=0
	attack
}

# Two networks of the test, joined by a cable: $near, where pmg runs, and another one with a listener
# on 10.99.0.1:8080.
wire() {
	local far
	unshare --net sleep 600 3>&- &
	near=$!
	unshare --net sleep 600 3>&- &
	far=$!
	wired=("$near" "$far")
	wait_for 10 other_network "$near"
	wait_for 10 other_network "$far"
	nsenter -t "$near" --net ip link add v0 type veth peer name v1 netns "$far" 2>/dev/null ||
		skip "this kernel has no veth"
	nsenter -t "$near" --net sh -ec 'ip link set lo up; ip addr add 10.99.0.2/24 dev v0; ip link set v0 up'
	nsenter -t "$far" --net sh -ec 'ip link set lo up; ip addr add 10.99.0.1/24 dev v1; ip link set v1 up'
	nsenter -t "$far" --net python3 - "$heard" >"$BATS_TEST_TMPDIR/wired" <<'PY' 3>&- &
import socket, sys
s = socket.create_server(("10.99.0.1", 8080))
print("ready", flush=True)
while True:
    c, _ = s.accept()
    with open(sys.argv[1], "ab") as f:
        f.write(b"connected " + c.recv(4096))
    c.close()
PY
	wired+=("$!")
	wait_for 60 test -s "$BATS_TEST_TMPDIR/wired" || fail "no listener behind the cable"
}
other_network() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

@test "D5: a listener behind a cable hears nothing, and its address is named" {
	need ip nsenter
	[ "$(id -u)" -eq 0 ] || skip "a network of one's own takes root"
	wire
	with=(nsenter -t "$near" --net)
	sent=1
	local send='exec 3<>/dev/tcp/10.99.0.1/8080; echo attack >&3'
	for evil_user in root "$user"; do
		evil_user "$evil_user"
		fresh
		bare_as bash -c "$send"
		must_work
		heard control
		guarded_as sandbox exec -- bash -c "$send"
		must_fail
		must_say "[PMG2009] connection to tcp 10.99.0.1:8080 refused"
		heard guarded
		"${as[@]}" "$pmg" violations list --last --json |
			jq -e 'any(.[]; .code == "PMG2009" and .target == "tcp 10.99.0.1:8080")' >/dev/null ||
			fail "not listed: $(shown)"
		guarded_as --sandbox-allow net-connect=10.99.0.1:8080 sandbox exec -- bash -c "$send"
		must_work
		heard control
	done
}
