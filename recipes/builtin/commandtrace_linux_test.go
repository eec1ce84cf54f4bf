package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// A trace that saw too little fails the asset, also where the program does not mind.
func TestCellTracerOutOfDescriptors(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	dir, scratch := assets(t, "a", "b"), t.TempDir()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	p := celled(`echo > "$TMPDIR/started"; until test -d go; do :; done; read x < b; echo done > "$2"`)
	p.Deps = "trace"
	job := jobs.New(named(t, "command"), jobs.Env{
		Path: "a", Open: os.DirFS(dir).Open, Outputs: []string{filepath.Join(t.TempDir(), "out")}, Assets: dir,
		Scratch: func() (string, error) { return scratch, nil },
	}, 1)
	over := make(chan error, 1)
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(scratch, "tmp/started")); err == nil {
				break
			}
			runtime.Gosched()
		}
		few := old
		few.Cur = 64
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			over <- err
			return
		}
		var open []int
		for {
			fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				break
			}
			open = append(open, fd)
		}
		err := unix.Mkdir(filepath.Join(dir, "go"), 0o777)
		for err == nil {
			if _, err := os.Stat(filepath.Join(scratch, "out/out")); err == nil {
				break
			}
			runtime.Gosched()
		}
		for _, fd := range open {
			unix.Close(fd)
		}
		over <- errors.Join(err, unix.Setrlimit(unix.RLIMIT_NOFILE, &old))
	}()
	err := p.Cook(t.Context(), job)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	wantError(t, err, "sh: its reads could not be recorded: cook has too many open files: raise the limit with ulimit")
}
