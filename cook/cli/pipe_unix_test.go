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
	"testing"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// TestClosedPipe closes the reader of cook's output. The run must continue, with the same exit
// status and outputs.
func TestClosedPipe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "cook") // the test binary selects the command by the name of this link
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		bad  int // number of invalid sources
		code int
	}{
		{"reasons", []string{"-explain", "-v"}, 0, frontend.OK},
		{"records", []string{"-json"}, 0, frontend.OK},
		{"failures", []string{"-explain", "-v"}, 5, frontend.Failed},
		{"records of failures", []string{"-json"}, 5, frontend.Failed},
		{"wrong usage", []string{"-frobnicate"}, 0, frontend.Usage},
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
		var all oracle.Tree
		for run, closed := range [][2]int{{-1, -1}, {0, -1}, {-1, 0}, {0, 0}, {1, -1}} {
			t.Run(fmt.Sprint(tt.name, closed), func(t *testing.T) {
				out := filepath.Join(dir, fmt.Sprint("cooked", run))
				cmd := exec.Command(program, append(tt.args, "-dir", filepath.Join(dir, "assets"), "-out", out)...)
				cmd.Env = append(os.Environ(), "COOKCACHE="+filepath.Join(dir, fmt.Sprint("store", run)))
				if code := runPiped(t, cmd, closed); code != tt.code {
					t.Errorf("%d and %d lines read: exit status %d, want %d", closed[0], closed[1], code, tt.code)
				}
				if tt.code == frontend.Usage {
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

// runPiped runs a command and closes its pipes after reading the given number of lines of standard
// output and standard error. A count of -1 reads all lines.
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
	cmd.Stdout.(*os.File).Close()
	cmd.Stderr.(*os.File).Close()
	<-done
	<-done
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}
