//go:build unix

package cook_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A blocker is an observer that blocks a cook at its first asset.
type blocker struct {
	cook.Observers
	reached chan bool
	resume  chan bool // the test closes this channel to unblock the cook
}

func newBlocker() *blocker { return &blocker{reached: make(chan bool), resume: make(chan bool)} }

func (b *blocker) Event(e cook.Event) {
	if e.Outcome == cook.Started {
		select {
		case b.reached <- true:
			<-b.resume
		case <-b.resume:
		}
	}
}

// A blockedCook is a cook that is blocked at its first asset.
type blockedCook struct {
	blocker *blocker
	done    chan error
	sum     cook.Summary
}

// startBlocked starts a cook, and returns when the cook is blocked at its first asset.
func startBlocked(t *testing.T, opt oracle.Run) *blockedCook {
	t.Helper()
	c := &blockedCook{blocker: newBlocker(), done: make(chan error, 1)}
	opt.Observer, opt.Workers = c.blocker, 1
	go func() {
		var err error
		c.sum, err = opt.Cook(context.Background())
		c.done <- err
	}()
	select {
	case <-c.blocker.reached:
	case err := <-c.done:
		t.Fatalf("the cook found nothing to do: %v", err)
	}
	return c
}

func (c *blockedCook) finish() error {
	close(c.blocker.resume)
	return <-c.done
}

// TestSecondCookNamesLockHolder expects the second cook of an output directory to fail, with an
// error that names the lock holder.
func TestSecondCookNamesLockHolder(t *testing.T) {
	opt := sampleProject(t).run
	first := startBlocked(t, opt)
	var locked *cook.LockedError
	want := fmt.Sprintf("process %d", os.Getpid())
	if _, err := opt.Cook(t.Context()); !errors.As(err, &locked) || locked.Holder != want {
		t.Errorf("second cook: %v, want holder %s", err, want)
	}
	if _, err := opt.Clean(t.Context()); !errors.As(err, &locked) || locked.Holder != want {
		t.Errorf("clean during a cook: %v, want holder %s", err, want)
	}
	if _, err := opt.Check(t.Context(), oracle.Check{}); !errors.As(err, &locked) || locked.Holder != want {
		t.Errorf("verify during a cook: %v, want holder %s", err, want)
	}
	other := opt
	other.Out += "2"
	if s, err := other.Cook(t.Context()); err != nil || s.Failed.Assets > 0 {
		t.Errorf("cook into another folder: %v", err)
	}
	if err := first.finish(); err != nil {
		t.Error(err)
	}
	if d := fromScratch(t, opt).Diff(readTree(t, opt.Out)); d != "" {
		t.Error(d)
	}
}

// TestSecondCookWaits expects a cook with Wait to wait until the first cook ends or the context is
// canceled.
func TestSecondCookWaits(t *testing.T) {
	opt := sampleProject(t).run
	first := startBlocked(t, opt)
	waiting := opt
	waiting.Wait = true
	cooks := func(ctx context.Context) (notes chan string, done chan error) {
		opt := waiting
		notes, done = make(chan string, 1), make(chan error, 1)
		opt.Observer = hooks{note: func(text string) { notes <- text }}
		go func() {
			s, err := opt.Cook(ctx)
			if err == nil && s.UpToDate() != oracle.Assets {
				err = errors.New(s.String())
			}
			done <- err
		}()
		return notes, done
	}
	ctx, cancel := context.WithCancel(t.Context())
	impatient, impatientDone := cooks(ctx)
	patient, patientDone := cooks(t.Context())
	for notes, done := range map[chan string]chan error{impatient: impatientDone, patient: patientDone} {
		select {
		case err := <-done:
			t.Fatalf("did not wait: %v", err)
		case note := <-notes:
			if want := fmt.Sprintf("process %d works on the same output directory; waiting for it to end", os.Getpid()); note != want {
				t.Errorf("notes %q, want %q", note, want)
			}
		}
	}
	cancel()
	if err := <-impatientDone; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled while waiting: %v", err)
	}
	select {
	case err := <-patientDone:
		t.Errorf("did not wait: %v", err)
	default:
	}
	if err := first.finish(); err != nil {
		t.Error(err)
	}
	if err := <-patientDone; err != nil {
		t.Errorf("after waiting: %v", err)
	}
}

