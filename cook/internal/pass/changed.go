package pass

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/todo"
)

// A Changed artifact has another content than before, or is gone.
type Changed struct {
	Path    string // in the output directory
	Blob    store.BlobID
	Removed bool // no longer in the manifest
	// Source, Target and Reasons are of the action that changed the artifact.
	Source, Target string
	Reasons        []plan.Reason
	Saved          time.Time // when the source was written; zero if removed
}

// changed returns the artifacts that a pass changed, sorted by path: the ones renamed into
// place, and the ones with another entry or no entry in the manifest.
func changed(d *changes.Delta, t *todo.Todo, done *execute.Done) []Changed {
	if !d.Whole && len(d.Concerned) == 0 {
		return nil
	}
	all := map[string]Changed{}
	lost := func(path, source, target string, reasons []plan.Reason) {
		if _, known := all[path]; !known {
			all[path] = Changed{Path: path, Removed: true, Source: source, Target: target, Reasons: reasons}
		}
	}
	for _, r := range t.Plan.Retired {
		lost(r.Path, r.Source, r.Target, nil)
	}
	for i := range done.Results {
		if a := &t.Plan.Actions[i]; replaces(a, &done.Results[i]) {
			for _, m := range listed(a.Last) {
				lost(m.Path, a.Path, a.Target, a.Reasons)
			}
		}
	}
	for i := range done.Results { // an action may have made an artifact that another one lost
		a, res := &t.Plan.Actions[i], &done.Results[i]
		if !replaces(a, res) {
			for _, m := range listed(a.Last) {
				delete(all, m.Path)
			}
			continue
		}
		if res.State != index.Done {
			continue
		}
		for _, m := range res.Made {
			was := slices.ContainsFunc(listed(a.Last), func(l index.Artifact) bool { return l.Path == m.Path && l.Blob == m.Blob })
			if was && !done.Placed[m.Path] {
				delete(all, m.Path)
				continue
			}
			all[m.Path] = Changed{
				Path: m.Path, Blob: m.Blob, Source: a.Path, Target: a.Target, Reasons: a.Reasons,
				Saved: time.Unix(0, a.Source.Stamp.MTime),
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Changed) int { return cmp.Compare(a.Path, b.Path) })
}

// replaces reports whether the result of an action replaces its known row.
func replaces(a *plan.Action, res *execute.Result) bool {
	return a.Err == nil && res.Outcome != execute.NotReached && res.Outcome != execute.UpToDate
}

// listed returns the artifacts of an action that the manifest has.
func listed(b *contents.Before) []index.Artifact {
	if b == nil || b.State != index.Done {
		return nil
	}
	return b.Made
}
