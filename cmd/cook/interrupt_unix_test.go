//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// deaf is a command that never ends by itself once it has begun: it tells that it
// listens, and when its context has ended.
func deaf() {
	ctx, i := interruptible()
	i.listen()
	i.listen() // as the clock does once more
	os.Stdout.WriteString("listens\n")
	<-ctx.Done()
	os.Stdout.WriteString("interrupted\n")
	time.Sleep(time.Minute) // only if the test fails
}

func init() { commands["deaf"] = deaf }

// The first interrupt ends the context and the second the process, though nobody
// may look at the context.
func TestInterruptTwice(t *testing.T) {
	for _, pair := range [][2]syscall.Signal{
		{syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGHUP}, {syscall.SIGHUP, syscall.SIGTERM},
	} {
		p := start(t, nil, "deaf")
		p.expect("listens")
		p.send(pair[0])
		p.expect("interrupted")
		p.send(pair[1])
		if code := p.wait(); code != exitInterrupted {
			t.Errorf("%v: exit status %d, want %d", pair, code, exitInterrupted)
		}
	}
}

// An interrupt that comes right behind another is not lost.
func TestInterruptTwiceAtOnce(t *testing.T) {
	for range 5 {
		p := start(t, nil, "deaf")
		p.expect("listens")
		p.send(syscall.SIGINT)
		p.send(syscall.SIGTERM)
		if code := p.wait(); code != exitInterrupted {
			t.Errorf("exit status %d, want %d", code, exitInterrupted)
		}
	}
}

// A kitchen has an asset that is cooked at once, and one whose program says
// "started" and then waits for something to be written to a pipe.
type kitchen struct {
	t                  *testing.T
	dir, started, wait string
}

func newKitchen(t *testing.T) *kitchen {
	k := &kitchen{t: t, dir: t.TempDir()}
	k.started, k.wait = filepath.Join(k.dir, "started"), filepath.Join(k.dir, "wait")
	for _, name := range []string{k.started, k.wait} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"assets/a.json": `{ "big": "enough that it comes first" }`,
		"assets/b.slow": "slow",
		"assets/cook.toml": `[[rule]]
match = "*.slow"
command = ["sh", "-c", 'exec 9>"$2"; echo started >&9; read x < "$3"; echo "$x" > "$1"', "sh", "{out}", "` + k.started + `", "` + k.wait + `"]
outputs = ["{name}"]
`,
	} {
		name = filepath.Join(k.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// cook starts the command, by another program if ignored names signals.
func (k *kitchen) cook(ignored ...string) *process {
	return start(k.t, ignored, "cook", "-dir", filepath.Join(k.dir, "assets"), "-cache", filepath.Join(k.dir, "store"), "-j", "1", "-v")
}

// hold opens the pipe in which the program tells that it has started, and waits
// for that. What is returned ends when nobody holds the pipe any more.
func (k *kitchen) hold() *bufio.Reader {
	k.t.Helper()
	f, err := os.Open(k.started) // waits for who writes
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { f.Close() })
	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); line != "started\n" {
		k.t.Fatalf("the program says %q, %v", line, err)
	}
	return r
}

// release lets the program go on.
func (k *kitchen) release() {
	if err := os.WriteFile(k.wait, []byte("done\n"), 0); err != nil {
		k.t.Error(err)
	}
}

// What was finished before an interrupt is kept, and the next run does the rest.
func TestInterruptKeepsWhatIsFinished(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		k := newKitchen(t)
		p := k.cook()
		program := k.hold()
		p.send(sig)
		if code := p.wait(); code != exitInterrupted {
			t.Errorf("%v: exit status %d, want %d", sig, code, exitInterrupted)
		}
		if !strings.Contains(p.errors.String(), "cook: interrupted; what was finished is kept\n") {
			t.Errorf("%v: says %q", sig, p.errors.String())
		}
		if rest, err := io.ReadAll(program); err != nil || len(rest) > 0 {
			t.Errorf("%v: the program goes on: %q, %v", sig, rest, err)
		}
		p = k.cook()
		k.hold()
		k.release()
		if code := p.wait(); code != exitOK || !strings.Contains(p.said(), "cook: 2 assets: 1 up to date, 0 cutoff, 0 restored, 1 cooked, 0 failed") {
			t.Errorf("%v: then exit status %d, %s", sig, code, p.said())
		}
		text, err := os.ReadFile(filepath.Join(k.dir, "cooked", "b.slow"))
		if string(text) != "done\n" {
			t.Errorf("%v: cooked to %q, %v", sig, text, err)
		}
	}
}

// What a cook's starter wants ignored is ignored.
func TestInterruptIgnored(t *testing.T) {
	k := newKitchen(t)
	p := k.cook("HUP", "INT")
	k.hold()
	p.send(syscall.SIGHUP)
	p.send(syscall.SIGINT)
	k.release()
	if code := p.wait(); code != exitOK {
		t.Errorf("exit status %d: %s", code, p.errors.String())
	}
}

// A process is this test binary, as another command.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Reader
	errors bytes.Buffer
	rest   string
}

// start starts a command that does not hear some signals.
func start(t *testing.T, ignored []string, command string, args ...string) *process {
	t.Helper()
	// This binary is the command that it is called.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), command)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	// What these tests' own parent ignores, as nohup does, is not to be ignored here.
	heard := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(heard, sig)
		}
	}
	defer signal.Stop(heard)
	script := `exec "$0" "$@"`
	if len(ignored) > 0 {
		script = "trap '' " + strings.Join(ignored, " ") + "; " + script
	}
	p := &process{t: t, cmd: exec.Command("sh", append([]string{"-c", script, name}, args...)...)}
	p.cmd.Stderr = &p.errors
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Only a failing test waits for so long.
	kill := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() { kill.Stop() })
	return p
}

func (p *process) expect(line string) {
	p.t.Helper()
	if got, err := p.out.ReadString('\n'); got != line+"\n" {
		p.t.Fatalf("says %q, %v; want %q", got, err, line)
	}
}

func (p *process) send(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Error(err)
	}
}

// wait returns the exit status, -1 after a signal.
func (p *process) wait() int {
	rest, _ := io.ReadAll(p.out)
	p.rest = string(rest)
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// said is what was printed and not expected, once the process has ended.
func (p *process) said() string { return p.rest }

func TestListensBeforeWork(t *testing.T) {
	heard := 0
	w := workWatch{listen: func() { heard++ }}
	w.Planned(0, 0)
	if heard != 0 {
		t.Error("listens without work")
	}
	w.Planned(1, 0)
	if heard != 1 {
		t.Error("does not listen before work")
	}
}
