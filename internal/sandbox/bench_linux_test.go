//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A keeper is a way to start a program so that it is confined or watched; bare is neither.
type keeper struct {
	name   string
	needs  string // a program, "" for none
	prefix func(w, tree string) []string
	box    func(w, tree string) *Policy
}

var keepers = []keeper{
	{name: "bare"},
	{name: "boxed", box: func(w, tree string) *Policy { return &Policy{Read: []string{tree}, Write: []string{w}} }},
	{name: "traced", box: func(w, tree string) *Policy {
		return &Policy{Write: []string{w}, Trace: &Trace{Folder: tree, Record: func(string, Access) {}}}
	}},
	{name: "bubblewrap", needs: "bwrap", prefix: func(w, tree string) []string {
		return []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", w, w, "--unshare-all", "--die-with-parent"}
	}},
	{name: "strace", needs: "strace", prefix: func(string, string) []string {
		return []string{"strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=%file", "-o", "/dev/null"}
	}},
}

// run starts a program and waits for it.
func (k *keeper) run(b *testing.B, w, tree string, argv ...string) []byte {
	b.Helper()
	if k.prefix != nil {
		argv = append(k.prefix(w, tree), argv...)
	}
	out, err := os.CreateTemp(w, "")
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	done := make(chan error, 1)
	var box *Box
	Alone(func() {
		if k.box != nil {
			var err error
			if box, err = Enter(*k.box(w, tree)); err != nil {
				done <- err
				return
			}
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Stdout, cmd.Stderr = out, out
		err := cmd.Run()
		if box != nil {
			box.Kill()
		}
		done <- err
	})
	if err := <-done; err != nil {
		text, _ := os.ReadFile(out.Name())
		b.Fatalf("%s: %v: %s", k.name, err, text)
	}
	if box != nil {
		box.End()
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		b.Fatal(err)
	}
	return text
}

func each(b *testing.B, do func(b *testing.B, k *keeper)) {
	for i := range keepers {
		k := &keepers[i]
		b.Run(k.name, func(b *testing.B) {
			if _, err := exec.LookPath(k.needs); k.needs != "" && err != nil {
				b.Skip(err)
			}
			if k.box != nil && Supported() != nil {
				b.Skip(Supported())
			}
			do(b, k)
		})
	}
}

// BenchmarkStart is what it costs to start a program that does nothing, to wait for it,
// and to see that nobody is left.
func BenchmarkStart(b *testing.B) {
	each(b, func(b *testing.B, k *keeper) {
		w, tree := b.TempDir(), b.TempDir()
		for b.Loop() {
			k.run(b, w, tree, "/bin/true")
		}
	})
}

// BenchmarkCall is what it costs a program to open and close a file of the tree, and to
// look at one.
func BenchmarkCall(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		b.Fatal(err)
	}
	each(b, func(b *testing.B, k *keeper) {
		w, tree := b.TempDir(), b.TempDir()
		program := w + "/program"
		if err := os.WriteFile(program, text, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(tree+"/file", []byte("text"), 0o644); err != nil {
			b.Fatal(err)
		}
		printed := k.run(b, w, tree, program, "calls", tree+"/file", strconv.Itoa(max(b.N, 100)))
		var open, stat float64
		if _, err := fmt.Sscan(strings.TrimSpace(string(printed)), &open, &stat); err != nil {
			b.Fatalf("%q: %v", printed, err)
		}
		b.ReportMetric(open, "ns/open")
		b.ReportMetric(stat, "ns/stat")
	})
}

// calls opens and closes a file, looks at it, each so many times, and prints how many
// nanoseconds each took.
func calls(file, times string) {
	n, err := strconv.Atoi(times)
	if err != nil {
		panic(err)
	}
	each := func(do func() error) float64 {
		begin := time.Now()
		for range n {
			if err := do(); err != nil {
				panic(err)
			}
		}
		return float64(time.Since(begin)) / float64(n)
	}
	open := each(func() error {
		fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	})
	var st unix.Stat_t
	stat := each(func() error { return unix.Stat(file, &st) })
	fmt.Println(open, stat)
}
