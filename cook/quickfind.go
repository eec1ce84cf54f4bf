package cook

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/sweep"
)

// sameTools proves that the programs by whose names methods were identified are
// still those programs. The sweep has asked for their stamps.
func (q *quick) sameTools() error {
	tools := map[string]string{}
	q.tools = tools
	err := q.live.Methods(func(m index.Method) {
		for _, f := range m {
			if name, ok := plan.ToolOf(f); ok {
				tools[name] = f.Value
			}
		}
	})
	if err != nil || len(tools) > 0 && q.live.Load() != nil {
		return errWhole
	}
	for name, blob := range tools {
		file, err := recipe.FindTool(q.assets.Name(), name)
		if err != nil {
			return errWhole
		}
		if known, ok := q.live.File(file); !ok || known.Blob.String() != blob {
			return errWhole
		}
	}
	return nil
}

// listAgain lists the folders whose listing may be another one and finds out
// which files came, went or changed.
func (q *quick) listAgain(ctx context.Context) error {
	q.tree, q.fresh = &scan.Tree{}, map[string]bool{}
	if len(q.found.Folders) == 0 {
		return nil
	}
	parts := q.live.Parts()
	again := map[string]bool{} // folders of the index that are not simply as they were
	var dirs []scan.Folder
	for _, f := range q.found.Folders {
		x := parts[f.Part].Folder(f.Row)
		again[string(x.Path)] = true
		if !f.Gone {
			dirs = append(dirs, scan.Folder{Path: unslashed(x.Path), Real: unslashed(x.Real)})
		}
	}
	kept := map[string]bool{} // folders that were met and need no listing
	known := func(f scan.Folder) bool {
		part, row, ok := q.live.FindFolder(slashed(f.Path))
		if !ok {
			return false
		}
		x := parts[part].Folder(row)
		if string(x.Real) != slashed(f.Real) || again[string(x.Path)] {
			return false
		}
		kept[string(x.Path)] = true
		return true
	}
	var err error
	opt := scan.Options{Exclude: q.ownFolders(), Workers: q.Workers, ListAll: q.listAll}
	if q.tree, err = scan.Again(ctx, q.assets.Name(), opt, dirs, known); err != nil {
		return errWhole
	}
	for _, p := range q.tree.Problems {
		if p.Fatal() || filepath.Base(p.Path) == scan.ConfigName {
			return errWhole
		}
	}
	gone := q.goneFolders(again, kept)
	return q.match(gone)
}

func unslashed(path []byte) string { return strings.TrimSuffix(string(path), "/") }

func slashed(path string) string {
	if path == "" || path == "." {
		return ""
	}
	return path + "/"
}

// goneFolders finds the folders of the index that are no longer part of the
// tree, or stand for another place: those that were listed and not found, those
// that their parents' listings do not have any more, and all below them.
func (q *quick) goneFolders(again, kept map[string]bool) map[string]bool {
	there := map[string]string{}
	for _, f := range q.tree.Folders {
		there[slashed(f.Path)] = slashed(f.Real)
	}
	gone := map[string]bool{}
	for part, x := range q.live.Parts() {
		below := "\x00" // a path under which all is gone
		for row := range x.Folders() {
			f := x.Folder(row)
			if f.Tree != index.Assets {
				break
			}
			if !f.Listed || f.Dead {
				continue
			}
			path := string(f.Path)
			real, listed := there[path]
			lost := strings.HasPrefix(path, below)
			switch {
			case lost && !listed:
			case listed && real == string(f.Real):
				continue
			case again[path], again[parentOf(path)] && !kept[path], gone[parentOf(path)]:
				if !lost {
					below = path
				}
			default:
				continue
			}
			gone[path] = true
			if !listed {
				q.dropped = append(q.dropped, sweep.Folder{Part: part, Row: row})
			}
		}
	}
	return gone
}

// parentOf returns the folder that holds a folder, both with their slashes.
func parentOf(path string) string {
	path = strings.TrimSuffix(path, "/")
	return path[:strings.LastIndexByte(path, '/')+1]
}

