#!/usr/bin/env bats
# Hosts that are no registry: through the proxy as through a wire, and recorded as not judged.
load helper
load fixture

setup() {
	client_setup
	tunnels=$top/tests/helper/tunnels.py
	export tunnels
	server tunnels python3 "$tunnels" serve
	read -r echo count greet break_off source watch tell <<<"$line"
	export echo count greet break_off source watch tell
}

# wire TEXT: works straight and through pmg
wire() {
	without "$1"
	must_work
	without_said=$stdout
	through "$1"
	must_work
}

@test "thirty tunnels at once, with many exchanges each" {
	wire 'python3 "$tunnels" many "$echo"'
	in_report --arg t "127.0.0.2:$echo" \
		'[.passed[] | select(.target == $t and .why == "tunnel")] | length == 1'
	"$pmg" audit list --json >audit.json
	jq -e --arg t "127.0.0.2:$echo" '.[0].passed[] | select(.target == $t)' audit.json
}

@test "within walls a script reaches a host that is allowed, by the same tunnel, and no other" {
	local text='curl -sS --cacert "'"$reg/ca.pem"'" "https://127.0.0.2:'"$cdn_https"'/-/ping"'
	walls=(--sandbox-allow "read=$reg/ca.pem")
	through "$text"
	must_fail
	must_say "[PMG2009] connection to tcp 127.0.0.2:$cdn_https refused"
	walls+=(--sandbox-allow "net-connect=127.0.0.2:$cdn_https")
	wire "$text"
	same "body" "$without_said" "$stdout"
	in_report --arg t "127.0.0.2:$cdn_https" '.passed[] | select(.target == $t and .why == "tunnel")'
}

@test "the end of one side is handed on, the other goes on" {
	wire 'python3 "$tunnels" half "$count"'
	wire 'python3 "$tunnels" greeted "$greet" "$tell"'
}

@test "bytes in one segment with the request are the target's" {
	wire 'python3 "$tunnels" early "$count"'
}

@test "a reset after the head ends this tunnel, and is no proper end of its body" {
	local text='
		python3 "$tunnels" broken "$break_off" "$echo"
		curl -sS -p -o body "http://127.0.0.2:$break_off/" || echo "curl $?"'
	without "$text"
	must_work
	[[ $stdout == *"curl "* ]]
	through "$text"
	must_work
	[[ $stdout == *"curl "* ]] || fail "the client took a cut body for a whole one: $(shown)"
}

@test "a client that breaks off is seen at the other end" {
	wire 'python3 "$tunnels" leave "$watch" "$tell"'
}

@test "20 MB both ways at once, a slow reader, memory bounded" {
	without 'python3 "$tunnels" duplex "$source"'
	must_work
	begin 'for i in 1 2 3 4; do python3 "$tunnels" duplex "$source" & pids="${pids:-} $!"; done
		for pid in $pids; do wait $pid; done; pause'
	must_be_small
	finish
	must_work
}

@test "a target that refuses or is not there: an error for this client, named on stderr, and no more" {
	through '
		for url in https://127.0.0.2:1/ https://nothere.invalid/ https://127.0.0.2:$tell/; do
			curl -sS -o /dev/null -w "%{http_connect}\n" "$url" || true
		done
		python3 "$tunnels" half "$count"
		exit 3'
	[ "$status" -eq 3 ]
	[[ $(sed -n 1p <<<"$stdout") == 50[24] ]] || fail "$(shown)"
	[[ $(sed -n 2p <<<"$stdout") == 50[24] ]] || fail "$(shown)"
	[ "$(sed -n 3p <<<"$stdout")" = 200 ] || fail "$(shown)"
	must_say PMG4004
	must_say 127.0.0.2:1
	must_say PMG4003
	must_say nothere.invalid
}

@test "a host that is no registry shows its own certificate, and the client judges it" {
	local text='
		curl -sS -o /dev/null -w "%{http_code}\n" "https://127.0.0.2:'"$cdn_https"'/-/ping"
		curl -sS -o /dev/null "https://127.0.0.1:'"$untrusted"'/-/ping" || echo "curl $?"
		curl -sSk -o /dev/null -v "https://127.0.0.2:'"$cdn_https"'/-/ping" 2>&1 | grep -o "issuer: .*"'
	wire "$text"
	same "what curl saw" "$without_said" "$stdout"
	grep -q '^curl 60$' <<<"$stdout"
	in_report --arg t "127.0.0.2:$cdn_https" '.passed[] | select(.target == $t and .why == "tunnel")'
}

@test "a plain request to another host passes, and is recorded" {
	wire 'curl -sS -o - "http://127.0.0.2:'"$cdn_http"'/-/ping"'
	same "body" "$without_said" "$stdout"
	in_report '[.passed[] | select(.why == "request" and (.target | test("/-/ping")))] | length == 1'
}
