package damagesweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
)

// A bench is a tree of assets that has been cooked, with a user's own file among
// the outputs.
type bench struct {
	dir, assets, out, store string
	rules                   []byte
	edited                  bool // which of two texts the edited source has
	want                    map[bool]cooktest.Tree
	later                   time.Duration // by which the clock of the next run is ahead
}

// theirs is a file of the user's in the output folder.
const theirs = "data/their.json"

// editedFile is the source that is edited.
const editedFile = "plain.txt"

// newBench makes the tree: the sample, or so many small files.
func newBench(dir string, files int) (*bench, error) {
	b := &bench{dir: dir, assets: filepath.Join(dir, "assets"), out: filepath.Join(dir, "cooked"), store: filepath.Join(dir, "store")}
	if err := cooktest.Sample(b.assets); err != nil {
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
	b.want = map[bool]cooktest.Tree{}
	for range 2 {
		if err := b.edit(); err != nil {
			return nil, err
		}
		tree, err := b.fromScratch(ctx)
		if err != nil {
			return nil, err
		}
		b.want[b.edited] = tree
	}
	return b, b.rebuild(ctx)
}

// edit gives the edited source its other text, of another length, so that no clock
// is too coarse to show it.
func (b *bench) edit() error {
	b.edited = !b.edited
	text := "a text that is copied"
	if b.edited {
		text += ", edited"
	}
	return put(filepath.Join(b.assets, editedFile), []byte(text))
}

func (b *bench) restoreRules() error { return put(filepath.Join(b.assets, "cook.toml"), b.rules) }

// fromScratch cooks into new folders, beside the user's own file.
func (b *bench) fromScratch(ctx context.Context) (cooktest.Tree, error) {
	out, store := filepath.Join(b.dir, "scratch"), filepath.Join(b.dir, "scratch-store")
	defer os.RemoveAll(out)
	defer os.RemoveAll(store)
	if err := b.putTheirs(out); err != nil {
		return nil, err
	}
	_, err := cook.Cook(ctx, cook.Options{Dir: b.assets, Out: out, Cache: store, Workers: 2})
	if err != nil {
		return nil, err
	}
	return cooktest.ReadTree(out)
}

func (b *bench) putTheirs(out string) error {
	name := filepath.Join(out, filepath.FromSlash(theirs))
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte("the user's own"), 0o666))
}

// rebuild cooks everything anew.
func (b *bench) rebuild(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(b.out), os.RemoveAll(b.store), b.putTheirs(b.out)); err != nil {
		return err
	}
	for range 2 { // the second one leaves an index that vouches for everything
		if _, err := b.cook(ctx, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// put replaces a file by another one, as whoever damages it would not: so that its
// stamp does not depend on how fine the clock is.
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

// A listener hears what a run says, and can ask for the long way.
type listener struct {
	report.Multi
	long   bool
	notes  []string
	failed []string
	begun  func()
}

func (l *listener) EveryAsset() bool { return l.long }
func (l *listener) Note(text string) { l.notes = append(l.notes, text) }
func (l *listener) Event(e run.Event) {
	if e.Started && l.begun != nil {
		l.begun()
	}
	if e.Outcome == run.Failed {
		l.failed = append(l.failed, fmt.Sprintf("%s: %v", e.Path, e.Err))
	}
}

func (b *bench) options(l *listener) cook.Options {
	return cook.Options{Dir: b.assets, Out: b.out, Cache: b.store, Workers: 2, Observer: l,
		// By this clock every stamp is old enough to be trusted.
		Now: func() time.Time { return time.Now().Add(time.Hour + b.later) }}
}

func (b *bench) cook(ctx context.Context, long bool, begun func()) (*listener, error) {
	l := &listener{long: long, begun: begun}
	_, err := cook.Cook(ctx, b.options(l))
	return l, err
}

// A result is what a run said.
type result struct {
	notes, failed []string
	err           error
	hung          bool
	summary       report.Summary
}

// cookWithin cooks, and gives up after a time.
func (b *bench) cookWithin(ctx context.Context, long bool) result {
	ended := make(chan result, 1)
	go func() {
		l := &listener{long: long}
		summary, err := cook.Cook(ctx, b.options(l))
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

// diff says how the outputs differ from those from scratch.
func (b *bench) diff() (string, error) { return b.diffFrom(b.want[b.edited]) }

func (b *bench) diffFrom(want cooktest.Tree) (string, error) {
	got, err := cooktest.ReadTree(b.out)
	if err != nil {
		return "", err
	}
	return want.Diff(got), nil
}
