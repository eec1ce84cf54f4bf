//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// traced runs a shell script in a traced directory. It returns the output and the recorded
// accesses, relative to the directory. read lists more paths that the policy allows programs to
// read.
func traced(t *testing.T, p place, script string, read ...string) (printed string, seen []string) {
	t.Helper()
	trace := &Trace{Folder: p.in, Seen: map[string]Access{}}
	printed = inBox(t, Policy{Read: read, Write: []string{p.w}, Trace: trace}, "/bin/sh", "-c", "cd '"+p.in+"' && "+script)
	for name, how := range trace.Seen {
		rel, err := filepath.Rel(p.in, name)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, fmt.Sprint([...]string{"read", "list", "exists", "missing"}[how], " ", rel))
	}
	slices.Sort(seen)
	return printed, seen
}

func TestTraceRecordsAccesses(t *testing.T) {
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
		{`cat sub/../given`, "given", []string{"exists sub", "read given"}},
		{`cat sub/up/../given`, "given", []string{"exists other", "exists sub", "read given"}},
		{`cat /proc/self/cwd/sub/a`, "a", []string{"read sub/a"}},
		{`ls sub`, "a\nup\n", []string{"list sub"}},
		{`test -e sub/a && test -d other && ! test -e gone && echo yes`, "yes\n", []string{"exists other", "missing gone", "read sub/a"}},
		{`cat out 2>&1; true`, "cat: out: Permission denied\n", []string{}},
		{`(echo x > given) 2>&-; (echo x > new) 2>&-; (echo x >> sub/a) 2>&-; cat given`, "given", []string{"read given"}},
		{`rm sub/a 2>&-; mkdir d 2>&-; mv given d 2>&-; chmod 600 sub/a 2>&-; cat given`, "given", []string{"missing d", "read given", "read sub/a"}},
		{`(cd sub && cat a ../given)`, "agiven", []string{"exists sub", "read given", "read sub/a"}},
		{`sh -c 'cat "$0"' sub/a | cat`, "a", []string{"read sub/a"}},
		{`cat <given`, "given", []string{"read given"}},
		{`./given 2>&1; true`, "/bin/sh: 1: ./given: Permission denied\n", []string{"read given"}},
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

// For a traced call, the server must make few system calls and allocate no memory.
func TestTracedCallsAreCheap(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cost := func(times int) (calls, allocated int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		box, _ := boxed(t, Policy{Read: Program(self, p.in), Write: []string{p.w}, Trace: &Trace{Folder: p.in, Seen: map[string]Access{}}},
			self, "calls", p.in+"/given", strconv.Itoa(times))
		runtime.ReadMemStats(&after)
		if box == nil {
			t.FailNow()
		}
		return box.calls, int(after.Mallocs - before.Mallocs)
	}
	const times = 2000
	calls, allocated := cost(times)
	fewCalls, fewAllocated := cost(1)
	perCall := 16 // eight to open a file (receive, read the path, open, stat, open, hand over, close, close), and eight to stat it
	if !endsByItself() {
		perCall += 2 // one call of poll
	}
	if calls -= fewCalls; calls > perCall*times+times/10 {
		t.Errorf("to open and stat %d times cost the server %d system calls, want %d for each", times, calls, perCall)
	}
	if allocated -= fewAllocated; allocated > times/10 {
		t.Errorf("to open and stat %d times cost %d allocations, want none", times, allocated)
	}
	t.Logf("to open and stat %d times: %d system calls, %d allocations", times, calls, allocated)
}

// Signals to the tracer must change nothing. If a signal interrupted the passing of a file, the
// program would get another file that is already open.
func TestSignalsDoNotDisturbTheTrace(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			threads, _ := os.ReadDir("/proc/self/task")
			for _, thread := range threads {
				if tid, err := strconv.Atoi(thread.Name()); err == nil {
					unix.Tgkill(os.Getpid(), tid, unix.SIGURG) // the Go runtime preempts threads with this signal; an error means that the thread has ended
				}
			}
			select {
			case <-over:
				return
			default:
			}
		}
	}()
	trace := &Trace{Folder: p.in, Seen: map[string]Access{}}
	inBox(t, Policy{Read: Program(self, p.in), Write: []string{p.w}, Trace: trace}, self, "calls", p.in+"/given", "20000")
	close(over)
	<-ended
	if how, ok := trace.Seen[p.in+"/given"]; !ok || how != Read {
		t.Errorf("recorded %v", trace.Seen)
	}
}

