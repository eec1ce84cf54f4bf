package pass

import (
	"cmp"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A Kind is files with one extension, such as ".spm", or without any: "". Files and folders
// that are left out by their names are kinds by these, folders with a slash behind them.
type Kind struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"` // 0 for folders
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

// firstKinds returns what a first run tells of a tree that nobody may have thought
// of: what is copied since no recipe and no rule is for it, and what is left out by the
// list that nobody wrote.
func firstKinds(d *Delta, t *Todo) (copied, leftOut []Kind) {
	ships, out := kinds{}, kinds{}
	counted := "" // the last path, which may have actions for more targets
	for i := range t.Actions {
		if a := &t.Actions[i]; a.Path != counted && a.Method != nil && !a.Held() && a.Method.Recipe.Name == recipe.Fallback && a.Method.Then == nil && a.Method.Chosen().Line == 0 {
			ships.addKind(recipe.Ext(a.Path), a.Source.Stamp.Size)
			counted = a.Path
		}
	}
	for _, e := range d.Tree.LeftOut {
		base, ext := path.Base(e.Path), recipe.Ext(e.Path)
		switch {
		case e.Stamp.IsFolder():
			out.addKind(base+"/", 0)
		case ext == "" || base[0] == '.':
			out.addKind(base, e.Stamp.Size)
		default:
			out.addKind(ext, e.Stamp.Size)
		}
	}
	return ships.listKinds(), out.listKinds()
}
