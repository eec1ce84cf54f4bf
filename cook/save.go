package cook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/cook/sweep"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/pathname"
)

func (k *kitchen) outFile(p string) string {
	return filepath.Join(k.out.Name(), filepath.FromSlash(p))
}

// wantedOutputs marks the artifacts, by row of the index, that this run is to
// look after.
func (k *kitchen) wantedOutputs() []bool {
	wanted := make([]bool, k.last.Artifacts())
	targets := map[string]bool{}
	for _, t := range k.Targets {
		targets[t] = true
	}
	for i := range k.last.Actions() {
		if targets[string(k.last.ActionTarget(i))] && k.inScope(k.last.ActionPath(i)) {
			first, n := k.last.ActionArtifacts(i)
			for row := first; row < first+n; row++ {
				wanted[row] = true
			}
		}
	}
	return wanted
}

// save writes the manifest and, when all that it speaks of is on the disk, the
// index. Either is left alone if it would not change.
func (k *kitchen) save(ctx context.Context, p *plan.Plan, outturn *run.Outturn) error {
	if k.unchanged(p) {
		k.saved = k.last
		return k.endDoubt()
	}
	b := k.newIndex(p, outturn)
	list, err := k.writeManifest(b.Actions())
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	for _, f := range list.files {
		b.AddFile(f)
	}
	b.Count(k.Targets)
	if len(k.claims)+len(k.Patterns) == 0 && k.only == "" && wholly(p, outturn) && !k.tree.Failed() {
		b.Identify(k.identity)
	}
	data := b.Bytes()
	x, err := index.Open(data)
	if err != nil {
		return fmt.Errorf("index: %w (this is a bug in cook)", err)
	}
	if !bytes.Equal(data, k.last.Bytes()) {
		outturn.Wrote = outturn.Wrote || list.wrote
		owed, err := k.debt(p, outturn)
		if err != nil {
			return err
		}
		if err := k.writeIndex(x, index.NoChanges(x), owed); err != nil {
			return err
		}
	}
	k.saved = x
	return errors.Join(k.closeJournal(p, b.Actions()), k.endDoubt())
}

// wholly reports whether the index will know of every action of a plan how it
// ended.
func wholly(p *plan.Plan, outturn *run.Outturn) bool {
	for i := range p.Actions {
		if p.Actions[i].Err != nil || outturn.Results[i].Outcome == run.NotReached {
			return false
		}
	}
	return true
}

// replace writes a file whole or leaves it as it was, power cuts included. What a
// killed process may leave behind lies in the state folder, where clearLeftovers
// finds it.
func (k *kitchen) replace(name string, data []byte) error {
	k.logged = true
	return k.put(name, data, (*atomicfile.File).Sync)
}

// replaceForGood replaces a file on whose name the next thing that is done relies:
// no power cut can leave that and not the name.
func (k *kitchen) replaceForGood(name string, data []byte) error {
	if err := k.replace(name, data); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(k.outFile(name)))
}

// put replaces a file. What has to happen between its being written and its
// getting the name, ready does.
func (k *kitchen) put(name string, data []byte, ready func(*atomicfile.File) error) error {
	failed := func(err error) error { return fmt.Errorf("write %s: %w", k.outFile(name), err) }
	f, err := atomicfile.CreateIn(k.out.Root(), plan.StateDir, 0o666)
	if err != nil {
		return cmp.Or(k.stillOurs(), failed(err)) // a folder that was removed takes no files
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return failed(err)
	}
	if err := ready(f); err != nil {
		return failed(err)
	}
	if err := k.stillOurs(); err != nil {
		return err
	}
	if err := f.Commit(name); err != nil {
		return failed(err)
	}
	return nil
}

// notAwaited is for a file that need not survive a power cut, because it shows
// when it did not.
func notAwaited(*atomicfile.File) error { return nil }

// clearLeftovers removes what replace left behind in a process that was killed.
func (k *kitchen) clearLeftovers() error {
	left, err := fs.ReadDir(k.out.Root().FS(), plan.StateDir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), atomicfile.Prefix) {
			err = errors.Join(err, k.out.Root().Remove(plan.StateDir+"/"+e.Name()))
		}
	}
	return err
}

