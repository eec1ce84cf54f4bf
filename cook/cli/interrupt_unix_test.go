//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
)

// hang is a command that never exits by itself. It prints a line when it listens for signals, and
// another line when its context ends.
func hang() {
	ctx, i := interruptible()
	i.listenForSignals()
	i.listenForSignals()
	os.Stdout.WriteString("listens\n")
	<-ctx.Done()
	os.Stdout.WriteString("interrupted\n")
	time.Sleep(time.Minute)
}

func init() { commands["hang"] = hang }

// TestInterruptTwice expects the first interrupt to cancel the context. The second interrupt must
// end the process even if the command ignores its context.
func TestInterruptTwice(t *testing.T) {
	for _, pair := range [][2]syscall.Signal{
		{syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGHUP}, {syscall.SIGHUP, syscall.SIGTERM},
	} {
		if slices.ContainsFunc(pair[:], ignored) {
			continue
		}
		p := start(t, nil, "hang")
		p.expect("listens")
		p.send(pair[0])
		p.expect("interrupted")
		p.send(pair[1])
		if code := p.wait(); code != frontend.Interrupted {
			t.Errorf("%v: exit status %d, want %d", pair, code, frontend.Interrupted)
		}
	}
}

// ignoredAtStart records the signals that this process ignored at its start, such as SIGHUP under
// nohup. signal.Ignored no longer reports this after a call of [signal.Notify].
var ignoredAtStart = map[syscall.Signal]bool{
	syscall.SIGINT:  signal.Ignored(syscall.SIGINT),
	syscall.SIGTERM: signal.Ignored(syscall.SIGTERM),
	syscall.SIGHUP:  signal.Ignored(syscall.SIGHUP),
}

// ignored reports whether commands that a test starts inherit an ignored signal.
func ignored(sig syscall.Signal) bool { return ignoredAtStart[sig] }

// TestInterruptTwiceAtOnce sends a second interrupt immediately after the first.
func TestInterruptTwiceAtOnce(t *testing.T) {
	if ignored(syscall.SIGINT) || ignored(syscall.SIGTERM) {
		t.Skip("the commands inherit an ignored signal")
	}
	for range 5 {
		p := start(t, nil, "hang")
		p.expect("listens")
		p.send(syscall.SIGINT)
		p.send(syscall.SIGTERM)
		if code := p.wait(); code != frontend.Interrupted {
			t.Errorf("exit status %d, want %d", code, frontend.Interrupted)
		}
	}
}

// A slowProject has an asset that is cooked at once, and an asset whose tool waits. The tool writes
// "started" to a named pipe, and then reads a line from a second pipe.
type slowProject struct {
	t                  *testing.T
	dir, started, wait string
}

func newSlowProject(t *testing.T) *slowProject {
	s := &slowProject{t: t, dir: t.TempDir()}
	s.started, s.wait = filepath.Join(s.dir, "started"), filepath.Join(s.dir, "wait")
	for _, name := range []string{s.started, s.wait} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"assets/a.json": `{ "big": "enough that it comes first" }`,
		"assets/b.slow": "slow",
		"assets/cook.toml": `[[rule]]
match = "*.slow"
command = ["sh", "-c", 'exec 9>"$2"; echo started >&9; read x < "$3"; echo "$x" > "$1"', "sh", "{out}", "` + s.started + `", "` + s.wait + `"]
outputs = ["{name}"]
sandbox = false
`,
	} {
		name = filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// cook starts the command with the given signals ignored.
func (s *slowProject) cook(ignored ...string) *childCook {
	return start(s.t, ignored, "cook", "-dir", filepath.Join(s.dir, "assets"), "-cache", filepath.Join(s.dir, "store"), "-j", "1", "-v")
}

// hold waits until the tool has started. The returned reader reaches its end when the tool and its
// children have exited.
func (s *slowProject) hold() *bufio.Reader {
	s.t.Helper()
	f, err := os.Open(s.started) // blocks until the tool opens the pipe
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { f.Close() })
	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); line != "started\n" {
		s.t.Fatalf("the tool wrote %q, %v", line, err)
	}
	return r
}

func (s *slowProject) release() {
	if err := os.WriteFile(s.wait, []byte("done\n"), 0); err != nil {
		s.t.Error(err)
	}
}

func TestInterruptKeepsFinishedAssets(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if ignored(sig) {
			continue
		}
		s := newSlowProject(t)
		p := s.cook()
		program := s.hold()
		p.send(sig)
		if code := p.wait(); code != frontend.Interrupted {
			t.Errorf("%v: exit status %d, want %d", sig, code, frontend.Interrupted)
		}
		if !strings.Contains(p.errors.String(), "cook: interrupted; finished assets are kept\n") {
			t.Errorf("%v: says %q", sig, p.errors.String())
		}
		if rest, err := io.ReadAll(program); err != nil || len(rest) > 0 {
			t.Errorf("%v: the tool still runs: %q, %v", sig, rest, err)
		}
		p = s.cook()
		s.hold()
		s.release()
		if code := p.wait(); code != frontend.OK || !strings.Contains(p.remaining(), "cook: 2 assets: 1 up to date, 1 cooked in ") {
			t.Errorf("%v: then exit status %d, %s", sig, code, p.remaining())
		}
		text, err := os.ReadFile(filepath.Join(s.dir, "cooked", "b.slow"))
		if string(text) != "done\n" {
			t.Errorf("%v: cooked to %q, %v", sig, text, err)
		}
	}
}

func TestInterruptIgnored(t *testing.T) {
	s := newSlowProject(t)
	p := s.cook("HUP", "INT")
	s.hold()
	p.send(syscall.SIGHUP)
	p.send(syscall.SIGINT)
	s.release()
	if code := p.wait(); code != frontend.OK {
		t.Errorf("exit status %d: %s", code, p.errors.String())
	}
}

// A childCook is a process of this test binary that runs one of its commands.
type childCook struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Reader
	errors bytes.Buffer
	rest   string
}

// start starts a command with the given signals ignored.
func start(t *testing.T, ignored []string, command string, args ...string) *childCook {
	t.Helper()
	// The test binary selects the command by the name of this link.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), command)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	// A child process inherits ignored signals, so this process must handle them.
	received := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(received, sig)
		}
	}
	defer signal.Stop(received)
	script := `exec "$0" "$@"`
	if len(ignored) > 0 {
		script = "trap '' " + strings.Join(ignored, " ") + "; " + script
	}
	p := &childCook{t: t, cmd: exec.Command("sh", append([]string{"-c", script, name}, args...)...)}
	p.cmd.Stderr = &p.errors
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() { kill.Stop() })
	return p
}

func (p *childCook) expect(line string) {
	p.t.Helper()
	if got, err := p.out.ReadString('\n'); got != line+"\n" {
		p.t.Fatalf("says %q, %v; want %q", got, err, line)
	}
}

func (p *childCook) send(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Error(err)
	}
}

// wait returns the exit status, or -1 if a signal ended the process.
func (p *childCook) wait() int {
	rest, _ := io.ReadAll(p.out)
	p.rest = string(rest)
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// remaining returns the rest of the output, after the process has exited.
func (p *childCook) remaining() string { return p.rest }
