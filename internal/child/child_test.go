package child

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// behaviors are the tasks of the test program when it runs as a child process.
var behaviors = map[string]func(){
	"echoes":   func() { io.Copy(os.Stdout, os.Stdin) },
	"exits":    func() { fmt.Fprintln(os.Stderr, "no such\x1b server\nat all"); os.Exit(2) },
	"succeeds": func() {},
	"warns":    func() { fmt.Fprintln(os.Stderr, "old") },
	"shouts":   func() { io.Copy(os.Stderr, io.LimitReader(endless{}, 1<<20)); os.Exit(1) },
	"closes":   func() { os.Stdout.Close(); io.Copy(io.Discard, os.Stdin); time.Sleep(time.Hour) },
	"hangs":    func() { time.Sleep(time.Hour) },
	"prints":   func() { io.Copy(os.Stdout, endless{}) },
	"leaves": func() { // starts another process that keeps the output open
		cmd := command("hangs for a while")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Start()
	},
	"hangs for a while": func() { time.Sleep(20 * time.Second) },
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'y'
	}
	return len(b), nil
}

const variable = "ASSETCOOK_TEST_CHILD"

func command(behavior string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+behavior)
	return cmd
}

func TestMain(m *testing.M) {
	if do, ok := behaviors[os.Getenv(variable)]; ok {
		do()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestReadingEnds checks that reading ends whatever the program does, and that the error describes
// the reason.
func TestReadingEnds(t *testing.T) {
	for behavior, want := range map[string]string{
		"echoes": "", "succeeds": "", "hangs": "killed", "prints": "killed", "leaves": "",
		"exits":  `exit status 2: "no such\x1b server; at all"`,
		"warns":  "the program printed: old",
		"shouts": "y (4096 bytes)",
		"closes": "the program closed its output but is still running",
	} {
		t.Run(behavior, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			p, err := Start(command(behavior))
			if err != nil {
				t.Fatal(err)
			}
			read := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, p)
				read <- err
			}()
			if behavior == "closes" {
				err = <-read
				read <- err
			}
			p.Close()
			if err := <-read; (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) && want != "killed" {
				t.Errorf("reading ended with %v, want %q", err, want)
			}
			if took := time.Since(begun); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestAllInputAndOutputPasses(t *testing.T) {
	p, err := Start(command("echoes"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(p, "hello")
	got := make([]byte, 5)
	if _, err := io.ReadFull(p, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Write([]byte("x")); err == nil {
		t.Error("Write succeeds after the program has ended")
	}
}

func TestHeadKeepsTheFirstBytes(t *testing.T) {
	h := Head{Most: 5}
	for _, text := range []string{"abc", "def", "g"} {
		if n, err := h.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if h.String() != "abcde" {
		t.Errorf("kept %q", h.String())
	}
}
