package commit

import (
	"iter"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/dependency"
)

// unsynced collects everything that this run saw or made and the last index does not have. It
// must be on the disk before the index is. Call it before the index is edited.
func (r run) unsynced() (*state.Pending, error) {
	d := r.delta
	pending, err := r.s.State.NewPending(r.s.Assets)
	if err != nil {
		return nil, err
	}
	if r.work.Done.Wrote || r.madeOthers() {
		pending.AddOutputs(r.s.State)
	}
	r.addTouched(pending)
	for _, f := range r.editedRules() {
		pending.AddFile(d.Last, f)
	}
	if f, ok := r.todo.IDs.IndexedFile(r.s, d.Tree); ok {
		pending.AddFile(d.Last, f)
	}
	r.putFound(d.Read.Parts.Files(), index.Other, func(on dependency.Dependency, f index.File) { pending.AddPart(d.Last, on, f) })
	if r.todo.Contents == nil {
		return pending, nil
	}
	for _, list := range []iter.Seq2[dependency.Dependency, contents.File]{eachAsset(r.todo.Contents.Assets()), r.todo.Contents.Extra()} {
		for on, f := range list {
			if f.How == contents.ByChecksum || f.How == contents.ByReading {
				pending.AddPart(d.Last, on, index.File{Stamp: f.Stamp, Sum: f.Sum})
			}
		}
	}
	if !d.Whole {
		return pending, nil
	}
	for _, list := range [][]scan.Entry{d.Tree.Configs, d.Tree.Ignores} {
		for _, e := range list {
			if sum, ok := r.todo.Rules.Texts.Sum(e.Path); ok {
				pending.AddFile(d.Last, index.File{Path: e.Path, Stamp: e.Stamp, Sum: sum})
			}
		}
	}
	return pending, nil
}

// addTouched adds the touched files.
func (r run) addTouched(pending *state.Pending) {
	d := r.delta
	if d.Found == nil {
		return
	}
	for i := range d.Found.Files {
		f := &d.Found.Files[i]
		switch {
		case !f.Same || f.Known == f.Now:
		case f.Role == index.Made:
			name := filepath.Join(r.s.Out.Name(), filepath.FromSlash(d.Last.Path(f.Ref)))
			pending.Add(dependency.OfFile(name), f.Now)
		default:
			pending.Add(d.Last.Dependency(f.Ref), f.Now)
		}
	}
}

// madeOthers reports whether artifacts have other stamps than in the last index, even if the
// run only found them there.
func (r run) madeOthers() bool {
	for i := range r.work.Done.Results {
		var last []contents.Output
		if a := &r.todo.Plan.Actions[i]; a.Last != nil {
			last = a.Last.Outputs
		}
		for n, m := range r.work.Done.Results[i].Made {
			if n >= len(last) || last[n].Artifact.Path != m.Path || last[n].Artifact.Stamp != m.Stamp {
				return true
			}
		}
	}
	return false
}
