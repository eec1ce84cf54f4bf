//go:build amd64 || arm64

package faults_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/faultfs"
	"github.com/assetcook/assetcook/internal/memtemp"
	"github.com/assetcook/assetcook/internal/proof/faults"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// buildCook builds cook without the race detector, which would make hundreds of runs ten times
// slower.
func buildCook(t *testing.T) func(args ...string) *exec.Cmd {
	t.Helper()
	program, err := builtCook()
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) *exec.Cmd { return exec.Command(program, args...) }
}

// binaries is the directory of the built program.
var binaries string

// builtCook builds the program and returns its file.
var builtCook = sync.OnceValues(func() (string, error) {
	program := filepath.Join(binaries, "cook")
	out, err := exec.Command("go", "build", "-ldflags=-s", "-o", program, "../../../cmd/cook").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	faultfs.Init() // initialize faultfs first, because this process may be a traced cook
	memtemp.Use()
	var err error
	if binaries, err = os.MkdirTemp("", "cook-binaries"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(binaries)
	os.Exit(status)
}

// faultDir makes a temporary directory. Its removal may fail, because killed programs can leave
// files of any kind.
func faultDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "cook-faults")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestBrokenCalls makes system calls fail, or interrupts or kills the process at them. Cook must
// report the error, and the next run must repair the output directory.
func TestBrokenCalls(t *testing.T) {
	t.Setenv("COOK_ENGINE", "own")
	command := buildCook(t)
	t.Run("sample", func(t *testing.T) { breakSample(t, command) })
	t.Run("regressions", func(t *testing.T) { breakKnownCalls(t, command) })
	t.Run("full disk at the end", func(t *testing.T) { fillDiskAtTheEnd(t, command) })
}

// breakSample makes a random sample of system calls fail; "go run ./proof/reliability faults" tests
// all of them.
func breakSample(t *testing.T, command func(...string) *exec.Cmd) {
	seed := uint64(time.Now().UnixNano() % 1e6)
	sweep := faults.Sweep{
		Command: command, Dir: faultDir(t), Sample: 30, Seed: seed, Workers: runtime.GOMAXPROCS(0),
		Found: func(f faults.Finding) { t.Errorf("seed %d: %s", seed, f) },
	}
	tally, err := sweep.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d: %d runs, %d missed their call; calls of each scene: %v", seed, tally.Runs, tally.Missed, tally.Calls)
	if tally.Runs != sweep.Sample || tally.Missed > tally.Runs/2 {
		t.Errorf("%d runs, %d missed their call; want %d and few", tally.Runs, tally.Missed, sweep.Sample)
	}
}

// breakKnownCalls fails system calls whose errors are easily mishandled.
func breakKnownCalls(t *testing.T, command func(...string) *exec.Cmd) {
	rows := []struct{ why, scene, call, path, fault string }{
		{"a directory that is no longer needed is removed eventually", "edited", "unlinkat", "out/data/deep", "EIO"},
		{"an output whose stat fails may exist", "edited", "newfstatat", "out/sound/bell.wav", "EIO"},
		{"os.Root does not retry this call", "edited", "newfstatat", "out/sound/bell.wav", "EINTR"},
		{"nor this one", "edited", "renameat", "out/plain.txt", "EINTR"},
		{"nor Lstat of a lock", "edited", "newfstatat", "out/.cook/lock", "EINTR"},
		{"nor does flock", "unchanged", "flock", "out/.cook/lock", "EINTR"},
		{"nor syncfs", "edited", "syncfs", "out", "EINTR"},
		{"the directory that cannot be synced is named", "edited", "syncfs", "out", "EIO"},
		{"a source whose stat fails is not taken for removed", "edited", "newfstatat", "src/tex/sky.png", "EACCES"},
		{"an image that a model names is not taken for missing", "lost", "newfstatat", "src/tex/wood.png", "EMFILE"},
		{"a file whose stat fails may be foreign", "foreign", "newfstatat", "out/plain.txt", "EIO"},
		{"clean forgets no file that it could not remove", "clean", "newfstatat", "out/plain.txt", "EIO"},
		{"nor a directory", "clean", "unlinkat", "out/ui", "EIO"},
		{"a file that was not written completely is not renamed into place", "edited", "write", "out/.cook/.tmp-*", "ENOSPC"},
		{"a lock whose stat fails is not reported as removed", "edited", "fstat", "out/.cook/lock", "EACCES"},
		{"outputs that a killed cook has placed are known as owned", "edited", "openat2", "out/.cook/.tmp-*", "kill"},
	}
	matters := func(scene string, call faultfs.Call, f faults.Fault) (all []int) {
		for i, r := range rows {
			if r.scene == scene && r.call == call.Name && endsLike(call.Path, r.path) && r.fault == f.Name {
				all = append(all, i)
			}
		}
		return all
	}
	reached := map[int]bool{}
	sweep := faults.Sweep{
		Command: command, Dir: faultDir(t), Scenes: []string{"edited", "unchanged", "lost", "foreign", "clean"},
		Workers: runtime.GOMAXPROCS(0),
		Only: func(scene string, call faultfs.Call, f faults.Fault) bool {
			of := matters(scene, call, f)
			for _, i := range of {
				reached[i] = true
			}
			return len(of) > 0
		},
		Found: func(f faults.Finding) { t.Error(f) },
	}
	if _, err := sweep.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if !reached[i] {
			t.Errorf("no call to %s of %s in scene %s; choose another one for: %s", r.call, r.path, r.scene, r.why)
		}
	}
}

// endsLike reports whether the last elements of a path match a pattern.
func endsLike(name, pattern string) bool {
	names := strings.Split(name, "/")
	n := strings.Count(pattern, "/") + 1
	ok, err := path.Match(pattern, strings.Join(names[max(0, len(names)-n):], "/"))
	return ok && err == nil
}

// fillDiskAtTheEnd fills the disk before cook saves its state. Cook must still report its results
// and suggest a remedy.
func fillDiskAtTheEnd(t *testing.T, command func(...string) *exec.Cmd) {
	dir := faultDir(t)
	if err := oracle.Sample(filepath.Join(dir, "src")); err != nil {
		t.Fatal(err)
	}
	cmd := command("-dir", filepath.Join(dir, "src"), "-out", filepath.Join(dir, "cooked"), "-cache", filepath.Join(dir, "store"), "-j", "1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	placed, full := 0, false
	_, err := faultfs.Run(t.Context(), cmd, []string{dir}, func(c faultfs.Call) faultfs.Action {
		if (c.Name == "renameat" || c.Name == "renameat2") && strings.Contains(c.Path, "/cooked/.cook/tmp/") {
			placed++
		}
		full = full || placed == oracle.Shipped && strings.HasSuffix(c.Path, "manifest.json")
		if full && c.Grows {
			return faultfs.Fail(syscall.ENOSPC)
		}
		return faultfs.Continue
	})
	if err == nil || !full {
		t.Errorf("exit 0, or nothing was broken: %v", full)
	}
	if out := stdout.String(); !strings.Contains(out, "\ncook: 20 assets: ") || strings.Contains(out, "failed") {
		t.Errorf("stdout %q", out)
	}
	if line := stderr.String(); !strings.Contains(line, "manifest") || !strings.HasSuffix(line, ": no space left on device; free some disk space and run cook again\n") {
		t.Errorf("stderr %q", line)
	}
}
