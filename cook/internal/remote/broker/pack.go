package broker

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A pack has the files that are sent with an action.
type pack struct {
	contents *contents.Contents
	assets   string
	first    []remote.File // the program and the action description
	files    map[string]remote.File
	names    map[string]bool // files that are sent empty, because only their names are needed
	folders  map[string]bool
	outputs  int
}

// mostFiles limits the number of files in a pack.
const mostFiles = 10_000

// errUnpackable is the error of a file that cannot be sent.
var errUnpackable = errors.New("the action cannot be sent")

// packAction packs an action together with this program, the source, the tools, and the known
// dependencies of the action.
func (m *Machines) packAction(ctx context.Context, t cookone.Task, program remote.File) (*pack, error) {
	a := t.Action
	p := &pack{contents: m.opt.Contents, assets: m.opt.Assets.Name(), files: map[string]remote.File{}, names: map[string]bool{}, folders: map[string]bool{}, outputs: len(a.Outputs)}
	order := remote.Action{Format: remote.ActionFormat, ID: a.ID, Path: a.Path, Target: a.Target, Outputs: a.Outputs, Names: a.Method.Choice.FinalNames(a.Path), Recipe: a.Method.Choice.Recipe.Name}
	var err error
	if order.Options, err = json.Marshal(a.Method.Choice.Cooker); err != nil {
		return nil, err
	}
	for _, tool := range a.Method.Tools {
		file, err := p.addTool(tool)
		if err != nil {
			return nil, err
		}
		order.Tools = append(order.Tools, file)
	}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	p.first = []remote.File{program, {Path: remote.ActionFile, Text: text}}
	p.addKnown(a.Path, *a.Source)
	for _, at := range m.knownReads(ctx, t) {
		if at.Kind == dependency.Link && m.opt.Contents.At(ctx, at).Known() {
			return nil, errUnpackable // a link cannot be sent
		}
		p.addPath(ctx, at)
	}
	if len(p.files)+len(p.names) > mostFiles {
		return nil, errUnpackable
	}
	return p, nil
}

// packedRoot returns the files of the pack in a fixed order.
func (p *pack) packedRoot() *remote.Root {
	root := &remote.Root{Files: slices.Clone(p.first), Folders: slices.Sorted(maps.Keys(p.folders)), Outputs: p.outputs}
	for _, at := range slices.Sorted(maps.Keys(p.files)) {
		root.Files = append(root.Files, p.files[at])
	}
	for _, at := range slices.Sorted(maps.Keys(p.names)) {
		if _, there := p.files[at]; !there {
			root.Files = append(root.Files, remote.File{Path: at}) // an empty file suffices, because only the name is read
		}
	}
	return root
}

// addPath adds the files of a dependency. It reports whether the pack lacked any of them.
func (p *pack) addPath(ctx context.Context, on dependency.Dependency) (more bool) {
	switch on.Kind {
	case dependency.File, dependency.Presence:
		return p.addFile(ctx, on.Path)
	case dependency.Link, dependency.Artifacts, dependency.IDs, dependency.Name: // these dependencies cannot be sent
		return false
	case dependency.Extract:
		more = p.addFile(ctx, on.Path)
		return p.addSaid(ctx, on) || more
	case dependency.Extracts:
		more = p.addFolder(on.Path)
		return p.addSaid(ctx, on) || more
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
	}
	names, found, err := p.contents.List(ctx, on)
	if !found || err != nil {
		return false
	}
	more = p.addFolder(on.Path)
	for _, name := range names {
		isFolder := on.Kind == dependency.Folders
		if on.Kind == dependency.Entries { // name and type, separated by a slash
			var kind string
			name, kind, _ = strings.Cut(name, "/")
			isFolder = kind == fs.ModeDir.String()
		}
		if at := path.Join(on.Path, name); isFolder {
			more = p.addFolder(at) || more
		} else {
			more = p.addFile(ctx, at) || more
		}
	}
	return more
}

