#!/bin/sh
# Lets machines share results on servers of other projects, as docs/remote-setup.md describes: in a
# directory, on nginx, on bazel-remote (gRPC, HTTP, and the service of the page), in a bucket of
# Versity's S3 gateway, and on the worker that Bazel tests itself with, which also cooks. As root on
# Debian the script installs missing packages. It builds the servers in Go once, into the directory
# of go install. A line names each server that is missing.
#
# If network namespaces are available, the servers run in a new one, and the machines run in others,
# at the other ends of slow links (machines).
#
#   proof/servers/run.sh             all servers except Buildbarn
#   proof/servers/run.sh nginx s3    some of: nas nginx bazel-remote s3 bazel buildbarn
#
# ./check runs all servers except Buildbarn, whose storage is a container image. Run it before a
# release. It needs podman, or a program bb_storage. Only a bb_storage that the go command built from
# the source of the image has been tested; its main.go needed one type assertion. The container
# image could not be downloaded, so podman was never tested.
set -eu
cd "$(dirname "$0")/../.."
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own
# With this variable, machines upload results without being told to.
unset CI

bazel=/usr/share/bazel/A-server.jar
sources=/usr/src/bazel-bootstrap/src/tools/remote/src/main/java
page=docs/remote-setup.md
programs=$(go env GOPATH)/bin
bazelremote=v2.6.2
versitygw=v1.8.0
buildbarn=ghcr.io/buildbarn/bb-storage:20260609T094425Z-10acc76

# wants NAME: reports whether the servers to run include NAME.
wants() {
	case " $chosen " in *" $1 "*) return 0 ;; esac
	return 1
}

# program NAME VERSION MODULE PACKAGE: builds a program of a module, once. go install would also ask
# the proxy for the list of versions, which some proxies lack.
program() {
	[ ! -x "$programs/$1-$2" ] || return 0
	echo "servers: building $1 $2"
	module=$(mktemp -d)
	if (cd "$module" && go mod init servers && go mod edit -require="$3@$2" && go build -mod=mod -ldflags=-s -o server "$4") >"$module/log" 2>&1; then
		mkdir -p "$programs"
		mv "$module/server" "$programs/$1-$2"
	else
		echo "servers: $1 $2 cannot be built: $(tail -n 1 "$module/log")"
	fi
	rm -r "$module"
}

if [ "${1-}" != -in ]; then
	chosen=${*:-nas nginx bazel-remote s3 bazel}
	missing=
	! wants nginx || command -v nginx >/dev/null || missing="$missing nginx-light"
	! wants bazel-remote || command -v htpasswd >/dev/null || missing="$missing apache2-utils"
	! wants bazel || [ -f $bazel ] || missing="$missing bazel-bootstrap"
	! wants bazel || [ -d $sources ] || missing="$missing bazel-bootstrap-source"
	if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "servers: installing$missing"
		apt-get update -qq >/dev/null 2>&1 || true
		for package in $missing; do
			# Debian would start a server of its own.
			RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
				echo "servers: $package cannot be installed"
		done
	fi
	! wants bazel-remote || program bazel-remote $bazelremote github.com/buchgr/bazel-remote/v2 github.com/buchgr/bazel-remote/v2
	! wants s3 || program versitygw $versitygw github.com/versity/versitygw github.com/versity/versitygw/cmd/versitygw
	! wants buildbarn || command -v bb_storage >/dev/null || podman pull -q "$buildbarn" >/dev/null
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	go build -o "$dir" ./cmd/cook ./proof/servers/machines
	alone=
	for unshare in 'unshare -n' 'unshare -rn'; do
		[ -n "$alone" ] || ! $unshare ip link set lo up 2>/dev/null || alone=$unshare
	done
	[ -n "$alone" ] || echo "servers: no network namespaces"
	$alone "$PWD/proof/servers/run.sh" -in "$dir" "$alone" "$chosen"
	exit
fi
dir=$2
alone=$3
chosen=$4
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

# serve COMMAND...: starts a server. It ends with this script.
serve() {
	"$@" >"$dir/server.log" 2>&1 &
	running="$running $!"
}

# next_port: sets port to a port that no other server of this script uses.
next_port() { port=$((port + 1)); }

# wrong NAME FILE...: prints files, and ends the script.
wrong() {
	echo "servers: $1:" >&2
	shift
	cat "$@" >&2
	exit 1
}

# answers URL: waits until the server answers.
answers() {
	for _ in $(seq 100); do
		"$dir/cook" remote check -remote "$1" $keys >"$dir/check" 2>"$dir/why" && return
		sleep 0.1
	done
	wrong "$1" "$dir/why" "$dir/server.log"
}

