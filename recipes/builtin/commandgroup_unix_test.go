//go:build unix

package builtin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A witness is a named pipe that a script and its children keep open.
type witness struct {
	name  string
	lines *bufio.Reader
	read  *os.File
	hold  *os.File // the write end, which keeps the pipe open
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{name: filepath.Join(t.TempDir(), "fifo")}
	if err := syscall.Mkfifo(w.name, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, end := range []struct {
		file *(*os.File)
		flag int
	}{{&w.read, os.O_RDONLY}, {&w.hold, os.O_WRONLY}} {
		f, err := os.OpenFile(w.name, end.flag|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		*end.file = f
	}
	// Only a failing test waits this long.
	if err := w.read.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	w.lines = bufio.NewReader(w.read)
	return w
}

// wait reads a line from the pipe, and expects the given line.
func (w *witness) wait(t *testing.T, line string) {
	t.Helper()
	if got, err := w.lines.ReadString('\n'); err != nil || got != line+"\n" {
		t.Errorf("heard %q, error %v; want %q", got, err, line)
	}
}

// allGone waits until no process has the pipe open.
func (w *witness) allGone(t *testing.T) {
	t.Helper()
	w.hold.Close()
	if rest, err := io.ReadAll(w.lines); err != nil {
		t.Errorf("a program lives on: %v after %q", err, rest)
	}
}

func TestCommandLeavesNobodyBehind(t *testing.T) {
	for name, text := range map[string]string{
		"success": `exec 9>"$2"; echo started >&9; sleep 1000 & echo > "$1"`,
		"failure": `exec 9>"$2"; echo started >&9; sleep 1000 & (sleep 1000 & sleep 1000) & exit 1`,
	} {
		w := newWitness(t)
		res := script(text, "{out}", w.name).run(t, t.Context(), assets(t, "a"), "a")
		if (res.Err == nil) != (name == "success") {
			t.Errorf("%s: error %v", name, res.Err)
		}
		w.wait(t, "started")
		w.allGone(t)
	}
}

func TestCommandIsAskedToEnd(t *testing.T) {
	w := newWitness(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("because")
	go func() {
		w.wait(t, "started")
		cancel(because)
	}()
	res := script(`exec 9>"$2"; trap 'echo asked >&9; exit 0' TERM; sleep 1000 & echo started >&9; wait`, "{out}", w.name).
		run(t, ctx, assets(t, "a"), "a")
	if !errors.Is(res.Err, because) {
		t.Errorf("error %v, want the context's cause", res.Err)
	}
	w.wait(t, "asked")
	w.allGone(t)
}

func TestCommandIsKilledIfItWillNotEnd(t *testing.T) {
	w := newWitness(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		w.wait(t, "started")
		cancel()
	}()
	p := script(`exec 9>"$2"; trap '' TERM; (sleep 1000; echo no >&9) & echo started >&9; while :; do wait; done`, "{out}", w.name)
	p.grace = time.Millisecond
	if res := p.run(t, ctx, assets(t, "a"), "a"); !errors.Is(res.Err, context.Canceled) {
		t.Errorf("error %v, want %v", res.Err, context.Canceled)
	}
	w.allGone(t)
}

func TestCommandIsNotStartedTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res := script(`echo > "$1"`, "{out}").run(t, ctx, assets(t, "a"), "a")
	if !errors.Is(res.Err, context.Canceled) || res.Outputs[0] != nil {
		t.Errorf("error %v, output %q", res.Err, res.Outputs[0])
	}
}

// A program outside the group holds the standard output of the command open, and continues to run.
// The cook must not wait for it.
func TestCommandDoesNotWaitForStrangers(t *testing.T) {
	w := newWitness(t)
	p := &impatient{grace: time.Millisecond, commandOptions: commandOptions{
		Command: []string{os.Args[0], "escape", "{out}", w.name}, Timeout: time.Hour, Daemons: true,
	}}
	res := p.run(t, t.Context(), assets(t, "a"), "a")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	w.wait(t, "here")
	endStranger(t, w, string(res.Outputs[0]))
}

// stranger is a script that runs until it receives SIGUSR1. It prints "here" to standard error when
// it starts, and "asked" when it ends.
const stranger = `trap 'echo asked >&2; exit' USR1; echo here >&2; while :; do sleep 0.01; done`

// endStranger sends the signal to a stranger, which must still be running.
func endStranger(t *testing.T, w *witness, pid string) {
	t.Helper()
	var number int
	if _, err := fmt.Sscan(pid, &number); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(number, syscall.SIGUSR1); err != nil {
		t.Errorf("the stranger is gone: %v", err)
	}
	w.wait(t, "asked")
	w.allGone(t)
}

func init() {
	helper["escape"] = func(args []string) error {
		w, err := os.OpenFile(args[1], os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		cmd := exec.Command("sh", "-c", stranger)
		cmd.Stdout, cmd.Stderr = os.Stdout, w
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		return os.WriteFile(args[0], []byte(fmt.Sprint(cmd.Process.Pid)), 0o666)
	}
}

// A program that has stopped itself with a signal must still be killed.
func TestCommandThatStoppedItselfIsEnded(t *testing.T) {
	w := newWitness(t)
	p := script(`exec 9>"$2"; kill -STOP $$; echo no >&9`, "{out}", w.name)
	p.Timeout, p.grace = 50*time.Millisecond, 50*time.Millisecond
	wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, "sh: timed out after 50ms (timeout)")
	w.allGone(t)
}

// The output of a program must be read, but only its end must be kept.
func TestCommandThatPrintsWithoutEnd(t *testing.T) {
	const size = 100 << 20
	p := script(`echo > "$1"; yes | head -c `+fmt.Sprint(size)+`; exit 1`, "{out}")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := p.run(t, t.Context(), assets(t, "a"), "a").Err
	runtime.ReadMemStats(&after)
	wantError(t, err, "sh: exit status 1\n\t(only the last 20 lines)\n\ty\n")
	if grown := after.TotalAlloc - before.TotalAlloc; grown > size/4 {
		t.Errorf("%d bytes of memory for %d of output", grown, size)
	}
}

// The last line of a program's output must be read, even if a child process of the program
// continues to run.
func TestCommandOutputIsWhole(t *testing.T) {
	err := script(`sleep 1000 & i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; exit 1`, "{out}").
		run(t, t.Context(), assets(t, "a"), "a").Err
	if err == nil || !strings.HasSuffix(err.Error(), "\tline 4998\n\tline 4999") {
		t.Errorf("error %q, want one that ends with the last line", err)
	}
}
