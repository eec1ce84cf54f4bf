package pass

import (
	"cmp"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A FirstRun lists the kinds of files that users of a new project may not expect.
type FirstRun struct {
	Copied  []Kind // no recipe and no rule is for them
	LeftOut []Kind // by the default ignore rules
}

// A Kind is all files with one extension, such as ".spm", or "" for none. Files and directories
// that are left out by name are kinds by name, directories with a trailing slash.
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

// listKinds returns the kinds, the biggest first.
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
	counted := "" // the last path, which may have actions for more targets
	for i := range t.Plan.Actions {
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
	return &FirstRun{Copied: copied.listKinds(), LeftOut: leftOut.listKinds()}
}
