package builtin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
)

// leaving returns a program that runs the script start and then the script end. In start, "$@" runs
// the script stranger. The output is the stranger's process ID. The stranger prints "here" to a
// witness.
func leaving(w *witness, start, end string) *impatient {
	text := `exec 9>"$2"
out="$1"
set -- sh -c 'exec 2>&9; echo $$ > "$0.tmp"; mv "$0.tmp" "$0"; eval "$1"' "$out" "$3"
` + start + `
until [ -e "$out" ]; do sleep 0.01; done
` + end
	p := script(text, "{out}", w.name, stranger)
	p.grace = time.Millisecond
	return p
}

const (
	ownSession = `setsid "$@" &`
	asDaemon   = `setsid sh -c 'setsid "$@" </dev/null >/dev/null 2>&1 &' sh "$@"`
)

// Processes that leave the group must be killed, however the program ends.
func TestCommandLeavesNoStrays(t *testing.T) {
	for _, start := range []string{ownSession, asDaemon} {
		for _, end := range []string{"exit 0", "exit 1", "sleep 1000"} {
			w := newWitness(t)
			ctx, cancel := context.WithCancel(t.Context())
			if end == "sleep 1000" {
				go func() {
					w.wait(t, "here")
					cancel()
				}()
			}
			res := leaving(w, start, end).run(t, ctx, assets(t, "a"), "a")
			if (res.Err == nil) != (end == "exit 0") {
				t.Errorf("%s %s: error %v", start, end, res.Err)
			}
			w.allGone(t)
			cancel()
		}
	}
}

// Many processes leave the group while their parent ends. All must be killed.
func TestCommandLeavesNoStraysThatAreBeingMade(t *testing.T) {
	w := newWitness(t)
	text := `exec 9>"$2"; for i in 1 2 3 4 5 6 7 8; do setsid setsid sleep 1000 >/dev/null 2>&1 & done; echo > "$1"`
	for range 5 {
		if res := script(text, "{out}", w.name).run(t, t.Context(), assets(t, "a"), "a"); res.Err != nil {
			t.Fatal(res.Err)
		}
	}
	w.allGone(t)
}

// A process that is not a stray must not be killed.
func TestCommandKillsNobodyElse(t *testing.T) {
	for what, tc := range map[string]struct {
		start   string
		options commandOptions
	}{
		"daemons are wanted": {ownSession, commandOptions{Daemons: true}},
		"TMPDIR of the rule": {ownSession, commandOptions{Env: map[string]string{"TMPDIR": os.TempDir()}}},
		"another TMPDIR":     {`TMPDIR="$TMPDIR"0 setsid "$@" &`, commandOptions{}},
		"no environment":     {`env -i setsid "$@" &`, commandOptions{}},
	} {
		w := newWitness(t)
		p := leaving(w, tc.start, "exit 0")
		p.Daemons, p.Env = tc.options.Daemons, tc.options.Env
		res := p.run(t, t.Context(), assets(t, "a"), "a")
		if res.Err != nil {
			t.Fatalf("%s: %v", what, res.Err)
		}
		w.wait(t, "here")
		endStranger(t, w, string(res.Outputs[0]))
	}
}

// suspects must find a process by listing all processes, and by trying process IDs.
func TestSuspects(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	if last := lastProcess(); last < 1 {
		t.Errorf("the last process is %d", last)
	}
	for what, list := range map[string][]int{
		"soon":        suspects(pid-1, pid, false),
		"late":        suspects(pid, pid, true),
		"full circle": suspects(1<<30, pid, false),
		"far":         suspects(pid-1-2*straysRange, pid, false),
		"not told":    suspects(pid-1, 0, false),
	} {
		if !slices.Contains(list, pid) {
			t.Errorf("%s: process %d is not found", what, pid)
		}
	}
	if list := suspects(pid, pid+2, false); !slices.Equal(list, []int{pid + 1, pid + 2}) {
		t.Errorf("of two new numbers %v are looked at", list)
	}
}

func TestStraysAreFoundLate(t *testing.T) {
	w := newWitness(t)
	file, err := os.OpenFile(w.name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.Command("sleep", "1000")
	cmd.Env, cmd.Stdout = []string{"TMPDIR=/a/b"}, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	s := findStrays(cmd.Env, "/a/b")
	s.after, s.since = 1<<30, s.since.Add(-time.Hour)
	s.killStrays()
	cmd.Wait()
	w.allGone(t)
}

// isStarting must report true only for a process that is about to get an environment. It must
// report false for a process with an empty environment, a dead process and a kernel thread.
func TestIsStarting(t *testing.T) {
	for what, start := range map[string]*exec.Cmd{
		"with environment":    {Path: "/bin/sleep", Args: []string{"sleep", "1000"}},
		"without environment": {Path: "/bin/sleep", Args: []string{"sleep", "1000"}, Env: []string{""}[:0]},
	} {
		if err := start.Start(); err != nil {
			t.Fatal(err)
		}
		pid := start.Process.Pid // the process has run exec, because Start returns only then
		for ready := false; !ready; ready = !isStarting(pid) {
			runtime.Gosched()
		}
		start.Process.Kill()
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
			t.Errorf("%s: %s, %v", what, text, err)
		}
		for state := ""; state != "Z"; { // a zombie, which has ended but was not waited for
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil {
				t.Fatal(err)
			}
			state = strings.Fields(string(text))[2]
		}
		if isStarting(pid) {
			t.Errorf("%s: a dead process is waited for", what)
		}
		start.Wait()
	}
	if isStarting(2) { // a kernel thread, except in a container
		t.Error("process 2 is waited for")
	}
}

// A program must die with the process that cooks, even if that process is killed.
func TestCommandDiesWithItsCooker(t *testing.T) {
	w := newWitness(t)
	cmd := exec.Command(os.Args[0], "host", w.name, t.TempDir())
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "started")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	w.allGone(t)
}

func init() {
	// host WITNESS DIR cooks with a program that does not end.
	helper["host"] = func(args []string) error {
		dir := args[1]
		if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o666); err != nil {
			return err
		}
		c := &commandOptions{Command: []string{"sh", "-c", `exec 9>"$2"; echo started >&9; exec sleep 1000`, "sh", "{out}", args[0]}, Timeout: time.Hour}
		return c.Cook(context.Background(), jobs.New(recipe.Recipe{Name: "command", UsesPath: true}, jobs.Env{
			Path: "a", Open: os.DirFS(dir).Open, Outputs: []string{filepath.Join(dir, "out")}, Assets: dir,
			Scratch: func() (string, error) { return dir, nil },
		}, 0))
	}
}

// The system kills a program when the thread that started it ends. So that thread must run until
// the program ends.
func TestCommandSurvivesThreads(t *testing.T) {
	w := newWitness(t)
	text := `exec 9>"$2"; echo started >&9; while [ ! -e go ]; do sleep 0.01; done; echo > "$1"`
	dir := assets(t, "a")
	go func() {
		w.wait(t, "started")
		for range 20 {
			var ends []chan bool
			for range 50 {
				end := make(chan bool)
				ends = append(ends, end)
				go func() {
					runtime.LockOSThread() // the goroutine stays locked, so that its thread ends
					<-end
				}()
			}
			for _, end := range ends {
				close(end)
			}
		}
		os.WriteFile(filepath.Join(dir, "go"), nil, 0o666)
	}()
	if res := script(text, "{out}", w.name).run(t, t.Context(), dir, "a"); res.Err != nil {
		t.Error(res.Err)
	}
}
