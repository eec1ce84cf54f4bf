package damage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A project is a cooked asset tree. Its output directory also contains a file that cook did not
// make.
type project struct {
	dir, assets, out, store string
	rules                   []byte
	adjust                  func(*cook.Project) // nil if the manifest is one file
	edited                  bool                // whether the edited source has its second text
	// want holds the outputs of a run from scratch, for both values of edited.
	want  map[bool]oracle.Tree
	later time.Duration // difference between the next run's clock and the real time
}

// foreign is the path of a user's file in the output directory.
const foreign = "data/foreign.json"

// editedFile is the source that switchEdited changes.
const editedFile = "plain.txt"

// newProject creates a project from the sample and the given number of small files.
func newProject(dir string, files int) (*project, error) {
	b := &project{dir: dir, assets: filepath.Join(dir, "assets"), out: filepath.Join(dir, "cooked"), store: filepath.Join(dir, "store")}
	if files > 0 {
		b.adjust = func(p *cook.Project) { p.Manifest = "parts" }
	}
	if err := oracle.Sample(b.assets); err != nil {
		return nil, err
	}
	var err error
	if b.rules, err = os.ReadFile(filepath.Join(b.assets, "cook.toml")); err != nil {
		return nil, err
	}
	for i := range files {
		name := filepath.Join(b.assets, "many", fmt.Sprint(i/500), fmt.Sprintf("%d.txt", i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(fmt.Sprint(i)), 0o666)); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	b.want = map[bool]oracle.Tree{}
	for range 2 {
		if err := b.switchEdited(); err != nil {
			return nil, err
		}
		tree, err := b.cookDamageFromScratch(ctx)
		if err != nil {
			return nil, err
		}
		b.want[b.edited] = tree
	}
	return b, b.rebuildAll(ctx)
}

// switchEdited switches the edited source to its other text. The length differs, so that the edit
// shows even if the clock is coarse.
func (b *project) switchEdited() error {
	b.edited = !b.edited
	text := "a text that is copied"
	if b.edited {
		text += ", edited"
	}
	return put(filepath.Join(b.assets, editedFile), []byte(text))
}

func (b *project) restoreRules() error { return put(filepath.Join(b.assets, "cook.toml"), b.rules) }

// cookDamageFromScratch cooks into new directories that contain the foreign file.
func (b *project) cookDamageFromScratch(ctx context.Context) (oracle.Tree, error) {
	out, store := filepath.Join(b.dir, "scratch"), filepath.Join(b.dir, "scratch-store")
	defer os.RemoveAll(out)
	defer os.RemoveAll(store)
	if err := b.putForeign(out); err != nil {
		return nil, err
	}
	_, err := oracle.Run{Dir: b.assets, Out: out, Cache: store, Workers: 2, Adjust: b.adjust}.Cook(ctx)
	if err != nil {
		return nil, err
	}
	return oracle.ReadTree(out)
}

func (b *project) putForeign(out string) error {
	name := filepath.Join(out, filepath.FromSlash(foreign))
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte("foreign"), 0o666))
}

// rebuildAll removes the outputs and the store, and cooks everything again.
func (b *project) rebuildAll(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(b.out), os.RemoveAll(b.store), b.putForeign(b.out)); err != nil {
		return err
	}
	for range 2 { // the index trusts all file stamps after the second run
		if _, err := b.cookObserved(ctx, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// put replaces a file by a new file, so that its stamp changes even if the clock is coarse.
func put(name string, data []byte) error {
	info, err := os.Lstat(name)
	mode := os.FileMode(0o666)
	if err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.WriteFile(name+"~", data, mode); err != nil {
		return err
	}
	return os.Rename(name+"~", name)
}

// A recorder is an observer that records the notes and failures of a run.
type recorder struct {
	cook.Observers
	notes   []string
	failed  []string
	started func()
}

func (l *recorder) Note(text string) { l.notes = append(l.notes, text) }
func (l *recorder) Event(e cook.Event) {
	if (e.Outcome == cook.Started) && l.started != nil {
		l.started()
	}
	if e.Outcome == cook.Failed {
		l.failed = append(l.failed, fmt.Sprintf("%s: %v", e.Path, e.Err))
	}
}

func (b *project) options(l *recorder, full bool) oracle.Run {
	r := oracle.Run{Dir: b.assets, Out: b.out, Cache: b.store, Workers: 2, Observer: l, Adjust: b.adjust,
		// The clock is so far ahead that cook trusts every file stamp.
		Now: func() time.Time { return time.Now().Add(time.Hour + b.later) }}
	if full {
		r.Strict = true // forces a full scan
	}
	return r
}

func (b *project) cookObserved(ctx context.Context, full bool, started func()) (*recorder, error) {
	l := &recorder{started: started}
	_, err := b.options(l, full).Cook(ctx)
	return l, err
}

type result struct {
	notes, failed []string
	err           error
	hung          bool
	summary       cook.Summary
}

// cookWithin cooks with a timeout.
func (b *project) cookWithin(ctx context.Context, full bool) result {
	ended := make(chan result, 1)
	go func() {
		l := &recorder{}
		summary, err := b.options(l, full).Cook(ctx)
		ended <- result{notes: l.notes, failed: l.failed, err: err, summary: summary}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r := <-ended:
		return r
	case <-timer.C:
		return result{hung: true}
	}
}

// diff returns the differences between the current outputs and the outputs of a run from scratch.
func (b *project) diff() (string, error) { return b.diffFrom(b.want[b.edited]) }

func (b *project) diffFrom(want oracle.Tree) (string, error) {
	got, err := oracle.ReadTree(b.out)
	if err != nil {
		return "", err
	}
	return want.Diff(got), nil
}
