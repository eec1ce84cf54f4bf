package oracle

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

// expected holds the result of a run from scratch.
type expected struct {
	tree   Tree
	list   listing
	result Result
	err    error
}

// A baseline is the state after a run with correct outputs.
type baseline struct {
	targets       []string
	sources, tree Tree
}

// Cook cooks, and checks the run. It returns a *Difference if a check failed.
func (p *Player) Cook(ctx context.Context, mode Mode) error {
	if mode.Clock > 0 {
		if err := NextTick(p.place.Dir); err != nil {
			return err
		}
	}
	sources, err := ReadTree(p.folders.Assets)
	if err != nil {
		return err
	}
	want, err := p.cookPlaceFromScratch(ctx, sources, mode)
	if err != nil {
		return err
	}
	if err := p.removeBlocks(ctx, mode); err != nil {
		return err
	}
	before, err := p.readOut()
	if err != nil {
		return err
	}
	result, err := p.cooker(ctx, p.folders, mode)
	if mode.Cancel > 0 || mode.FirstFailure {
		// The run may be incomplete, so only the next run is checked.
		clear(p.baseline)
		if list, err := readListing(p.folders.Out); err == nil {
			p.remember(list)
		}
		if mode.Clock > 0 {
			return NextTick(p.place.Dir)
		}
		return nil
	}
	if err := p.checkRun(ctx, mode, sources, before, want, result, err); err != nil {
		return err
	}
	if mode.Clock > 0 {
		return NextTick(p.place.Dir)
	}
	return nil
}

// cookPlaceFromScratch cooks the same sources into an empty directory.
func (p *Player) cookPlaceFromScratch(ctx context.Context, sources Tree, mode Mode) (*expected, error) {
	key := sources.key() + strings.Join(mode.Targets, ",")
	if done, ok := p.expected[key]; ok {
		return done, nil
	}
	base := filepath.Join(p.place.Scratch, "new")
	defer os.RemoveAll(base)
	f := Folders{Assets: p.folders.Assets, Out: filepath.Join(base, "cooked"), Cache: filepath.Join(base, "store")}
	want := &expected{}
	want.result, want.err = p.cooker(ctx, f, Mode{Targets: mode.Targets})
	var err error
	if want.tree, err = ReadTree(f.Out); err != nil && want.err == nil {
		return nil, err
	}
	if want.list, err = readListing(f.Out); err != nil && want.err == nil {
		return nil, err
	}
	p.expected[key] = want
	return want, nil
}