// newIndex collects what is known after the run: what was done, and as it was
// before whatever the run did not come to.
func (k *kitchen) newIndex(p *plan.Plan, outturn *run.Outturn) *index.Builder {
	b := index.NewBuilder(k.checksum.Name)
	b.Grow(len(k.survey.Assets())+1, len(p.Actions)+len(p.Kept))
	files := map[string]bool{}
	addFile := func(f survey.File, role index.Role) {
		if f.Known() && !files[f.Path] {
			files[f.Path] = true
			b.AddFile(index.File{Path: f.Path, Role: role, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob})
		}
	}
	for _, f := range k.survey.Assets() {
		addFile(f, index.Asset)
	}
	for _, f := range k.tree.Folders {
		b.AddFolder(f, k.clock.Settled(f.Stamp))
	}
	for role, list := range map[index.Role][]scan.Entry{index.Config: k.tree.Configs, index.Ignore: k.tree.Ignores} {
		for _, e := range list {
			files[e.Path] = true
			b.AddFile(index.File{Path: e.Path, Role: role, Stamp: e.Stamp, Settled: k.clock.Settled(e.Stamp) && !k.rulesBusy[e.Path], Sum: k.rulesSums[e.Path]})
		}
	}
	for _, f := range k.survey.Extra() {
		if !k.isManifest(f.Path) { // which is about to change
			addFile(f, index.Other)
		}
	}

	kept := map[string]bool{}
	keep := func(row int) {
		a := k.last.Action(row)
		a.Method = b.AddMethod(k.last.Method(a.Method))
		b.AddAction(a)
		kept[a.Path] = true
		for _, d := range a.Deps {
			kept[d.Path] = true
		}
	}
	for _, row := range p.Kept {
		keep(row)
	}
	methods := map[*plan.Method]int{}
	method := func(m *plan.Method) int {
		row, ok := methods[m]
		if !ok {
			row = b.AddMethod(m.Fields)
			methods[m] = row
		}
		return row
	}
	for i, res := range outturn.Results {
		a := &p.Actions[i]
		switch {
		case a.Err != nil || res.Outcome == run.NotReached:
			if row, ok := k.last.FindAction(a.Path, a.Target); ok {
				keep(row)
			}
		case res.Outcome == run.UpToDate:
			row := res.Row
			row.Method = method(a.Method)
			b.AddAction(row)
		default:
			row := res.Row
			row.Method = method(a.Method)
			row.Decided = k.started
			row.Outcome = string(res.Outcome)
			row.Why = why(a, res.Err)
			if last := a.Last; last != nil && last.State == index.Failed && row.State == index.Failed && last.ID == row.ID && last.Why == row.Why {
				row.Decided = last.Decided // it fails as it did
			}
			k.settle(row.Made)
			b.AddAction(row)
		}
	}
	if k.last.Checksum() == k.checksum.Name {
		for row := range k.last.Files() {
			if f := k.last.File(row); (kept[f.Path] || len(p.Kept) > 0 && filepath.IsAbs(f.Path)) && !files[f.Path] && !k.isManifest(f.Path) && k.inTree(f) {
				b.AddFile(f)
			}
		}
	}
	return b
}

// inTree reports whether a file of the index that nobody looked at now is still
// what the index says that it is. A source that is ignored or gone, of which an
// action of another target is kept, must not be taken for one.
func (k *kitchen) inTree(f index.File) bool {
	if !sweep.Listed(f.Role) || k.tree.Incomplete(f.Path) {
		return true
	}
	_, found := slices.BinarySearchFunc(k.tree.Entries, f.Path, func(e scan.Entry, path string) int { return strings.Compare(e.Path, path) })
	return found && f.Role == index.Asset
}

func why(a *plan.Action, err error) string {
	lines := make([]string, len(a.Reasons))
	for i, r := range a.Reasons {
		lines[i] = r.String()
	}
	if err != nil {
		lines = append(lines, "error: "+strings.ReplaceAll(pathname.Escape(err.Error()), "\n", " | "))
	}
	return strings.Join(lines, "\n")
}
