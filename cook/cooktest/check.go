package cooktest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
)

// wanted is what a run from scratch gives.
type wanted struct {
	tree Tree
	list listing
	meal Meal
	err  error
}

// good is how things were when all was right.
type good struct{ sources, tree Tree }

// Cook runs cook and proves what it promises. A *Difference says what it did not
// keep.
func (p *Player) Cook(ctx context.Context, w Way) error {
	if w.Clock > 0 {
		if err := tick(p.place.Dir); err != nil {
			return err
		}
	}
	sources, err := ReadTree(p.folders.Assets)
	if err != nil {
		return err
	}
	want, err := p.fromScratch(ctx, sources, w)
	if err != nil {
		return err
	}
	if err := p.unblock(ctx, w); err != nil {
		return err
	}
	before, err := p.readOut()
	if err != nil {
		return err
	}
	meal, err := p.kitchen(ctx, p.folders, w)
	if w.Cancel > 0 || w.FirstFailure {
		// It need not have come to an end. What it has left, the next run shows.
		clear(p.good)
		if list, err := readListing(p.folders.Out); err == nil {
			p.remember(list)
		}
		if w.Clock > 0 {
			return tick(p.place.Dir)
		}
		return nil
	}
	if err := p.judge(ctx, w, sources, before, want, meal, err); err != nil {
		return err
	}
	if w.Clock > 0 {
		return tick(p.place.Dir)
	}
	return nil
}

// fromScratch cooks the same sources into a new folder.
func (p *Player) fromScratch(ctx context.Context, sources Tree, w Way) (*wanted, error) {
	key := sources.key() + strings.Join(w.Targets, ",")
	if done, ok := p.wanted[key]; ok {
		return done, nil
	}
	base := filepath.Join(p.place.Scratch, "new")
	defer os.RemoveAll(base)
	f := Folders{Assets: p.folders.Assets, Out: filepath.Join(base, "cooked"), Cache: filepath.Join(base, "store")}
	want := &wanted{}
	want.meal, want.err = p.kitchen(ctx, f, Way{Targets: w.Targets})
	var err error
	if want.tree, err = ReadTree(f.Out); err != nil && want.err == nil {
		return nil, err
	}
	if want.list, err = readListing(f.Out); err != nil && want.err == nil {
		return nil, err
	}
	p.wanted[key] = want
	return want, nil
}

