package lease

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// newFile creates a file of one page.
func newFile(t testing.TB) string {
	name := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(name, make([]byte, 4096), 0o666))
	return name
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ask(t testing.TB, name string) Answer {
	t.Helper()
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	return File(f)
}

// mapping maps a file of one page and closes the descriptor.
func mapping(t testing.TB, name string, flag, prot, kind int) []byte {
	t.Helper()
	f, err := os.OpenFile(name, flag, 0)
	must(t, err)
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, 4096, prot, kind)
	must(t, err)
	return m
}

func TestWritersMakeFilesBusy(t *testing.T) {
	const rw = unix.PROT_READ | unix.PROT_WRITE
	hold := func(flag int) func(t *testing.T, name string) func() {
		return func(t *testing.T, name string) func() {
			f, err := os.OpenFile(name, flag, 0)
			must(t, err)
			return func() { f.Close() }
		}
	}
	mapped := func(flag, prot, kind int) func(t *testing.T, name string) func() {
		return func(t *testing.T, name string) func() {
			m := mapping(t, name, flag, prot, kind)
			return func() { must(t, unix.Munmap(m)) }
		}
	}
	for what, tt := range map[string]struct {
		hold func(t *testing.T, name string) (release func())
		want Answer
	}{
		"nobody":                      {func(*testing.T, string) func() { return func() {} }, Quiet},
		"a reader":                    {hold(os.O_RDONLY), Quiet},
		"a writer":                    {hold(os.O_WRONLY), Busy},
		"one who reads and writes":    {hold(os.O_RDWR), Busy},
		"one who appends":             {hold(os.O_WRONLY | os.O_APPEND), Busy},
		"a mapping":                   {mapped(os.O_RDWR, rw, unix.MAP_SHARED), Busy},
		"one to be made writable":     {mapped(os.O_RDWR, unix.PROT_READ, unix.MAP_SHARED), Busy},
		"a mapping for reading":       {mapped(os.O_RDONLY, unix.PROT_READ, unix.MAP_SHARED), Quiet},
		"a mapping of somebody's own": {mapped(os.O_RDONLY, rw, unix.MAP_PRIVATE), Quiet},
	} {
		t.Run(what, func(t *testing.T) {
			name := newFile(t)
			release := tt.hold(t, name)
			if got := ask(t, name); got != tt.want {
				t.Errorf("%d while a writer has the file, want %d", got, tt.want)
			}
			release()
			if got := ask(t, name); got != Quiet {
				t.Errorf("%d afterwards", got)
			}
		})
	}
}

// TestAskingLeavesNoLease checks that the file can be opened for writing after Ask without waiting.
func TestAskingLeavesNoLease(t *testing.T) {
	name := newFile(t)
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	if File(f) != Quiet {
		t.Fatal("not quiet")
	}
	w, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
	must(t, err) // the error would be EWOULDBLOCK if a lease were left
	w.Close()
}

func TestUnaskableFilesAreUnknown(t *testing.T) {
	f, err := os.Open(t.TempDir())
	must(t, err)
	if got := File(f); got != Unknown {
		t.Errorf("a directory: %d", got)
	}
	f.Close()
	if got := File(f); got != Unknown {
		t.Errorf("a closed file: %d", got)
	}
	if got := File(nil); got != Unknown {
		t.Errorf("no file: %d", got)
	}
	if got := Ask(-1); got != Unknown {
		t.Errorf("no descriptor: %d", got)
	}
}

// A lease on another user's file requires CAP_LEASE.
func TestFilesOfOtherUsersAreUnknown(t *testing.T) {
	name := "/etc/passwd"
	if os.Geteuid() == 0 {
		name = newFile(t)
		must(t, os.Chown(name, 1, 1))
	}
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	got := make(chan Answer)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread has lost the capability and must end
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var sets [2]unix.CapUserData
		err := unix.Capget(&header, &sets[0])
		if err == nil {
			sets[0].Effective &^= 1 << unix.CAP_LEASE
			err = unix.Capset(&header, &sets[0])
		}
		if err != nil {
			t.Error(err)
		}
		got <- File(f)
	}()
	if a := <-got; a != Unknown {
		t.Errorf("got %d", a)
	}
}

// breakOne takes a lease, opens the file for writing so that the system breaks the lease, and
// releases the lease.
func breakOne(t *testing.T) {
	name := newFile(t)
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	if errno := setLease(int(f.Fd()), unix.F_RDLCK); errno != 0 {
		t.Fatal(errno)
	}
	if _, err = os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Fatalf("open while there is a lease: %v", err)
	}
	if errno := setLease(int(f.Fd()), unix.F_UNLCK); errno != 0 {
		t.Fatal(errno)
	}
}

// Breaking a lease sends SIGIO, which ends programs that do not ignore it.
func TestSignalIsHarmless(t *testing.T) {
	breakOne(t) // the signal must not end this process
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGIO)
	defer signal.Stop(told)
	breakOne(t)
	<-told // the signal was sent
}

// TestAskingDoesNotBlockOpeners calls Ask while two goroutines keep opening the file for writing.
func TestAskingDoesNotBlockOpeners(t *testing.T) {
	const rounds = 2000
	name := newFile(t)
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for range rounds {
				w, err := os.OpenFile(name, os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				w.Close()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		writers.Wait()
		close(done)
	}()
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	for {
		select {
		case <-done:
			if got := File(f); got != Quiet {
				t.Errorf("%d after all writers ended", got)
			}
			return
		default:
			if got := File(f); got == Unknown {
				t.Fatal("the system no longer knows")
			}
		}
	}
}

func TestAskingAllocatesNothing(t *testing.T) {
	f, err := os.Open(newFile(t))
	must(t, err)
	defer f.Close()
	fd := int(f.Fd())
	if n := testing.AllocsPerRun(100, func() { Ask(fd) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAsk(b *testing.B) {
	for what, flag := range map[string]int{"quiet": os.O_RDONLY, "busy": os.O_RDWR} {
		b.Run(what, func(b *testing.B) {
			name := newFile(b)
			other, err := os.OpenFile(name, flag, 0)
			must(b, err)
			defer other.Close()
			f, err := os.Open(name)
			must(b, err)
			defer f.Close()
			fd := int(f.Fd())
			for b.Loop() {
				Ask(fd)
			}
		})
	}
}
