#!/bin/sh
# Has machines share results on servers of others: nginx, and the worker that Bazel tests
# itself with, which cooks for one of them. As root on Debian it installs what is missing; what
# cannot be had is passed
# over with a line.
#
# Where network namespaces may be made, it goes on in one of its own, and the machines are in
# others, at the other ends of slow links (machines).
#
#   proof/servers/run.sh
set -eu
cd "$(dirname "$0")/../.."
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own

bazel=/usr/share/bazel/A-server.jar
sources=/usr/src/bazel-bootstrap/src/tools/remote/src/main/java
missing=
command -v nginx >/dev/null || missing="$missing nginx-light"
[ -f $bazel ] || missing="$missing bazel-bootstrap"
[ -d $sources ] || missing="$missing bazel-bootstrap-source"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "servers: installing$missing"
	apt-get update -qq >/dev/null 2>&1 || true
	for package in $missing; do
		# Debian would start a server of its own.
		RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
			echo "servers: $package cannot be installed"
	done
fi

if [ -z "${1-}" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	go build -o "$dir" ./cmd/cook ./proof/servers/machines
	alone=
	for unshare in 'unshare -n' 'unshare -rn'; do
		[ -n "$alone" ] || ! $unshare ip link set lo up 2>/dev/null || alone=$unshare
	done
	[ -n "$alone" ] || echo "servers: no network namespaces"
	$alone "$PWD/proof/servers/run.sh" "$dir" "$alone"
	exit
fi
dir=$1
alone=$2
running=
trap 'kill $running 2>/dev/null || true; wait' EXIT
[ -z "$alone" ] || ip link set lo up
port=$((20000 + $$ % 20000))

# The machines sign what they give and take only that, with keys that OpenSSL has made.
keys=
if command -v openssl >/dev/null; then
	openssl genpkey -algorithm ed25519 -out "$dir/ci.key"
	openssl pkey -in "$dir/ci.key" -pubout -out "$dir/ci.pub"
	fingerprint=$(openssl pkey -pubin -in "$dir/ci.pub" -outform DER | sha256sum | cut -d' ' -f1)
	keys="-remote-sign-key $dir/ci.key -remote-trust $dir/ci.pub"
else
	echo "servers: no openssl, so nothing is signed"
fi

# answers URL: waits until the server is there.
answers() {
	for _ in $(seq 100); do
		"$dir/cook" remote check -remote "$1" $keys >"$dir/check" 2>"$dir/why" && return
		sleep 0.1
	done
	cat "$dir/why" >&2
	exit 1
}

# share NAME URL: one machine gives what it cooks, another takes it, and cooks some again to
# compare.
share() {
	answers "$2"
	grep -q '^uploads .*/s$' "$dir/check"
	[ -z "$keys" ] || grep -q "^signs  *key $fingerprint" "$dir/check"
	for machine in 1 2; do
		"$dir/cook" -dir testdata/assets -cache "$dir/$1/store$machine" -out "$dir/$1/out$machine" \
			-remote "$2" -remote-upload always -remote-race=false $keys >"$dir/$1.$machine"
	done
	diff -r -x .cook "$dir/$1/out1" "$dir/$1/out2"
	given=$(sed -n 's/.*(remote: 0 of \([1-9][0-9]*\) found, 0 B; \1 results uploaded, .*/\1/p' "$dir/$1.1")
	if [ -z "$given" ] || ! grep -q " $given restored.*(remote: $given of $given found" "$dir/$1.2"; then
		echo "servers: $1:" >&2
		cat "$dir/$1.1" "$dir/$1.2" >&2
		exit 1
	fi
	"$dir/cook" verify -dir testdata/assets -cache "$dir/$1/store2" -out "$dir/$1/out2" \
		-remote="$2" $keys -sample 20 >"$dir/verified"
	grep -q '^cook: compared with [1-9]' "$dir/verified"
	echo "servers: $1: $given results shared${keys:+ and signed}"
	if [ -n "$alone" ]; then
		"$dir/machines" -cook "$dir" -server "$2" >"$dir/$1.machines"
		echo "servers: $1: $(cat "$dir/$1.machines")"
	fi
}

# farm NAME URL: a machine whose store is empty has another one cook, too. Its outputs and
# warnings are equal to those of a machine that cooks alone.
farm() {
	"$dir/cook" -dir testdata/assets -cache "$dir/$1/alone" -out "$dir/$1/alone.out" >"$dir/$1.alone" 2>"$dir/alone.why"
	"$dir/cook" -dir testdata/assets -cache "$dir/$1/farm" -out "$dir/$1/farm.out" \
		-remote "$2" -remote-read=false -remote-upload never -remote-exec=always >"$dir/$1.farm" 2>"$dir/why"
	diff -r -x .cook "$dir/$1/alone.out" "$dir/$1/farm.out"
	for said in "$dir/alone.why" "$dir/why"; do
		sed -i '/^cook: [0-9]* of [0-9]* assets/d' "$said" # progress of a run of more than ten seconds
	done
	executed=$(sed -n 's/.*(remote: .*\b\([1-9][0-9]*\) cooked on other machines.*/\1/p' "$dir/$1.farm")
	if [ -z "$executed" ] || ! cmp -s "$dir/alone.why" "$dir/why"; then
		echo "servers: $1:" >&2
		cat "$dir/$1.farm" "$dir/why" >&2
		exit 1
	fi
	echo "servers: $1: $executed assets cooked there"
}

if command -v nginx >/dev/null; then
	mkdir -p "$dir/nginx/data" "$dir/nginx/tmp"
	cat >"$dir/nginx/conf" <<END
daemon off;
master_process off;
pid $dir/nginx/pid;
error_log /dev/null;
$([ "$(id -u)" != 0 ] || echo 'user root;')
events {}
http {
	access_log off;
	client_body_temp_path $dir/nginx/tmp;
	proxy_temp_path $dir/nginx/tmp;
	fastcgi_temp_path $dir/nginx/tmp;
	uwsgi_temp_path $dir/nginx/tmp;
	scgi_temp_path $dir/nginx/tmp;
	client_max_body_size 0;
	server {
		listen 127.0.0.1:$port;
		root $dir/nginx/data;
		location / {
			dav_methods PUT;
			create_full_put_path on;
		}
	}
}
END
	nginx -e /dev/null -c "$dir/nginx/conf" &
	running="$running $!"
	share nginx "http://127.0.0.1:$port/cache"
else
	echo "servers: no nginx"
fi

if [ -f $bazel ] && [ -d $sources ] && command -v javac >/dev/null; then
	mkdir -p "$dir/bazel/work" "$dir/bazel/cas" "$dir/bazel/classes"
	cp -r $sources "$dir/bazel/java"
	port=$((port + 1))
	worker=$dir/bazel/java/com/google/devtools/build/remote/worker/RemoteWorker.java
	# It would listen to the network.
	sed -i 's/forPort(\(.*listenPort\))/forAddress(new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), \1))/' "$worker"
	grep -q getLoopbackAddress "$worker"
	find "$dir/bazel/java" -name '*.java' >"$dir/bazel/files"
	javac -proc:none -nowarn -cp $bazel -d "$dir/bazel/classes" "@$dir/bazel/files" 2>/dev/null
	java -cp "$dir/bazel/classes:$bazel" com.google.devtools.build.remote.worker.RemoteWorker \
		--work_path="$dir/bazel/work" --cas_path="$dir/bazel/cas" --listen_port=$port --pid_file="$dir/bazel/pid" 2>/dev/null &
	running="$running $!"
	share bazel "grpc://127.0.0.1:$port"
	farm bazel "grpc://127.0.0.1:$port"
else
	echo "servers: no worker of Bazel"
fi
