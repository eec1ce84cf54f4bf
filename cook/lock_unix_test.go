//go:build unix

package cook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
)

// A halt is an observer that stops a cook when it begins its first asset.
type halt struct {
	report.Multi // does nothing
	at, on       chan bool
}

func (h *halt) Event(e run.Event) {
	if e.Started {
		select {
		case h.at <- true:
			<-h.on
		case <-h.on:
		}
	}
}

// A course is a cook in the middle of its work.
type course struct {
	t    *testing.T
	halt *halt
	done chan error
	sum  report.Summary
}

// amid starts a cook and returns when it is in the middle of its work.
func amid(t *testing.T, opt cook.Options) *course {
	t.Helper()
	c := &course{t: t, halt: &halt{at: make(chan bool), on: make(chan bool)}, done: make(chan error, 1)}
	opt.Observer, opt.Workers = c.halt, 1
	go func() {
		var err error
		c.sum, err = cook.Cook(context.Background(), opt)
		c.done <- err
	}()
	select {
	case <-c.halt.at:
	case err := <-c.done:
		t.Fatalf("a cook that found nothing to do: %v", err)
	}
	return c
}

// end lets the cook go on to its end.
func (c *course) end() error {
	close(c.halt.on)
	return <-c.done
}

// One cook at a time works on an output folder, and the next is told who it is.
func TestSecondCookIsToldWhoCooks(t *testing.T) {
	opt := sampleOptions(t)
	first := amid(t, opt)
	var locked *cook.LockedError
	want := fmt.Sprintf("process %d", os.Getpid())
	if _, err := cook.Cook(t.Context(), opt); !errors.As(err, &locked) || locked.Holder != want {
		t.Errorf("a second cook: %v, want one that says %s", err, want)
	}
	if _, err := cook.Clean(t.Context(), opt); !errors.As(err, &locked) || locked.Holder != want {
		t.Errorf("clean beside a cook: %v, want one that says %s", err, want)
	}
	other := opt
	other.Out += "2"
	if s, err := cook.Cook(t.Context(), other); err != nil || s.Failed.Assets > 0 {
		t.Errorf("a cook into another folder: %v", err)
	}
	if err := first.end(); err != nil {
		t.Error(err)
	}
	if d := scratchTree(t, opt).Diff(readTree(t, opt.Out)); d != "" {
		t.Error(d)
	}
}

// noted tells what a run notes.
type noted struct {
	report.Multi
	notes chan string
}

func (n noted) Note(text string) { n.notes <- text }

// With Wait, a cook waits for the one before it, and only for that.
func TestSecondCookWaits(t *testing.T) {
	opt := sampleOptions(t)
	first := amid(t, opt)
	waiting := opt
	waiting.Wait = true
	cooks := func(ctx context.Context) (notes chan string, done chan error) {
		opt := waiting
		notes, done = make(chan string, 1), make(chan error, 1)
		opt.Observer = noted{notes: notes}
		go func() {
			s, err := cook.Cook(ctx, opt)
			if err == nil && s.UpToDate() != cooktest.Assets {
				err = errors.New(s.Line())
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
			if want := fmt.Sprintf("process %d works on the same output folder; waiting for it to end", os.Getpid()); note != want {
				t.Errorf("notes %q, want %q", note, want)
			}
		}
	}
	cancel()
	if err := <-impatientDone; !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while it waits: %v", err)
	}
	select {
	case err := <-patientDone:
		t.Errorf("did not wait: %v", err)
	default:
	}
	if err := first.end(); err != nil {
		t.Error(err)
	}
	if err := <-patientDone; err != nil {
		t.Errorf("who waited: %v", err)
	}
}

// Whoever removes or moves a cook's lock or its output folder cannot make it write
// what is wrong: it says that something is amiss, or all is well. So it is if
// another cook works meanwhile on what then has the name.
func TestOutputFolderIsTakenAway(t *testing.T) {
	for what, harm := range map[string]func(opt cook.Options) error{
		"the lock is removed": func(opt cook.Options) error { return os.Remove(filepath.Join(opt.Out, ".cook/lock")) },
		"the lock is replaced": func(opt cook.Options) error {
			name := filepath.Join(opt.Out, ".cook/lock")
			return errors.Join(os.WriteFile(name+"2", nil, 0o666), os.Rename(name+"2", name))
		},
		"the state is removed":  func(opt cook.Options) error { return os.RemoveAll(filepath.Join(opt.Out, ".cook")) },
		"the folder is removed": func(opt cook.Options) error { return os.RemoveAll(opt.Out) },
		"the folder is renamed": func(opt cook.Options) error { return os.Rename(opt.Out, opt.Out+"2") },
		"another folder has the name": func(opt cook.Options) error {
			return errors.Join(os.Rename(opt.Out, opt.Out+"2"), os.Mkdir(opt.Out, 0o777))
		},
	} {
		for _, beside := range []bool{false, true} {
			if !beside && !strings.Contains(what, "folder") {
				continue
			}
			opt := sampleOptions(t)
			first := amid(t, opt)
			if err := harm(opt); err != nil {
				t.Fatal(err)
			}
			if beside {
				// What the first one made is not known to be ours any more, so this may fail.
				if _, err := cook.Cook(t.Context(), opt); err != nil {
					t.Errorf("%s: a cook beside it: %v", what, err)
				}
			}
			err := first.end()
			want := scratchTree(t, opt)
			if err == nil && first.sum.Failed.Assets == 0 {
				if d := want.Diff(readTree(t, opt.Out)); d != "" {
					t.Errorf("%s, another cook %t: said to be well, but\n%s", what, beside, d)
				}
			}
			if beside && (err == nil || !strings.Contains(err.Error(), "removed or replaced by another process meanwhile; run cook again")) {
				t.Errorf("%s beside another cook: %v", what, err)
			}
			if s, err := cook.Cook(t.Context(), opt); err != nil || s.Failed.Assets > 0 {
				t.Errorf("%s, another cook %t: then %s, %v", what, beside, s.Line(), err)
			}
			if d := want.Diff(readTree(t, opt.Out)); d != "" {
				t.Errorf("%s, another cook %t: after the next run\n%s", what, beside, d)
			}
		}
	}
}

// The rules that a run follows are those that its index is for, whatever happens
// to the file of rules meanwhile.
func TestConfigEditedAndPutBack(t *testing.T) {
	opt := sampleOptions(t)
	opt.Config = filepath.Join(t.TempDir(), "rules.toml")
	write := func(text string) {
		if err := os.WriteFile(opt.Config, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const before = "[[rule]]\nmatch = \"notes/**\"\nrecipe = \"copy\"\n"
	write(before)
	during := opt
	during.Observer = stages(func(stage string) {
		if stage == "scan" {
			write("[[rule]]\nmatch = \"notes/**\"\nrecipe = \"zstd\"\n")
		}
	})
	during.Now = func() time.Time { return time.Now().Add(time.Hour) } // so that all stamps are settled
	if _, err := cook.Cook(t.Context(), during); err != nil {
		t.Fatal(err)
	}
	write(before)
	if _, err := cook.Cook(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(opt.Out, "notes/readme.txt")); err != nil {
		t.Errorf("the rules are not followed: %v", err)
	}
}

// stages is an observer that is told of stages.
type stages func(string)

func (s stages) Stage(name string)        { s(name) }
func (stages) Planned(int, time.Duration) {}
func (stages) Event(run.Event)            {}
func (stages) Note(string)                {}
func (stages) EveryAsset() bool           { return false }
