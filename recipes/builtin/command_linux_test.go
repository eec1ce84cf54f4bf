package builtin

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// The program starts itself without end. It must be stopped long before its timeout, with all
// processes that it has started.
func TestCommandThatStartsTooMany(t *testing.T) {
	defer func(n int) { maxProcesses = n }(maxProcesses)
	maxProcesses = 20
	w := newWitness(t)
	res := script(`exec 9>"$2"; echo started >&9; again() {{ (sleep 0.05; again); }}; again`, "{out}", w.name).run(t, t.Context(), assets(t, "a"), "a")
	wantError(t, res.Err, "sh: stopped: the program ran more than 20 processes at once")
	w.wait(t, "started")
	w.allGone(t)
	maxProcesses = 21
	res = script(`for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1.5 & done; wait; echo ok > "$1"`, "{out}").run(t, t.Context(), assets(t, "a"), "a")
	if res.Err != nil || string(res.Outputs[0]) != "ok\n" {
		t.Errorf("eleven processes: %q, %v", res.Outputs[0], res.Err)
	}
}

// A program that exceeds the memory or disk limit must be stopped, even if it ends before the next
// check.
func TestCommandThatTakesTooMuch(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"memory", `x=$(head -c 40000000 /dev/zero | tr '\0' x); sleep 60; echo "$x" > "$1"`, "sh: stopped: the program used more memory than 30.0 MiB (max_memory)"},
		{"disk", `head -c 30000000 /dev/zero > "$1"; head -c 30000000 /dev/zero > "$2/temp"; sleep 60`, "sh: stopped: the program wrote more than 40.0 MiB to the outputs and the scratch directory (max_disk)"},
		{"disk at once", `head -c 50000000 /dev/zero > "$1"`, "sh: stopped: the program wrote more than 40.0 MiB to the outputs and the scratch directory (max_disk)"},
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
			wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, "stopped: the program ", test.want)
		})
	}
	p := script(`x=$(head -c 10000000 /dev/zero | tr '\0' x); head -c 30000000 /dev/zero > "$1"; sleep 1.5`, "{out}")
	p.MaxMemory, p.MaxDisk = 30, 40
	if res := p.run(t, t.Context(), assets(t, "a"), "a"); res.Err != nil {
		t.Errorf("what it may take: %v", res.Err)
	}
}

func init() {
	// reach OUT NETWORK ADDRESS [NETWORK ADDRESS] connects to the first server that it can reach.
	// If it reaches none, it fails, unless one more argument follows the addresses.
	helper["reach"] = func(args []string) error {
		var last error
		for servers := args[1:]; len(servers) > 1; servers = servers[2:] {
			conn, err := net.Dial(servers[0], servers[1])
			if last = err; err == nil {
				conn.Close()
				break
			}
		}
		if last != nil && len(args)%2 == 1 {
			return last
		}
		return os.WriteFile(args[0], []byte("done"), 0o666)
	}
}

// serve listens until the test ends. It fails the test if anyone connects.
func serve(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		if conn, err := l.Accept(); err == nil {
			conn.Close()
			t.Errorf("somebody reached %s", l.Addr())
		}
	}()
	return l
}

// If a program fails because it cannot reach a server, the error must name the server.
func TestCommandThatAsksForServers(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	folder := t.TempDir()
	unix := serve(t, "unix", filepath.Join(folder, "s")).Addr().String()
	abstract := serve(t, "unix", "@cook-test-"+filepath.Base(filepath.Dir(folder))).Addr().String()
	inet := serve(t, "tcp", "127.0.0.1:0").Addr().String()
	const what = ", whose reads cook cannot see; add sandbox = false, and name all inputs in reads or by {depfile}"
	for _, tc := range []struct {
		servers []string
		want    string // "" if the program must succeed
	}{
		{[]string{"unix", unix}, "reach: exit status 1; the program tried to connect to a server at " + unix + what},
		{[]string{"unix", abstract}, "the program tried to connect to a server at " + abstract + what},
		{[]string{"tcp", inet}, "the program tried to connect to a server at " + inet + what},
		{[]string{"udp", "[::1]:9"}, "the program tried to connect to a server at [::1]:9" + what},
		{[]string{"unix", unix, "tcp", inet}, "the program tried to connect to a server at " + unix + " and 1 other" + what},
		{[]string{"unix", unix, "tcp", inet, "or else"}, ""},
		{[]string{"unix", filepath.Join(folder, "none")}, "reach: exit status 1\n"},
		{[]string{"unix", "/run/nscd/socket"}, "reach: exit status 1\n"},
	} {
		p := &impatient{commandOptions: commandOptions{Command: append([]string{os.Args[0], "reach", "{out}"}, tc.servers...), Sandbox: true, Timeout: defaultTimeout}, grace: grace}
		res := p.run(t, t.Context(), assets(t, "a"), "a")
		switch {
		case tc.want == "" && (res.Err != nil || string(res.Outputs[0]) != "done"):
			t.Errorf("%q: %q, %v", tc.servers, res.Outputs[0], res.Err)
		case tc.want != "" && res.Err == nil:
			t.Errorf("%q: no error", tc.servers)
		case tc.want != "":
			if got := strings.Replace(res.Err.Error(), os.Args[0], "reach", 1); !strings.Contains(got, tc.want) {
				t.Errorf("%q: error %q, want one with %q", tc.servers, got, tc.want)
			}
		}
	}
}

// The files of option reads must be dependencies without a sandbox, too.
func TestCommandOpenReads(t *testing.T) {
	p := script(`echo > "$1"`, "{out}")
	p.Reads = []string{"b", "/lib/none"}
	res := p.run(t, t.Context(), assets(t, "a", "b"), "a")
	deps := []recipe.Dep{{Name: "/lib/none", On: recipe.Dependency{Path: "lib/none"}}, {Name: "b", On: recipe.Dependency{Path: "b"}, Found: true}}
	if d := cmp.Diff(deps, res.Deps); d != "" || res.Err != nil {
		t.Errorf("%v: -want +got\n%s", res.Err, d)
	}
}

// If the trace is incomplete, the asset must fail, even if the program succeeds.
func TestCellTracerOutOfDescriptors(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	dir, scratch := assets(t, "a", "b"), t.TempDir()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	p := celled(`echo > "$TMPDIR/started"; until test -d go; do :; done; read x < b; echo done > "$2"`)
	p.Deps = "trace"
	job := jobs.New(named(t, "command"), jobs.Env{
		Path: "a", Open: os.DirFS(dir).Open, Outputs: []string{filepath.Join(t.TempDir(), "out")}, Assets: dir,
		Scratch: func() (string, error) { return scratch, nil },
	}, 1)
	over := make(chan error, 1)
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(scratch, "tmp/started")); err == nil {
				break
			}
			runtime.Gosched()
		}
		few := old
		few.Cur = 64
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			over <- err
			return
		}
		var open []int
		for {
			fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				break
			}
			open = append(open, fd)
		}
		err := unix.Mkdir(filepath.Join(dir, "go"), 0o777)
		for err == nil {
			if _, err := os.Stat(filepath.Join(scratch, "out/out")); err == nil {
				break
			}
			runtime.Gosched()
		}
		for _, fd := range open {
			unix.Close(fd)
		}
		over <- errors.Join(err, unix.Setrlimit(unix.RLIMIT_NOFILE, &old))
	}()
	err := p.Cook(t.Context(), job)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	wantError(t, err, "sh: cook could not record the reads of the program: too many open files; raise the limit of open files with ulimit")
}
