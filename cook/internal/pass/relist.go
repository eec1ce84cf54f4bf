package pass

import (
	"context"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// listAgain lists the folders whose listing may be another one and finds out which
// files came, went or changed.
func (f *finder) listAgain(ctx context.Context) error {
	found := f.delta.Found
	if len(found.Folders) == 0 {
		return nil
	}
	again := map[string]bool{} // folders of the index that are not simply unchanged
	var dirs []scan.Folder
	for _, folder := range found.Folders {
		x := f.last.Folder(folder.Ref)
		again[x.Path()] = true
		if !folder.Gone {
			dirs = append(dirs, scan.Folder{Path: x.Path(), Real: x.Real()})
		}
	}
	kept := map[string]bool{} // folders that were met and need no listing
	known := func(met scan.Folder) bool {
		x, ok := f.last.FindFolder(met.Path)
		if !ok || x.Real() != met.Real || again[met.Path] {
			return false
		}
		kept[met.Path] = true
		return true
	}
	tree, err := scan.Again(ctx, f.s.Assets.Name(), f.s.scanOptions(), dirs, known)
	if err != nil {
		return errNeedFullScan
	}
	for _, p := range tree.Problems {
		if p.Fatal() || path.Base(p.Path) == scan.ConfigName {
			return errNeedFullScan
		}
	}
	f.delta.Tree = tree
	return f.match(f.goneFolders(again, kept))
}

// goneFolders finds the folders of the index that are no longer part of the tree, or
// stand for another place: those that were listed and not found, those that their
// parents' listings do not have any more, and all below them.
func (f *finder) goneFolders(again, kept map[string]bool) map[string]bool {
	there := map[string]string{}
	for _, folder := range f.delta.Tree.Folders {
		there[folder.Path] = folder.Real
	}
	gone := map[string]bool{}
	lost := "" // the last folder under which all is gone
	for ref := range index.FolderRef(f.last.Folders()) {
		x := f.last.Folder(ref)
		if x.Tree != index.Assets || !x.Listed {
			continue
		}
		at := x.Path()
		real, listed := there[at]
		below := lost != "" && (at == lost || strings.HasPrefix(at, lost+"/"))
		switch {
		case below && !listed:
		case listed && real == x.Real():
			continue
		case again[at], at != "" && (again[parent(at)] && !kept[at] || gone[parent(at)]):
			if !below {
				lost = at
			}
		default:
			continue
		}
		gone[at] = true
		if !listed {
			f.delta.Stale.Folders = append(f.delta.Stale.Folders, ref)
		}
	}
	return gone
}

// parent returns the folder that holds a folder, "" for the root.
func parent(folder string) string {
	if dir := path.Dir(folder); dir != "." {
		return dir
	}
	return ""
}

// match compares the files of the folders that were listed again, or are gone, with
// their entries in the index. Later, restat compares contents only of files whose path is
// unchanged: it opens folders at their old path, so a file behind a link with a new target
// would be compared with itself.
func (f *finder) match(gone map[string]bool) error {
	known := map[string]index.Node{}
	listed := map[string]bool{}
	tree := f.delta.Tree
	for _, folder := range tree.Folders {
		listed[folder.Path] = true
	}
	for ref := range index.FolderRef(f.last.Folders()) {
		x := f.last.Folder(ref)
		if x.Tree != index.Assets || !listed[x.Path()] && !gone[x.Path()] {
			continue
		}
		for i := range x.Len() {
			n, ok := x.Node(i)
			switch {
			case !ok:
			case restat.Listed(n.Role):
				known[f.last.Path(n.Ref)] = n
			case gone[x.Path()]:
				// What was found or missed there was so in another place.
				f.delta.Changed[f.last.Dependency(n.Ref)] = true
				f.delta.Stale.Nodes = append(f.delta.Stale.Nodes, n.Ref)
			}
		}
	}
	found := f.delta.Found
	for role, list := range map[index.Role][]scan.Entry{index.Asset: tree.Entries, index.Config: tree.Configs, index.Ignore: tree.Ignores} {
		for i := range list {
			e := &list[i]
			n, ok := known[e.Path]
			delete(known, e.Path)
			switch {
			case ok && n.Role == role && n.Settled && n.Stamp == e.Stamp && !f.s.Mode.IgnoreStamps:
			case ok && n.Role == role && !gone[parent(e.Path)]:
				found.Files = append(found.Files, restat.File{Ref: n.Ref, Role: role, Kind: restat.Changed, Known: n.Stamp, Now: e.Stamp})
			case role == index.Asset && (!ok || n.Role == index.Asset):
				f.now[e.Path] = e
				f.delta.Changed[dependency.OfFile(e.Path)] = true
			default:
				return errNeedFullScan
			}
		}
	}
	for _, n := range known {
		found.Files = append(found.Files, restat.File{Ref: n.Ref, Role: n.Role, Kind: restat.Missing, Known: n.Stamp})
	}
	restat.Sort(found.Files)
	return nil
}