// removeBlocks removes foreign directories that are at the paths of outputs. First it cooks, and
// checks that cook does not change these directories.
func (p *Player) removeBlocks(ctx context.Context, mode Mode) error {
	there := p.blocks[:0]
	for _, dir := range p.blocks {
		if _, err := os.Lstat(filepath.Join(dir, "mine")); err == nil {
			there = append(there, dir)
		}
	}
	if p.blocks = there; len(there) == 0 {
		return nil
	}
	clear(p.baseline)
	mode.Cancel, mode.FirstFailure = 0, false
	if _, err := p.cooker(ctx, p.folders, mode); err != nil && !isConfigError(err) {
		return &Difference{Text: fmt.Sprintf("with a directory in the way of an output: %v", err)}
	}
	for _, dir := range p.blocks {
		if data, err := os.ReadFile(filepath.Join(dir, "mine")); err != nil || string(data) != "not cook's" {
			return &Difference{Text: fmt.Sprintf("a file that cook does not own was changed: %s: %q, %v", dir, data, err)}
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		for up := filepath.Dir(dir); up != p.folders.Out && os.Remove(up) == nil; {
			up = filepath.Dir(up)
		}
	}
	p.blocks = nil
	return nil
}

// checkRun checks the result of a run. It also checks that an immediate second run has nothing to
// do.
func (p *Player) checkRun(ctx context.Context, mode Mode, sources, before Tree, want *expected, result Result, failure error) error {
	wrong := func(format string, args ...any) error {
		return &Difference{Text: strings.TrimSpace("agree "+mode.String()) + ": " + fmt.Sprintf(format, args...)}
	}
	if want.err != nil || failure != nil {
		return p.checkFailure(mode, before, want, failure, wrong)
	}
	got, err := p.readOut()
	if err != nil {
		return err
	}
	list, err := readListing(p.folders.Out)
	if err != nil {
		return wrong("manifest: %v", err)
	}
	if len(mode.Patterns) > 0 {
		clear(p.baseline)
		if d := p.diffScope(mode, want, before, got, list); d != "" {
			return wrong("outputs of a partial run differ from those of a run from scratch:\n%s", d)
		}
	}
	p.remember(list)
	if len(mode.Patterns) > 0 {
		return nil
	}
	if d := p.diffAll(mode, want, got, list, result); d != "" {
		return wrong("outputs differ from those of a run from scratch:\n%s\n%s", d, result.Line)
	}
	if result.Failed != want.result.Failed || result.Found != want.result.Found {
		return wrong("from scratch: %s\nincremental:  %s", want.result.Line, result.Line)
	}
	key := strings.Join(mode.Targets, ",")
	if last := p.baseline[key]; last != nil && result.Worked > 0 && maps.Equal(last.sources, sources) && maps.Equal(last.tree, view(before, mode.Targets)) {
		d := wrong("nothing changed since an earlier run, but work was done: %s", result.Line)
		d.(*Difference).Needless = true
		return d
	}
	again, err := p.cooker(ctx, p.folders, Mode{Targets: mode.Targets, Clock: mode.Clock, List: mode.List, ByFolder: mode.ByFolder})
	if err != nil {
		return wrong("a second run: %v", err)
	}
	after, err := p.readOut()
	if err != nil {
		return err
	}
	p.forgetInPlace(mode)
	clean := len(p.inPlace) == 0 // if false, an edit may remain that neither run had to notice
	if clean && again.Worked > 0 {
		d := wrong("a second run did work: %s", again.Line)
		d.(*Difference).Needless = true
		return d
	}
	if d := got.Diff(after); clean && d != "" {
		return wrong("a second run changed outputs:\n%s", d)
	}
	p.checkRepaired()
	p.forgetOlder(mode, sources)
	if clean && p.damaged == nil {
		p.baseline[key] = &baseline{targets(mode.Targets), sources, view(after, mode.Targets)}
	} else {
		delete(p.baseline, key)
	}
	return nil
}

// forgetOlder drops the baselines of earlier runs with different sources that share a target with
// this run. A return to those sources is a change, even if the outputs stay the same. For example,
// an asset may fail with both versions.
func (p *Player) forgetOlder(mode Mode, sources Tree) {
	maps.DeleteFunc(p.baseline, func(_ string, b *baseline) bool {
		shared := slices.ContainsFunc(targets(mode.Targets), func(t string) bool { return slices.Contains(b.targets, t) })
		return shared && !maps.Equal(b.sources, sources)
	})
}

// remember records which asset made each output, according to the manifest.
func (p *Player) remember(list listing) {
	for _, l := range list {
		for _, o := range l.Outputs {
			p.made[o.Path] = l
		}
	}
}

// checkFailure checks a run that failed as a whole. The run from scratch must have failed for the
// same reason, and no output may have changed.
func (p *Player) checkFailure(mode Mode, before Tree, want *expected, failure error, wrong func(string, ...any) error) error {
	if len(mode.Patterns) > 0 && (isConfigError(failure) || failure == nil && isConfigError(want.err)) {
		return nil // the patterns may match nothing, and a run for some sources may not find all errors in rules
	}
	if !isConfigError(want.err) || !isConfigError(failure) {
		return wrong("from scratch: error %v\nincremental: error %v", want.err, failure)
	}
	got, err := p.readOut()
	if err != nil {
		return err
	}
	if d := before.Diff(got); d != "" {
		return wrong("a failed run changed outputs: %v\n%s", failure, d)
	}
	return nil
}

func isConfigError(err error) bool {
	var config *cook.ConfigError
	return errors.As(err, &config)
}

// diffAll compares the outputs and the manifest of a run with the results of a run from scratch.
func (p *Player) diffAll(mode Mode, want *expected, got Tree, list listing, result Result) string {
	wantTree, gotTree := view(want.tree, mode.Targets), view(got, mode.Targets)
	for name := range got {
		if path.Ext(name) == ".own" && !strings.Contains(name, "/") {
			delete(gotTree, name) // a user's file, which cook did not make
		}
	}
	if mode.ByFolder {
		for name := range p.inPlace {
			delete(gotTree, name)
			delete(wantTree, name)
		}
	}
	wantList, gotList := want.list.of(mode.Targets), list.of(mode.Targets)
	for name, l := range p.made {
		if !slices.Contains(result.Unplanned, l.Source) || !slices.Contains(targets(mode.Targets), l.Target) {
			continue
		}
		// This asset failed in planning, so its earlier outputs are kept.
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
	if d == "" && len(gotList) == len(list) && len(result.Unplanned) == 0 && !sameBytes(want.tree[manifest.Name], got[manifest.Name]) {
		d = manifest.Name + " has other bytes"
	}
	return d
}

// forgetInPlace forgets edits of outputs in place, because the run must have noticed them.
func (p *Player) forgetInPlace(mode Mode) {
	if mode.ByFolder && !mode.Verify {
		return
	}
	for name := range p.inPlace {
		if inView(name, mode.Targets) {
			delete(p.inPlace, name)
		}
	}
}

// readOut reads the output directory; a missing directory counts as empty.
func (p *Player) readOut() (Tree, error) {
	t, err := ReadTree(p.folders.Out)
	if os.IsNotExist(err) {
		return Tree{}, nil
	}
	return t, err
}
