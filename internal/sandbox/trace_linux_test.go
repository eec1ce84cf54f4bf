//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// traced runs a shell script in a folder that is traced, and returns what it prints and
// what was recorded, relative to the folder.
func traced(t *testing.T, p place, script string) (printed string, seen []string) {
	t.Helper()
	records := map[string]bool{}
	printed = inBox(t, Policy{Write: []string{p.w}, Trace: &Trace{Folder: p.in, Record: func(name string, how Access) {
		rel, err := filepath.Rel(p.in, name)
		if err != nil {
			t.Error(err)
		}
		records[fmt.Sprint([...]string{"read", "list", "exists", "missing"}[how], " ", rel)] = true
	}}}, "/bin/sh", "-c", "cd '"+p.in+"' && "+script)
	return printed, slices.Sorted(maps.Keys(records))
}

func TestTrace(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	for _, dir := range []string{"/sub", "/other"} {
		if err := os.Mkdir(p.in+dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"/link": "given", "/out": "../out/secret", "/sublink": "sub", "/sub/up": "../other"} {
		if err := os.Symlink(to, p.in+name); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"/sub/a": "a", "/other/b": "b"} {
		if err := os.WriteFile(p.in+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		script, printed string
		seen            []string
	}{
		{`cat given`, "given", []string{"read given"}},
		{`cat nothing none/x 2>&-; true`, "", []string{"missing none/x", "missing nothing"}},
		{`cat link`, "given", []string{"read link"}},
		{`cat sublink/a`, "a", []string{"read sublink/a"}},
		{`cat sub/../given`, "given", []string{"read given"}},
		{`cat sub/up/../given`, "given", []string{"read given"}},
		{`cat /proc/self/cwd/sub/a`, "a", []string{"read sub/a"}},
		{`ls sub`, "a\nup\n", []string{"exists sub", "list sub"}},
		{`test -e sub/a && test -d other && ! test -e gone && echo yes`, "yes\n", []string{"exists other", "missing gone", "read sub/a"}},
		{`cat out 2>&1; true`, "cat: out: Permission denied\n", []string{"read out"}},
		{`(echo x > given) 2>&-; (echo x > new) 2>&-; (echo x >> sub/a) 2>&-; cat given`, "given", []string{"read given"}},
		{`rm sub/a 2>&-; mkdir d 2>&-; mv given d 2>&-; chmod 600 sub/a 2>&-; cat given`, "given", []string{"missing d", "read given", "read sub/a"}},
		{`(cd sub && cat a ../given)`, "agiven", []string{"read given", "read sub/a"}},
		{`sh -c 'cat "$0"' sub/a | cat`, "a", []string{"read sub/a"}},
		{`cat <given`, "given", []string{"read given"}},
		{`./given 2>&1; true`, "/bin/sh: 1: ./given: Permission denied\n", nil},
		{`mkfifo sub/p 2>&-; cat sub/p 2>&-; true`, "", []string{"missing sub/p"}},
	} {
		printed, seen := traced(t, p, tc.script)
		seen = slices.DeleteFunc(seen, func(s string) bool { return s == "exists ." || s == "list ." })
		if d := cmp.Diff(tc.printed, printed); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.script, d)
		}
		if d := cmp.Diff(tc.seen, seen); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.script, d)
		}
	}
	if text, err := os.ReadFile(p.in + "/given"); err != nil || string(text) != "given" {
		t.Errorf("%q, %v", text, err)
	}
}

// A folder is traced wherever it lies, below /dev as well.
func TestTraceBelowDev(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	dir, err := os.MkdirTemp("/dev/shm", "")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	p.in = dir
	if err := os.WriteFile(dir+"/given", []byte("given"), 0o644); err != nil {
		t.Fatal(err)
	}
	printed, seen := traced(t, p, "cat given")
	if printed != "given" || !slices.Contains(seen, "read given") {
		t.Errorf("%q, %q", printed, seen)
	}
}

// What cannot be opened for a program, for want of descriptors, is no file that is not there:
// the trace says that it saw too little.
func TestTraceOutOfDescriptors(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	var box *Box
	done := make(chan error, 1)
	Alone(func() {
		var err error
		if box, err = Enter(Policy{Write: []string{p.w}, Trace: &Trace{Folder: p.in, Record: func(string, Access) {}}}); err != nil {
			done <- err
			return
		}
		cmd := exec.Command("/bin/sh", "-c", `until test -d "$0/none-left"; do sleep 0.02; done; ! cat "$1/given"`, p.w, p.in)
		err = cmd.Start()
		done <- err
		if err == nil {
			done <- cmd.Wait()
		}
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	few := old
	few.Cur = 64
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var open []int
	for {
		fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		open = append(open, fd)
	}
	err := unix.Mkdir(p.w+"/none-left", 0o777)
	ran := <-done
	for _, fd := range open {
		unix.Close(fd)
	}
	if err := errors.Join(err, ran, unix.Setrlimit(unix.RLIMIT_NOFILE, &old)); err != nil {
		t.Fatal(err)
	}
	if err := box.End(); !errors.Is(err, ErrTrace) || !errors.Is(err, unix.EMFILE) {
		t.Errorf("the box ended with %v, want that it saw too little: %v", err, unix.EMFILE)
	}
}