// TestOutputFolderReplacedDuringRun removes or moves the lock or the output directory during a
// cook, with and without a second cook of the same directory. The cook must return an error or
// leave correct outputs.
func TestOutputFolderReplacedDuringRun(t *testing.T) {
	for what, harm := range map[string]func(opt oracle.Run) error{
		"the lock is removed": func(opt oracle.Run) error { return os.Remove(filepath.Join(opt.Out, ".cook/lock")) },
		"the lock is replaced": func(opt oracle.Run) error {
			name := filepath.Join(opt.Out, ".cook/lock")
			return errors.Join(os.WriteFile(name+"2", nil, 0o666), os.Rename(name+"2", name))
		},
		"the state is removed":     func(opt oracle.Run) error { return os.RemoveAll(filepath.Join(opt.Out, ".cook")) },
		"the directory is removed": func(opt oracle.Run) error { return os.RemoveAll(opt.Out) },
		"the directory is renamed": func(opt oracle.Run) error { return os.Rename(opt.Out, opt.Out+"2") },
		"another directory has the name": func(opt oracle.Run) error {
			return errors.Join(os.Rename(opt.Out, opt.Out+"2"), os.Mkdir(opt.Out, 0o777))
		},
	} {
		for _, beside := range []bool{false, true} {
			if !beside && !strings.Contains(what, "directory") {
				continue
			}
			opt := sampleProject(t).run
			first := startBlocked(t, opt)
			if err := harm(opt); err != nil {
				t.Fatal(err)
			}
			if beside {
				// Assets may fail, because this cook does not own the outputs of the first run.
				if _, err := opt.Cook(t.Context()); err != nil {
					t.Errorf("%s: concurrent cook: %v", what, err)
				}
			}
			err := first.finish()
			want := fromScratch(t, opt)
			if err == nil && first.sum.Failed.Assets == 0 {
				if d := want.Diff(readTree(t, opt.Out)); d != "" {
					t.Errorf("%s, another cook %t: no error, but\n%s", what, beside, d)
				}
			}
			if beside && (err == nil || !strings.Contains(err.Error(), "another process removed or replaced the directory or its lock meanwhile; run cook again")) {
				t.Errorf("%s during another cook: %v", what, err)
			}
			if s, err := opt.Cook(t.Context()); err != nil || s.Failed.Assets > 0 {
				t.Errorf("%s, another cook %t: then %s, %v", what, beside, s.String(), err)
			}
			if d := want.Diff(readTree(t, opt.Out)); d != "" {
				t.Errorf("%s, another cook %t: after the next run\n%s", what, beside, d)
			}
		}
	}
}

// TestConfigEditedDuringRun changes the rules during a run and then changes them back. The next run
// must make the outputs of the restored rules.
func TestConfigEditedDuringRun(t *testing.T) {
	opt := sampleProject(t).run
	opt.Config = filepath.Join(t.TempDir(), "rules.toml")
	write := func(text string) {
		if err := os.WriteFile(opt.Config, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const before = "[[rule]]\nmatch = \"notes/**\"\nrecipe = \"copy\"\n"
	write(before)
	during := opt
	during.Observer = hooks{stage: func(stage string) {
		if stage == "scan" {
			write("[[rule]]\nmatch = \"notes/**\"\nrecipe = \"zstd\"\n")
		}
	}}
	during.Now = func() time.Time { return time.Now().Add(time.Hour) } // makes all stamps old enough to be trusted
	if _, err := during.Cook(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(before)
	if _, err := opt.Cook(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(opt.Out, "notes/readme.txt")); err != nil {
		t.Errorf("the output of the current rules is missing: %v", err)
	}
}

// TestCleanOfVanishedFolder removes the output directory before Clean locks it. Clean must not
// create it again.
func TestCleanOfVanishedFolder(t *testing.T) {
	p := newProject(t)
	outer := filepath.Join(p.dir, "outer")
	p.run.Out = filepath.Join(outer, "cooked")
	mine := filepath.Join(p.run.Out, "mine")
	for what, tt := range map[string]struct {
		vanish func() error
		left   []string // files that Clean must keep
	}{
		"gone":  {func() error { return os.RemoveAll(outer) }, nil},
		"state": {func() error { return os.RemoveAll(filepath.Join(p.run.Out, ".cook")) }, []string{"cooked/", "cooked/.gitignore", "cooked/CACHEDIR.TAG", "cooked/a.txt", "cooked/manifest.json"}},
		"replaced": {func() error {
			return errors.Join(os.RemoveAll(p.run.Out), os.Mkdir(p.run.Out, 0o777), os.WriteFile(mine, nil, 0o666))
		}, []string{"cooked/", "cooked/mine"}},
	} {
		p.must(os.RemoveAll(outer))
		p.write("a.txt", "one")
		p.cookAll()
		removed, err := p.run.Project().CleanAfter(t.Context(), func() { p.must(tt.vanish()) })
		if removed != 0 || err != nil {
			t.Errorf("%s: %d removed, %v", what, removed, err)
		}
		left, err := oracle.ReadTree(outer)
		if got := slices.Sorted(maps.Keys(left)); !slices.Equal(got, tt.left) || (err != nil) != (tt.left == nil) {
			t.Errorf("%s: %q are left, %v; want %q", what, got, err, tt.left)
		}
	}
}