func TestKilledThreadEndsSoon(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if endsSoon(uint32(cmd.Process.Pid)) {
		t.Error("endsSoon is true for a sleeping program")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if !endsSoon(uint32(cmd.Process.Pid)) {
		t.Error("endsSoon is false for a killed program")
	}
	cmd.Wait()
	if !endsSoon(uint32(cmd.Process.Pid)) {
		t.Error("endsSoon is false for a program that has ended")
	}
}

// Results must be cached, except errors for lack of descriptors or memory.
func TestLastingRetriesForLackOfResources(t *testing.T) {
	errs := []error{fmt.Errorf("sandbox: %w", unix.EMFILE), unix.ENOMEM, unsupported("no")}
	tried := 0
	try := lasting(func() (int, error) {
		tried++
		return tried, errs[tried-1]
	})
	for i, want := range []int{1, 2, 3, 3} {
		if value, err := try(); value != want || err != errs[min(i, 2)] {
			t.Errorf("%d: %d, %v", i, value, err)
		}
	}
}

// Programs in the traced directory must run, and be recorded, if the policy allows reading it.
func TestTraceRecordsPrograms(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(cat)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/cat", "/unused"} {
		if err := os.WriteFile(p.in+name, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, read := range []string{p.in, filepath.Dir(p.in), "/"} {
		printed, seen := traced(t, p, "./cat given", read)
		if want := []string{"exists .", "read cat", "read given"}; printed != "given" || !slices.Equal(seen, want) {
			t.Errorf("with %s: %q, %q, want %q", read, printed, seen, want)
		}
	}
	if printed, seen := traced(t, p, "./cat given 2>&-; true"); printed != "" || slices.Contains(seen, "read given") {
		t.Errorf("without the directory in Read: %q, %q", printed, seen)
	}
}

func TestTraceWorksBelowDev(t *testing.T) {
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

// A file that cannot be opened for lack of descriptors must not count as missing. The trace must
// report that it is incomplete.
func TestLackOfDescriptorsMakesTheTraceIncomplete(t *testing.T) {
	for _, script := range []string{`! read x < "$1/given"`, `! read x < ../in/given`, `! test -e "$1/none"`} {
		outOfDescriptors(t, script)
	}
}

func outOfDescriptors(t *testing.T, script string) {
	needBox(t)
	p := newPlace(t)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	start, now, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer start.Close()
	var box *Box
	done := make(chan error, 1)
	Alone(func() {
		var err error
		if box, err = Enter(Policy{Write: []string{p.w}, Trace: &Trace{Folder: p.in, Seen: map[string]Access{}}}); err != nil {
			done <- err
			return
		}
		cmd := exec.Command("/bin/sh", "-c", `cd "$0"; echo > started; read now; `+script, p.w, p.in)
		cmd.Stdin = start
		err = cmd.Start()
		done <- err
		if err == nil {
			done <- cmd.Wait()
		}
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(p.w + "/started"); err == nil {
			break
		}
		runtime.Gosched()
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
	_, err = now.WriteString("now\n")
	ran := <-done
	now.Close()
	for _, fd := range open {
		unix.Close(fd)
	}
	if err := errors.Join(err, ran, unix.Setrlimit(unix.RLIMIT_NOFILE, &old)); err != nil {
		t.Fatal(err)
	}
	if err := box.End(); !errors.Is(err, ErrTrace) || !errors.Is(err, unix.EMFILE) || !strings.HasSuffix(err.Error(), "raise the limit of open files with ulimit") {
		t.Errorf("%s: the box ended with %v, want an incomplete trace: %v", script, err, unix.EMFILE)
	}
}