# share NAME URL: a machine uploads its results. Another machine downloads them, and cooks some of
# the assets to compare.
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
		wrong "$1" "$dir/$1.1" "$dir/$1.2"
	fi
	"$dir/cook" verify -dir testdata/assets -cache "$dir/$1/store2" -out "$dir/$1/out2" \
		-remote="$2" $keys -sample 20 >"$dir/verified"
	grep -q '^cook: compared with [1-9]' "$dir/verified"
	# A machine without sources gets what a machine with sources exports.
	"$dir/cook" snapshot publish "$1/main" -dir testdata/assets -cache "$dir/$1/store1" -out "$dir/$1/out1" -remote "$2" $keys >"$dir/$1.snapshot"
	"$dir/cook" snapshot get "$1/main" -cache "$dir/$1/store3" -out "$dir/$1/out3" -remote "$2" $keys >>"$dir/$1.snapshot"
	"$dir/cook" export -dir testdata/assets -out "$dir/$1/out1" "$dir/$1/exported" >"$dir/exported"
	diff -r "$dir/$1/exported" "$dir/$1/out3"
	echo "servers: $1: $given results shared${keys:+ and signed}, and a snapshot"
}

# link NAME URL: lets machines at the other ends of slow links share results.
link() {
	[ -n "$alone" ] || return 0
	"$dir/machines" -cook "$dir" -server "$2" >"$dir/$1.machines"
	echo "servers: $1: $(cat "$dir/$1.machines")"
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
		wrong "$1" "$dir/$1.farm" "$dir/why"
	fi
	echo "servers: $1: $executed assets cooked there"
}

if wants nas; then
	mkdir -p "$dir/nas/cook"
	share nas "file://$dir/nas/cook"
	link nas "file://$dir/nas/cook"
fi

if ! wants nginx; then
	:
elif command -v nginx >/dev/null; then
	next_port
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
	serve nginx -e /dev/null -c "$dir/nginx/conf"
	share nginx "http://127.0.0.1:$port/cache"
	link nginx "http://127.0.0.1:$port/cache"
else
	echo "servers: no nginx"
fi

# bazel_remote NAME FLAG...: starts bazel-remote. Its ports are $port for gRPC, and $web for HTTP.
bazel_remote() {
	next_port
	web=$port
	next_port
	data=$dir/$1.data
	shift
	serve "$programs/bazel-remote-$bazelremote" --dir "$data" --grpc_address "127.0.0.1:$port" "$@" --http_address "127.0.0.1:$web"
}

# bazel_service: runs the service of the page, with its certificate and passwords. CI uploads
# results, and developers without a password download them.
bazel_service() {
	etc=$dir/etc/cook-cache
	mkdir -p "$etc"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=cache \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$etc/key.pem" -out "$etc/cert.pem" 2>"$dir/why" || wrong openssl "$dir/why"
	# The page has the command htpasswd -B -c /etc/cook-cache/htpasswd ci.
	made=$(grep -o "htpasswd -B -c /etc/cook-cache/htpasswd ci" $page | sed "s|/etc/cook-cache|$etc|; s|htpasswd|htpasswd -i|")
	echo secret | $made 2>"$dir/why" || wrong htpasswd "$dir/why"
	bazel_remote bazel-remote-service $(sed -n "/^\[Container\]/,/^\[Service\]/s|^Exec=||p" $page | sed "s|/etc/cook-cache|$etc|g")
	export COOK_REMOTE_CA="$etc/cert.pem" COOK_REMOTE_BASIC=ci:secret
	share bazel-remote-service "grpcs://127.0.0.1:$port"
	unset COOK_REMOTE_BASIC
	"$dir/cook" remote check -remote "grpcs://127.0.0.1:$port" >"$dir/check" 2>&1 || wrong bazel-remote-service "$dir/check"
	grep -q '^uploads .*no' "$dir/check" || wrong bazel-remote-service "$dir/check"
	"$dir/cook" -dir testdata/assets -cache "$dir/developer" -out "$dir/developer.out" \
		-remote "grpcs://127.0.0.1:$port" -remote-race=false ${keys:+-remote-trust "$dir/ci.pub"} >"$dir/developer.run"
	diff -r -x .cook "$dir/bazel-remote-service/out1" "$dir/developer.out"
	grep -q " $given restored" "$dir/developer.run" || wrong bazel-remote-service "$dir/developer.run"
	unset COOK_REMOTE_CA
	echo "servers: bazel-remote: only CI may upload"
}

if ! wants bazel-remote; then
	:
elif [ -x "$programs/bazel-remote-$bazelremote" ]; then
	# The flags of the page's container that is only for this machine.
	bazel_remote bazel-remote $(sed -n 's|^podman run .*/bazel-remote-cache ||p' $page)
	share bazel-remote "grpc://127.0.0.1:$port"
	link bazel-remote "grpc://127.0.0.1:$port"
	bazel_remote bazel-remote-http --max_size 100
	share bazel-remote-http "http://127.0.0.1:$web/cache"
	link bazel-remote-http "http://127.0.0.1:$web/cache"
	if command -v openssl >/dev/null && command -v htpasswd >/dev/null; then
		bazel_service
	else
		echo "servers: no htpasswd, so bazel-remote has no passwords"
	fi
else
	echo "servers: no bazel-remote"
fi

if ! wants s3; then
	:
elif [ -x "$programs/versitygw-$versitygw" ]; then
	next_port
	mkdir -p "$dir/s3/team-cache"
	export AWS_ENDPOINT_URL_S3="http://127.0.0.1:$port" AWS_ACCESS_KEY_ID=ID AWS_SECRET_ACCESS_KEY=SECRET
	export AWS_CONFIG_FILE="$dir/none" AWS_SHARED_CREDENTIALS_FILE="$dir/none"
	# The command of the page.
	serve "$programs/versitygw-$versitygw" --quiet $(sed -n 's/.*`versitygw \([^`]*\)`.*/\1/p' $page | sed "s|127.0.0.1:7070|127.0.0.1:$port|; s|/srv/buckets|$dir/s3|")
	share s3 s3://team-cache/game
	link s3 s3://team-cache/game
	! AWS_SECRET_ACCESS_KEY=another "$dir/cook" remote check -remote s3://team-cache/game >"$dir/check" 2>"$dir/why" || wrong s3 "$dir/check"
	grep -q 'refuses the request.*SignatureDoesNotMatch' "$dir/why" || wrong s3 "$dir/why"
else
	echo "servers: no S3 gateway"
fi

if ! wants bazel; then
	:
elif [ -f $bazel ] && [ -d $sources ] && command -v javac >/dev/null; then
	mkdir -p "$dir/bazel/work" "$dir/bazel/cas" "$dir/bazel/classes"
	cp -r $sources "$dir/bazel/java"
	next_port
	worker=$dir/bazel/java/com/google/devtools/build/remote/worker/RemoteWorker.java
	# It would listen to the network.
	sed -i 's/forPort(\(.*listenPort\))/forAddress(new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), \1))/' "$worker"
	grep -q getLoopbackAddress "$worker"
	find "$dir/bazel/java" -name '*.java' >"$dir/bazel/files"
	javac -proc:none -nowarn -cp $bazel -d "$dir/bazel/classes" "@$dir/bazel/files" 2>/dev/null
	serve java -cp "$dir/bazel/classes:$bazel" com.google.devtools.build.remote.worker.RemoteWorker \
		--work_path="$dir/bazel/work" --cas_path="$dir/bazel/cas" --listen_port=$port --pid_file="$dir/bazel/pid"
	share bazel "grpc://127.0.0.1:$port"
	link bazel "grpc://127.0.0.1:$port"
	farm bazel "grpc://127.0.0.1:$port"
else
	echo "servers: no worker of Bazel"
fi

if wants buildbarn; then
	next_port
	# local_storage NEW BYTES: prints a storage in memory with blocks of some bytes. NEW of the blocks
	# are new; the action cache must have one.
	local_storage() {
		echo "{ 'local': {
			keyLocationMapInMemory: { entries: 65536 }, keyLocationMapMaximumGetAttempts: 16, keyLocationMapMaximumPutAttempts: 64,
			oldBlocks: 8, currentBlocks: 24, newBlocks: $1, blocksInMemory: { blockSizeBytes: $2 },
		} }"
	}
	cat >"$dir/buildbarn.jsonnet" <<END
{
	grpcServers: [{ listenAddresses: ['127.0.0.1:$port'], authenticationPolicy: { allow: {} } }],
	maximumMessageSizeBytes: 2 * 1024 * 1024,
	global: {},
	contentAddressableStorage: {
		backend: $(local_storage 3 8388608),
		getAuthorizer: { allow: {} }, putAuthorizer: { allow: {} }, findMissingAuthorizer: { allow: {} },
	},
	actionCache: {
		backend: { completenessChecking: { backend: $(local_storage 1 1048576), maximumTotalTreeSizeBytes: 1048576 } },
		getAuthorizer: { allow: {} }, putAuthorizer: { allow: {} },
	},
}
END
	if command -v bb_storage >/dev/null; then
		serve bb_storage "$dir/buildbarn.jsonnet"
	else
		serve podman run --rm --network host -v "$dir/buildbarn.jsonnet:/config.jsonnet:ro" "$buildbarn" /config.jsonnet
	fi
	share buildbarn "grpc://127.0.0.1:$port"
	link buildbarn "grpc://127.0.0.1:$port"
fi