// match compares the files of the folders that were listed again, or are gone,
// with what the index has there.
func (q *quick) match(gone map[string]bool) error {
	type place struct{ part, node int }
	known := map[string]place{}
	listed := map[string]bool{}
	for _, f := range q.tree.Folders {
		listed[slashed(f.Path)] = true
	}
	for part, x := range q.live.Parts() {
		for row := range x.Folders() {
			f := x.Folder(row)
			if f.Tree != index.Assets {
				break
			}
			if !listed[string(f.Path)] && !gone[string(f.Path)] {
				continue
			}
			for node := f.First; node < f.First+f.Count; node++ {
				p := x.Probe(node)
				switch path := x.NodePath(node); {
				case p.Idle():
				case sweep.Listed(p.Role):
					known[path] = place{part, node}
				case gone[string(f.Path)]:
					// What was found or missed there was so in another place.
					q.changed[path] = true
					q.appear = append(q.appear, sweep.File{Part: part, Node: node, Role: p.Role})
				}
			}
		}
	}
	for role, list := range map[index.Role][]scan.Entry{index.Asset: q.tree.Entries, index.Config: q.tree.Configs, index.Ignore: q.tree.Ignores} {
		for _, e := range list {
			at, ok := known[e.Path]
			delete(known, e.Path)
			var p index.Probe
			if ok {
				p = q.live.Parts()[at.part].Probe(at.node)
			}
			if ok && p.Role == role && p.Settled && p.Stamp == e.Stamp && !q.Verify {
				continue
			}
			q.fresh[e.Path] = role == index.Asset
			switch {
			case ok && p.Role == role:
				q.found.Files = append(q.found.Files, sweep.File{
					Part: at.part, Node: at.node, Role: role, Kind: sweep.Changed, Known: p.Stamp, Now: e.Stamp,
				})
			case role == index.Asset && (!ok || p.Role == index.Asset):
				q.now[e.Path] = &e
				q.changed[e.Path] = true
			default:
				return errWhole
			}
		}
	}
	for _, at := range known {
		p := q.live.Parts()[at.part].Probe(at.node)
		q.found.Files = append(q.found.Files, sweep.File{Part: at.part, Node: at.node, Role: p.Role, Kind: sweep.Missing, Known: p.Stamp})
	}
	sweep.Sort(q.found.Files)
	return nil
}

// compare reads what stamps do not vouch for, and sorts the files that differ.
func (q *quick) compare(ctx context.Context, opt sweep.Options) error {
	if len(q.found.Files) == 0 {
		return nil
	}
	begin := q.Now()
	var err error
	q.same, err = sweep.Compare(ctx, opt, q.found.Files, q.checksum, &q.reads)
	if err != nil {
		return err
	}
	q.summary.Checksummed.Time = q.Now().Sub(begin)
	for i := range q.found.Files {
		f := &q.found.Files[i]
		if f.Role == index.Made && f.Known.Mode != 0 && f.Known.Mode != f.Now.Mode {
			q.same[i] = false // it is to have the permissions that a new one has
		}
		if q.same[i] {
			q.live.Restamp(f.Part, f.Node, f.Now, q.clock.Settled(f.Now) && !f.Busy)
			continue
		}
		if err := q.sort(f); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf returns the source that a file is, or was made from.
func (q *quick) sourceOf(f *sweep.File) string {
	if f.Role == index.Made {
		return q.live.Source(f.Part, f.Node)
	}
	return q.live.NodePath(f.Part, f.Node)
}

// sort says what a file that differs means.
func (q *quick) sort(f *sweep.File) error {
	path := q.live.NodePath(f.Part, f.Node)
	switch f.Role {
	case index.Asset:
		q.changed[path] = true
		q.now[path] = nil
		if f.Kind == sweep.Changed {
			q.now[path] = &scan.Entry{Path: path, Stamp: f.Now}
		}
	case index.Made:
		if !slices.Contains(q.Targets, q.live.Target(f.Part, f.Node)) {
			return nil // of a run with other targets
		}
		if !q.concern(q.live.Source(f.Part, f.Node)) {
			return errWhole
		}
	case index.Other:
		if filepath.IsAbs(path) {
			return errWhole // a program, or the manifest
		}
		q.changed[path] = true
		q.appear = append(q.appear, *f)
	case index.Absent:
		q.changed[path] = true
		q.appear = append(q.appear, *f)
	default:
		return errWhole // rules, for files or for what to cook
	}
	return nil
}

// concern makes a source one to look after, as it is unless it is known to have
// changed. It reports false if nobody knows the source.
func (q *quick) concern(path string) bool {
	if _, ok := q.now[path]; ok {
		return true
	}
	f, ok := q.live.File(path)
	if !ok || f.Role != index.Asset {
		return false
	}
	q.now[path] = &scan.Entry{Path: path, Stamp: f.Stamp}
	return true
}

// alsoConcerned adds the sources that depend on what changed, and those that
// failed last time. If that is a good part of all, the long way is shorter.
func (q *quick) alsoConcerned() error {
	unknown := false
	q.live.FailedSources(func(path string) { unknown = unknown || !q.concern(path) })
	q.live.Dependents(q.changed, func(path string) { unknown = unknown || !q.concern(path) })
	if unknown {
		return errWhole
	}
	if len(q.now) > 100+q.live.Totals().Actions/4 {
		return errWhole
	}
	return nil
}

// sources returns the paths to look after, sorted.
func (q *quick) sources() []string {
	paths := make([]string, 0, len(q.now))
	for p := range q.now {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}
