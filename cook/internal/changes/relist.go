package changes

import (
	"context"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// listAgain lists the directories whose stamp differs, and finds added, removed and changed files.
func (f *finder) listAgain(ctx context.Context) error {
	found := f.delta.Found
	if len(found.Folders) == 0 {
		return nil
	}
	again := map[string]bool{}
	var dirs []scan.Folder
	for _, folder := range found.Folders {
		x := f.last.Folder(folder.Ref)
		again[x.Path()] = true
		if !folder.Gone {
			dirs = append(dirs, scan.Folder{Path: x.Path(), Real: x.Real()})
		}
	}
	kept := map[string]bool{}
	known := func(met scan.Folder) bool {
		x, ok := f.last.FindFolder(met.Path)
		if !ok || x.Real() != met.Real || again[met.Path] {
			return false
		}
		kept[met.Path] = true
		return true
	}
	tree, err := scan.Again(ctx, f.s.Assets.Name(), f.s.ScanOptions(), dirs, known)
	if err != nil {
		return errNeedFullScan
	}
	for _, p := range tree.Problems {
		if p.Fatal() || path.Base(p.Path) == scan.ConfigName {
			return errNeedFullScan
		}
	}
	f.delta.Tree = tree
	return f.matchListed(f.goneFolders(again, kept))
}

// goneFolders returns the known directories that were removed, or whose path now leads to another
// directory. The result includes all of their subdirectories.
func (f *finder) goneFolders(again, kept map[string]bool) map[string]bool {
	there := map[string]string{}
	for _, folder := range f.delta.Tree.Folders {
		there[folder.Path] = folder.Real
	}
	gone := map[string]bool{}
	lost := "" // the last removed directory; everything below it is removed too
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

// matchListed compares the files of listed and removed directories with the index. The later restat
// cannot do so: it opens old paths, which may now lead through a changed link.
func (f *finder) matchListed(gone map[string]bool) error {
	known := f.knownIn(gone)
	tree, found := f.delta.Tree, f.delta.Found
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

// knownIn returns the known files of listed and removed directories. It skips other nodes of a
// removed directory, because they describe another location.
func (f *finder) knownIn(gone map[string]bool) map[string]index.Node {
	known := map[string]index.Node{}
	listed := map[string]bool{}
	for _, folder := range f.delta.Tree.Folders {
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
				f.delta.Changed[f.last.Dependency(n.Ref)] = true
				f.delta.Stale.Nodes = append(f.delta.Stale.Nodes, n.Ref)
			}
		}
	}
	return known
}
