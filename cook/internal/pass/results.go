package pass

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/assetcook/assetcook/internal/recipeset"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A Changed artifact has different content than before, or was removed.
type Changed struct {
	Path    string // path in the output directory
	Blob    store.BlobID
	Removed bool // set if the artifact is no longer in the manifest
	// Source, Target and Reasons belong to the action that changed the artifact.
	Source, Target string
	Reasons        []plan.Reason
	Saved          time.Time // time when the source was written; zero if removed
}

// changedArtifacts returns the artifacts that a pass changed, sorted by path: artifacts renamed
// into place, and artifacts whose manifest entry was changed or removed.
func changedArtifacts(d *changes.Delta, t *todo.Todo, done *execute.Done) []Changed {
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
		if a := done.Results[i].Action; replaces(a, &done.Results[i]) {
			for _, m := range manifestArtifacts(a.Last) {
				lost(m.Path, a.Path, a.Target, a.Reasons)
			}
		}
	}
	for i := range done.Results { // an action may have made an artifact that previously belonged to another action
		res := &done.Results[i]
		a := res.Action
		if !replaces(a, res) {
			for _, m := range manifestArtifacts(a.Last) {
				delete(all, m.Path)
			}
			continue
		}
		if res.State != index.Done {
			continue
		}
		for _, m := range res.Made {
			was := slices.ContainsFunc(manifestArtifacts(a.Last), func(l index.Artifact) bool { return l.Path == m.Path && l.Blob == m.Blob })
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

// replaces reports whether the result of an action replaces its row in the index.
func replaces(a *plan.Action, res *execute.Result) bool {
	return a.Err == nil && res.Outcome != execute.NotReached && res.Outcome != execute.UpToDate
}

// manifestArtifacts returns the artifacts of an action that are in the manifest.
func manifestArtifacts(b *contents.Before) []index.Artifact {
	if b == nil || b.State != index.Done {
		return nil
	}
	return b.Made
}

// A FirstRun lists the kinds of files that users of a new project may not expect.
type FirstRun struct {
	Copied  []Kind // files that are copied because no rule and no recipe applies
	LeftOut []Kind // files that the default ignore rules exclude
	// AnyEngine is set if rules of the assumed engine have an effect.
	AnyEngine bool
}

// A Kind is the set of all files with one extension, such as ".spm" (or "" for no extension). For
// files and directories that are ignored because of their names, the kind is the name, with a
// trailing slash for directories.
type Kind struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"` // 0 for directories
}

// kinds sums up files by kind.
type kinds map[string]*Kind

func (k kinds) addKind(name string, size int64) {
	kind := k[name]
	if kind == nil {
		kind = &Kind{Name: name}
		k[name] = kind
	}
	kind.Files++
	kind.Bytes += size
}

// listKinds returns the kinds, the largest first.
func (k kinds) listKinds() []Kind {
	var list []Kind
	for _, kind := range k {
		list = append(list, *kind)
	}
	slices.SortFunc(list, func(a, b Kind) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name)) })
	return list
}

// firstRun returns the notes of a first run.
func firstRun(d *changes.Delta, t *todo.Todo) *FirstRun {
	copied, leftOut := kinds{}, kinds{}
	counted := "" // path of the last counted source, which may have several targets
	assumed := false
	for i := range t.Plan.Actions {
		assumed = assumed || t.Plan.Actions[i].Method != nil && t.Plan.Actions[i].Method.Choice.Assumed()
		if a := &t.Plan.Actions[i]; a.Path != counted && a.Method != nil && !a.Held() && a.Method.Choice.Recipe.Name == recipeset.Fallback && a.Method.Choice.Then == nil && a.Method.Choice.Chosen().Line == 0 {
			copied.addKind(recipe.Ext(a.Path), a.Source.Stamp.Size)
			counted = a.Path
		}
	}
	for _, e := range d.Tree.LeftOut {
		base, ext := path.Base(e.Path), recipe.Ext(e.Path)
		switch {
		case e.Stamp.IsFolder():
			leftOut.addKind(base+"/", 0)
		case ext == "" || base[0] == '.':
			leftOut.addKind(base, e.Stamp.Size)
		default:
			leftOut.addKind(ext, e.Stamp.Size)
		}
	}
	return &FirstRun{Copied: copied.listKinds(), LeftOut: leftOut.listKinds(), AnyEngine: assumed}
}
