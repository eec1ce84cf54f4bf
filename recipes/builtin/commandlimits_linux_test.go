package builtin

import (
	"runtime"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/sandbox"
)

// A program that starts itself without end is stopped long before its time is over, with all
// that it has started.
func TestCommandThatStartsTooMany(t *testing.T) {
	defer func(n int) { maxProcesses = n }(maxProcesses)
	maxProcesses = 20
	w := newWitness(t)
	res := script(`exec 9>"$2"; echo started >&9; again() {{ (sleep 0.05; again); }}; again`, "{out}", w.name).run(t, t.Context(), assets(t, "a"), "a")
	wantError(t, res.Err, "sh: stopped: it was more than 20 processes at once")
	w.wait(t, "started")
	w.allGone(t)
	maxProcesses = 21
	res = script(`for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1.5 & done; wait; echo ok > "$1"`, "{out}").run(t, t.Context(), assets(t, "a"), "a")
	if res.Err != nil || string(res.Outputs[0]) != "ok\n" {
		t.Errorf("eleven processes: %q, %v", res.Outputs[0], res.Err)
	}
}

// So is one that takes the machine's memory, or fills the disk: while it runs, or by its end.
func TestCommandThatTakesTooMuch(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"memory", `x=$(head -c 40000000 /dev/zero | tr '\0' x); sleep 60; echo "$x" > "$1"`, "sh: stopped: it took more than 30.0 MiB of memory (max_memory)"},
		{"disk", `head -c 30000000 /dev/zero > "$1"; head -c 30000000 /dev/zero > "$2/temp"; sleep 60`, "sh: stopped: it wrote more than 40.0 MiB to its outputs and its scratch directory (max_disk)"},
		{"disk at once", `head -c 50000000 /dev/zero > "$1"`, "sh: stopped: it wrote more than 40.0 MiB to its outputs and its scratch directory (max_disk)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := script(test.script, "{out}", "{scratch}")
			p.MaxMemory, p.MaxDisk = 30, 40
			wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, test.want)
		})
	}
	for _, test := range []struct{ name, script, want string }{
		{"another file beside the output", `head -c 30000000 /dev/zero > "$(dirname "$1")/junk"; head -c 30000000 /dev/zero > "$1"`, "max_disk"},
		{"a file without a name", `exec 5> "$2/x"; rm "$2/x"; head -c 30000000 /dev/zero >&5; exec 6> "$2/y"; rm "$2/y"; head -c 30000000 /dev/zero >&6; sleep 60`, "max_disk"},
		{"one file", `until [ "$(ulimit -f)" != unlimited ]; do sleep 0.01; done; head -c 50000000 /dev/zero > "$2/x" || exit 153; rm "$2/x"; echo > "$1"`, "max_disk"},
		{"reserved at once", `until [ "$(ulimit -f)" != unlimited ]; do sleep 0.01; done; fallocate -l 50M "$2/x" || exit 153; rm "$2/x"; echo > "$1"`, "max_disk"},
		{"many small files", `mkdir "$2/many"; seq -f "$2/many/%g" 12000 | xargs touch; echo > "$1"`, "max_disk"},
		{"another session", `setsid sh -c 'x=$(head -c 40000000 /dev/zero | tr "\0" x); sleep 60'; echo > "$1"`, "max_memory"},
		{"shared memory", `perl -e 'require "syscall.ph" if 0; my $p = syscall(9, 0, 100 << 20, 3, 0x21, -1, 0); syscall(0, fileno(Z), $p, 100 << 20) if open(Z, "<", "/dev/zero"); sleep 60'; echo > "$1"`, "max_memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if sandbox.Supported() != nil {
				t.Skip(sandbox.Supported())
			}
			if strings.Contains(test.script, "perl") && runtime.GOARCH != "amd64" {
				t.Skip("numbers of system calls")
			}
			p := script(test.script, "{out}", "{scratch}")
			p.Sandbox = true
			p.MaxMemory, p.MaxDisk = 30, 40
			wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, "stopped: it", test.want)
		})
	}
	p := script(`x=$(head -c 10000000 /dev/zero | tr '\0' x); head -c 30000000 /dev/zero > "$1"; sleep 1.5`, "{out}")
	p.MaxMemory, p.MaxDisk = 30, 40
	if res := p.run(t, t.Context(), assets(t, "a"), "a"); res.Err != nil {
		t.Errorf("what it may take: %v", res.Err)
	}
}
