package pass

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A Changed artifact has another content than before, or is none any more.
type Changed struct {
	Path    string // in the output folder
	Blob    store.BlobID
	Removed bool // the manifest does not list it any more
	// Source, Target and Reasons say whose action did that and why.
	Source, Target string
	Reasons        []plan.Reason
	Saved          time.Time // when the source was written; zero of what was removed
}

// changed returns what a pass did to artifacts, sorted by path: those that were renamed
// into place, and those that the manifest is to list with another content or not at all.
func changed(d *Delta, t *Todo, w *Work) []Changed {
	if !d.Whole && len(d.Concerned) == 0 {
		return nil
	}
	all := map[string]Changed{}
	lost := func(path, source, target string, reasons []plan.Reason) {
		if _, told := all[path]; !told {
			all[path] = Changed{Path: path, Removed: true, Source: source, Target: target, Reasons: reasons}
		}
	}
	for _, r := range t.Plan.Retired {
		lost(r.Path, r.Source, r.Target, nil)
	}
	for i := range w.Results {
		if a := w.Results[i].Action; ends(a, &w.Results[i]) {
			for _, m := range listed(a.Last) {
				lost(m.Path, a.Path, a.Target, a.Reasons)
			}
		}
	}
	for i := range w.Results { // another action may have made what one has lost
		res := &w.Results[i]
		a := res.Action
		if !ends(a, res) {
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
			if was && !w.Placed[m.Path] {
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

// ends reports whether an action came to an end that replaces what was known of it.
func ends(a *plan.Action, res *execute.Result) bool {
	return a.Err == nil && res.Outcome != execute.NotReached && res.Outcome != execute.UpToDate
}

// listed are the artifacts that the manifest has of an action.
func listed(b *contents.Before) []index.Artifact {
	if b == nil || b.State != index.Done {
		return nil
	}
	return b.Made
}
