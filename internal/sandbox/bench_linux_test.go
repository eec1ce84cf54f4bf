//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A keeper is one way to run a program: sandboxed, traced, or without either.
type keeper struct {
	name   string
	needs  string // name of the required program; "" for none
	prefix func(w, tree string) []string
	box    func(w, tree string) *Policy
	enter  func(tree string) error // confines the thread without a Box; may be nil
}

var keepers = []keeper{
	{name: "bare"},
	{name: "boxed", box: func(w, tree string) *Policy { return &Policy{Read: []string{tree}, Write: []string{w}} }},
	{name: "traced", box: func(w, tree string) *Policy {
		return &Policy{Write: []string{w}, Trace: &Trace{Folder: tree, Seen: map[string]Access{}}}
	}},
	{name: "asked", enter: func(string) error { return answerAtOnce(-1) }},
	{name: "handed", enter: func(tree string) error {
		fd, err := unix.Open(tree+"/file", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return answerAtOnce(fd)
	}},
	{name: "bubblewrap", needs: "bwrap", prefix: func(w, tree string) []string {
		return []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", w, w, "--unshare-all", "--die-with-parent"}
	}},
	{name: "strace", needs: "strace", prefix: func(string, string) []string {
		return []string{"strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=%file", "-o", "/dev/null"}
	}},
}

// answerAtOnce answers each call that names a file immediately, without examining it. So it
// measures the cost of switching to the answering thread and back. If file is not -1, every openat
// call gets a copy of this descriptor.
func answerAtOnce(file int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	listener, err := installFilter(scoped, slices.DeleteFunc(slices.Collect(maps.Keys(naming())), func(nr uint32) bool { return nr == unix.SYS_EXECVE || nr == unix.SYS_CHDIR }), 0)
	if err != nil {
		return err
	}
	wakeAtOnce(listener)
	go func() {
		defer unix.Close(listener)
		s := &server{Box: new(Box), listener: listener}
		for polls := !endsByItself(); !polls || !s.hungUp(); {
			s.n = notice{}
			if s.listenerIoctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&s.n)) != 0 {
				if s.hungUp() {
					return
				}
				continue
			}
			s.a = answer{id: s.n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
			if file >= 0 && s.n.number == unix.SYS_OPENAT {
				s.over = addFD{id: s.n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, from: uint32(file), closeExec: unix.O_CLOEXEC}
				s.listenerIoctl(ioctlAddFD, unsafe.Pointer(&s.over))
				continue
			}
			s.listenerIoctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&s.a))
		}
	}()
	return nil
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
		if k.enter != nil {
			if err := k.enter(tree); err != nil {
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

// missing returns the reason why a keeper cannot run on this machine, or nil.
func (k *keeper) missing() error {
	if _, err := exec.LookPath(k.needs); k.needs != "" && err != nil {
		return err
	}
	if k.box != nil || k.enter != nil {
		return Supported()
	}
	return nil
}

// A sample maps the names of measurements to their values in all rounds.
type sample map[string][]float64

func (s sample) add(name string, value float64) { s[name] = append(s[name], value) }

// report reports the median of each measurement.
func (s sample) report(b *testing.B) {
	for name, values := range s {
		slices.Sort(values)
		b.ReportMetric(values[len(values)/2], "ns/"+name)
	}
}

// BenchmarkStart measures how long it takes to start a program that does nothing, and to wait until
// no process is left. It reports the median of b.N rounds. Each round runs all keepers in turn, so
// that other load on the machine affects them equally.
func BenchmarkStart(b *testing.B) {
	w, tree, took := b.TempDir(), b.TempDir(), sample{}
	for range b.N {
		for i := range keepers {
			if k := &keepers[i]; k.enter == nil && k.missing() == nil {
				begin := time.Now()
				k.run(b, w, tree, "/bin/true")
				took.add(k.name, float64(time.Since(begin)))
			}
		}
	}
	took.report(b)
}

// BenchmarkCall measures how long a program takes to open and close a file of the tree, and to stat
// a file. It reports the median of b.N rounds of 2,000 calls each.
func BenchmarkCall(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		b.Fatal(err)
	}
	w, tree := b.TempDir(), b.TempDir()
	program := w + "/program"
	if err := os.WriteFile(program, text, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(tree+"/file", []byte("text"), 0o644); err != nil {
		b.Fatal(err)
	}
	took := sample{}
	for range b.N {
		for i := range keepers {
			k := &keepers[i]
			if why := k.missing(); why != nil {
				continue
			}
			printed := k.run(b, w, tree, program, "calls", tree+"/file", "2000")
			var open, stat float64
			if _, err := fmt.Sscan(strings.TrimSpace(string(printed)), &open, &stat); err != nil {
				b.Fatalf("%q: %v", printed, err)
			}
			took.add(k.name+"-open", open)
			took.add(k.name+"-stat", stat)
		}
	}
	took.report(b)
}

// calls opens, closes and stats a file the given number of times. It prints the mean nanoseconds of
// each operation.
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
		if err == nil && fd < 3 {
			err = fmt.Errorf("%s is open as %d, which is another file", file, fd)
		}
		return err
	})
	var st unix.Stat_t
	stat := each(func() error { return unix.Stat(file, &st) })
	fmt.Println(open, stat)
}
