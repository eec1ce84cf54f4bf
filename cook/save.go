package cook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/machine"
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
		return nil
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
		if outturn.Wrote || list.wrote {
			if err := k.syncOut(); err != nil {
				return err
			}
		}
		if err := k.writeIndex(x, index.NoChanges(x)); err != nil {
			return err
		}
	}
	k.saved = x
	return k.closeJournal(p, b.Actions())
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

// replace writes a file whole or leaves it as it was. What a killed process may
// leave behind lies in the state folder, where clearLeftovers finds it.
func (k *kitchen) replace(name string, data []byte) error {
	return k.put(name, data, true)
}

// put replaces a file. One that need not survive a power cut, because it shows when
// it did not, is not waited for.
func (k *kitchen) put(name string, data []byte, sync bool) error {
	f, err := atomicfile.Create(k.outFile(plan.StateDir), 0o666)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("write %s: %w", k.outFile(name), err)
	}
	if sync {
		if err := f.Sync(); err != nil {
			return fmt.Errorf("write %s: %w", k.outFile(name), err)
		}
	}
	return f.Commit(k.outFile(name))
}

// clearLeftovers removes what replace left behind in a process that was killed.
func (k *kitchen) clearLeftovers() error {
	left, err := os.ReadDir(k.outFile(plan.StateDir))
	for _, e := range left {
		if strings.HasPrefix(e.Name(), atomicfile.Prefix) {
			err = errors.Join(err, os.Remove(k.outFile(plan.StateDir+"/"+e.Name())))
		}
	}
	return err
}

// syncOut waits until the outputs are on the disk. An index that reached it
// before them would vouch for files that a power cut left empty.
func (k *kitchen) syncOut() error {
	f, err := os.Open(k.out.Name())
	if err != nil {
		return err
	}
	defer f.Close()
	return machine.SyncFS(f)
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
	now := k.started.UnixNano()
	for _, f := range k.tree.Folders {
		b.AddFolder(f, f.Stamp.Settled(now))
	}
	for role, list := range map[index.Role][]scan.Entry{index.Config: k.tree.Configs, index.Ignore: k.tree.Ignores} {
		for _, e := range list {
			files[e.Path] = true
			b.AddFile(index.File{Path: e.Path, Role: role, Stamp: e.Stamp, Settled: e.Stamp.Settled(now), Sum: k.rulesSums[e.Path]})
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
			if f := k.last.File(row); (kept[f.Path] || len(p.Kept) > 0 && filepath.IsAbs(f.Path)) && !files[f.Path] && !k.isManifest(f.Path) {
				b.AddFile(f)
			}
		}
	}
	return b
}

// settle looks at new artifacts once more: a stamp that has become old enough
// since it was taken may be trusted.
func (k *kitchen) settle(made []index.Artifact) {
	now := k.Now().UnixNano()
	for i := range made {
		info, err := k.out.Root().Lstat(made[i].Path)
		if err == nil && scan.StampOf(info) == made[i].Stamp {
			made[i].Settled = made[i].Stamp.Settled(now)
		}
	}
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