// addSaid adds the files that contain the parts of an extract. Other files cannot change the
// result. For an extract of file names, it adds all names in the listing.
func (p *pack) addSaid(ctx context.Context, of dependency.Dependency) (more bool) {
	said, _, _ := p.contents.Extract(of) // judgeExecution finds unreadable files
	for _, by := range said {
		if by.File == "" {
			return p.addNames(ctx, of)
		}
		more = p.addFile(ctx, of.OfOne(by.File).Path) || more
	}
	return more
}

// addNames adds empty files with the names of a listing.
func (p *pack) addNames(ctx context.Context, of dependency.Dependency) (more bool) {
	names, _, _ := p.contents.List(ctx, dependency.OfNames(of.Path, of.Pattern, false))
	for _, name := range names {
		at := path.Join(remote.AssetsDir, of.Path, name)
		more = more || !p.names[at]
		p.names[at] = true
	}
	return more
}

// addFolder adds an empty directory, unless it has files.
func (p *pack) addFolder(at string) (more bool) {
	at = path.Join(remote.AssetsDir, at)
	if p.folders[at] {
		return false
	}
	for file := range p.files {
		if strings.HasPrefix(file, at+"/") {
			return false
		}
	}
	p.folders[at] = true
	return true
}

// addFile adds a file of the asset tree, with its current content.
func (p *pack) addFile(ctx context.Context, at string) (more bool) {
	return p.addKnown(at, p.contents.At(ctx, dependency.OfFile(at)))
}

// addKnown adds a file of the asset tree with a known content.
func (p *pack) addKnown(at string, f contents.File) (more bool) {
	to := path.Join(remote.AssetsDir, at)
	if _, there := p.files[to]; there || !f.Known() || len(p.files) > mostFiles {
		return false
	}
	p.files[to] = fileOf(to, filepath.Join(p.assets, filepath.FromSlash(at)), f)
	return true
}

// addTool adds one of the files of a program.
func (p *pack) addTool(tool contents.File) (remote.ToolFile, error) {
	to := remote.ToolsDir + filepath.ToSlash(tool.Path)
	name := filepath.ToSlash(tool.Path)
	if rel, inside := pathname.Below(p.assets, tool.Path); inside {
		to, name = path.Join(remote.AssetsDir, rel), rel
	} else if runtime.GOOS == "windows" {
		return remote.ToolFile{}, errUnpackable
	}
	p.files[to] = fileOf(to, tool.Path, tool)
	return remote.ToolFile{Path: name, Blob: tool.Blob.String()}, nil
}

func fileOf(to, from string, f contents.File) remote.File {
	return remote.File{Path: to, From: from, Blob: f.Blob.String(), Size: f.Stamp.Size, Executable: fs.FileMode(f.Stamp.Mode)&0o111 != 0}
}

// knownReads returns the likely dependencies of an action: the dependencies in the last run and in
// earlier runs on any machine, and the files that the action declares.
func (m *Machines) knownReads(ctx context.Context, t cookone.Task) (reads []dependency.Dependency) {
	a := t.Action
	if a.Last != nil {
		for _, d := range a.Last.Deps {
			reads = append(reads, d.On)
		}
	}
	for _, d := range t.Asked() {
		reads = append(reads, d.On)
	}
	sets, _ := m.opt.Finder.Store.ReadSets(a.ID)
	for _, asked := range slices.Concat(sets...) {
		if at, err := asked.Resolve(a.Path); err == nil {
			reads = append(reads, at)
		}
	}
	if declare := a.Method.Choice.Traits().Declare; declare != nil {
		job := jobs.New(a.Method.Choice.Recipe, jobs.Env{
			Path: a.Path, Stat: m.opt.Assets.Stat,
			List: func(listing recipe.Dependency) ([]string, bool, error) { return m.opt.Contents.List(ctx, listing) },
		}, a.Source.Stamp.Size)
		declare(job) // dependencies recorded before an error count as well
		for _, dep := range jobs.Deps(job) {
			reads = append(reads, dep.On)
		}
	}
	return reads
}
