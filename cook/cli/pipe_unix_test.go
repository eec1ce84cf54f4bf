//go:build unix

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A reader that goes away ends the printing, not the run: its exit status and its outputs
// are those of a run whose output is read.
func TestClosedPipe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "cook") // the name of the link selects the command
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		bad  int // sources that fail
		code int
	}{
		{"reasons", []string{"-explain", "-v"}, 0, exitOK},
		{"records", []string{"-json"}, 0, exitOK},
		{"failures", []string{"-explain", "-v"}, 5, exitFailed},
		{"records of failures", []string{"-json"}, 5, exitFailed},
		{"wrong usage", []string{"-frobnicate"}, 0, exitUsage},
	} {
		dir := t.TempDir()
		for i := range 200 {
			text := "[1, 2]"
			if i < tt.bad {
				text = "[1,"
			}
			name := filepath.Join(dir, "assets", fmt.Sprintf("%d.json", i))
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		var all oracle.Tree // of the run whose output is read
		for run, closed := range [][2]int{{-1, -1}, {0, -1}, {-1, 0}, {0, 0}, {1, -1}} {
			t.Run(fmt.Sprint(tt.name, closed), func(t *testing.T) {
				out := filepath.Join(dir, fmt.Sprint("cooked", run))
				cmd := exec.Command(program, append(tt.args, "-dir", filepath.Join(dir, "assets"), "-out", out)...)
				cmd.Env = append(os.Environ(), "COOKCACHE="+filepath.Join(dir, fmt.Sprint("store", run)))
				if code := runPiped(t, cmd, closed); code != tt.code {
					t.Errorf("%d and %d lines read: exit status %d, want %d", closed[0], closed[1], code, tt.code)
				}
				if tt.code == exitUsage {
					return
				}
				cooked, err := oracle.ReadTree(out)
				if err != nil {
					t.Fatal(err)
				}
				if run == 0 {
					all = cooked
				}
				if d := all.Diff(cooked); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// Only a pipe without a reader is no error.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	s := &stream{file: full}
	for range 2 {
		if n, err := s.Write([]byte("text")); n != 0 || err == nil {
			t.Errorf("wrote %d bytes: %v", n, err)
		}
	}
}

// A pipe that is slow, and does not let its writer wait, gets all of it.
func TestSlowPipe(t *testing.T) {
	r, w, err := os.Pipe() // does not block
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text := strings.Repeat("a line\n", 100_000)
	go func() {
		defer w.Close()
		if n, err := (&stream{file: w}).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("wrote %d bytes: %v", n, err)
		}
	}()
	if got, err := io.ReadAll(r); string(got) != text || err != nil {
		t.Errorf("read %d bytes: %v", len(got), err)
	}
}

// runPiped runs a command and reads so many lines of its output and of its errors before
// it closes the pipe; -1 is all.
func runPiped(t *testing.T, cmd *exec.Cmd, lines [2]int) (code int) {
	t.Helper()
	var readers [2]*os.File
	for i, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		readers[i], *to = r, w
		if lines[i] == 0 {
			r.Close()
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	for i, r := range readers {
		go func() {
			defer func() { done <- struct{}{} }()
			switch lines[i] {
			case 0:
			case -1:
				io.Copy(io.Discard, r)
			default:
				buffered := bufio.NewReaderSize(r, 16)
				for range lines[i] {
					buffered.ReadString('\n')
				}
				r.Close()
			}
		}()
	}
	err := cmd.Wait()
	cmd.Stdout.(*os.File).Close() // so that reading all ends
	cmd.Stderr.(*os.File).Close()
	<-done
	<-done
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}