// unblock lets a run find folders in the way of its outputs, which it must leave
// alone, and takes them away.
func (p *Player) unblock(ctx context.Context, w Way) error {
	there := p.blocks[:0]
	for _, dir := range p.blocks {
		if _, err := os.Lstat(filepath.Join(dir, "mine")); err == nil {
			there = append(there, dir)
		}
	}
	if p.blocks = there; len(there) == 0 {
		return nil
	}
	clear(p.good)
	w.Cancel, w.FirstFailure = 0, false
	if _, err := p.kitchen(ctx, p.folders, w); err != nil && !isConfigError(err) {
		return &Difference{Text: fmt.Sprintf("with a folder in the way of an output: %v", err)}
	}
	for _, dir := range p.blocks {
		if data, err := os.ReadFile(filepath.Join(dir, "mine")); err != nil || string(data) != "not cook's" {
			return &Difference{Text: fmt.Sprintf("a file that is not cook's was touched: %s: %q, %v", dir, data, err)}
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		for up := filepath.Dir(dir); up != p.folders.Out && os.Remove(up) == nil; {
			up = filepath.Dir(up) // it was there for that folder only
		}
	}
	p.blocks = nil
	return nil
}

// judge proves that a run did what it should, and that the next one has nothing
// to do.
func (p *Player) judge(ctx context.Context, w Way, sources, before Tree, want *wanted, meal Meal, failure error) error {
	wrong := func(format string, args ...any) error {
		return &Difference{Text: strings.TrimSpace("agree "+w.String()) + ": " + fmt.Sprintf(format, args...)}
	}
	if want.err != nil || failure != nil {
		return p.judgeFailure(w, before, want, failure, wrong)
	}
	got, err := p.readOut()
	if err != nil {
		return err
	}
	list, err := readListing(p.folders.Out)
	if err != nil {
		return wrong("manifest: %v", err)
	}
	if len(w.Patterns) > 0 {
		clear(p.good)
		if d := p.partly(w, want, before, got, list); d != "" {
			return wrong("a part that was cooked differs from one from scratch:\n%s", d)
		}
	}
	p.remember(list)
	if len(w.Patterns) > 0 {
		return nil
	}
	if d := p.differs(w, want, got, list, meal); d != "" {
		return wrong("outputs differ from those of a run from scratch:\n%s\n%s", d, meal.Line)
	}
	if meal.Failed != want.meal.Failed || meal.Found != want.meal.Found {
		return wrong("from scratch: %s\nincremental:  %s", want.meal.Line, meal.Line)
	}
	who := strings.Join(w.Targets, ",")
	if last := p.good[who]; last != nil && meal.Worked > 0 && maps.Equal(last.sources, sources) && maps.Equal(last.tree, view(before, w.Targets)) {
		d := wrong("nothing changed since an earlier run, but work was done: %s", meal.Line)
		d.(*Difference).Needless = true
		return d
	}
	again, err := p.kitchen(ctx, p.folders, Way{Targets: w.Targets, Clock: w.Clock, List: w.List, ByFolder: w.ByFolder})
	if err != nil {
		return wrong("a second run: %v", err)
	}
	after, err := p.readOut()
	if err != nil {
		return err
	}
	p.forgetInPlace(w)
	clean := len(p.inPlace) == 0 // else there is what neither was to see
	if clean && again.Worked > 0 {
		d := wrong("a second run did work: %s", again.Line)
		d.(*Difference).Needless = true
		return d
	}
	if d := got.Diff(after); clean && d != "" {
		return wrong("a second run changed outputs:\n%s", d)
	}
	p.heal()
	if clean && p.harmed == nil {
		p.good[who] = &good{sources, view(after, w.Targets)}
	} else {
		delete(p.good, who)
	}
	return nil
}

// remember notes who made what a manifest lists.
func (p *Player) remember(list listing) {
	for _, l := range list {
		for _, o := range l.Outputs {
			p.made[o.Path] = l
		}
	}
}

// judgeFailure is about runs that as a whole failed: both for the same reason,
// and nothing was done.
func (p *Player) judgeFailure(w Way, before Tree, want *wanted, failure error, wrong func(string, ...any) error) error {
	if len(w.Patterns) > 0 && isConfigError(failure) {
		return nil // it may mean nothing
	}
	if !isConfigError(want.err) || !isConfigError(failure) {
		return wrong("from scratch: error %v\nincremental: error %v", want.err, failure)
	}
	got, err := p.readOut()
	if err != nil {
		return err
	}
	if d := before.Diff(got); d != "" {
		return wrong("nothing should have been done: %v\n%s", failure, d)
	}
	return nil
}

func isConfigError(err error) bool {
	var config *cook.ConfigError
	return errors.As(err, &config)
}

// differs compares all that a run was to bring up to date with what one from
// scratch gives.
func (p *Player) differs(w Way, want *wanted, got Tree, list listing, meal Meal) string {
	wantTree, gotTree := view(want.tree, w.Targets), view(got, w.Targets)
	for name := range got {
		if path.Ext(name) == ".own" && !strings.Contains(name, "/") {
			delete(gotTree, name) // the user's
		}
	}
	if w.ByFolder {
		for name := range p.inPlace {
			delete(gotTree, name)
			delete(wantTree, name)
		}
	}
	wantList, gotList := want.list.of(w.Targets), list.of(w.Targets)
	for name, l := range p.made {
		if !slices.Contains(meal.Unplanned, l.Source) || !slices.Contains(targets(w.Targets), l.Target) {
			continue
		}
		// It keeps what it has.
		if _, there := wantList[l.key()]; !there {
			delete(gotList, l.key())
		}
		for ; name != "."; name = path.Dir(name) {
			for _, name := range []string{name, name + "/"} {
				if _, there := wantTree[name]; !there {
					delete(gotTree, name)
				}
			}
		}
	}
	d := wantTree.Diff(gotTree)
	if m := wantList.Diff(gotList); m != "" {
		d += "\nmanifest:\n" + m
	}
	if d == "" && len(gotList) == len(list) && len(meal.Unplanned) == 0 && !sameBytes(want.tree[manifest.Name], got[manifest.Name]) {
		d = manifest.Name + " has other bytes"
	}
	return d
}

// forgetInPlace forgets the outputs written to in place that a run must have
// looked at.
func (p *Player) forgetInPlace(w Way) {
	if w.ByFolder && !w.Verify {
		return
	}
	for name := range p.inPlace {
		if inView(name, w.Targets) {
			delete(p.inPlace, name)
		}
	}
}

// readOut reads the output folder, which may not be there yet.
func (p *Player) readOut() (Tree, error) {
	t, err := ReadTree(p.folders.Out)
	if os.IsNotExist(err) {
		return Tree{}, nil
	}
	return t, err
}
