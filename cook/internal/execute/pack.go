package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// rounds is how often an action is executed at most, each time with more of what it looked for
// in vain.
const rounds = 4

// leastWait is the shortest time to wait for a remote result: a machine may have to start first.
const leastWait = 2 * time.Minute

// askAway has another machine cook an action, and returns the result: nil if there is none
// that is known to be right.
func (w *worker) askAway(ctx context.Context, a planned) *known {
	p, err := w.pack(ctx, a)
	if err != nil {
		return nil
	}
	for range rounds {
		root := p.root()
		root.Asset, root.Wait = string(a.Path), leastWait+4*w.expected(w.action)
		ran, ok := w.remote.Run(ctx, root)
		if ran.Off {
			w.remote.away.turnOff()
		}
		if !ok {
			return nil
		}
		if why := ran.Record.Refused; why != "" {
			if w.remote.away.refuse(a.Method) {
				w.note(fmt.Sprintf("remote: %s cannot be cooked on another machine, nor other assets of its rule: %s", pathname.Show(a.Path), pathname.Show(why[:min(len(why), 300)])))
			}
			return nil
		}
		k, more := w.judgeRecord(ctx, a, &ran.Record, p)
		if k != nil {
			w.remote.away.measured(ran.Over)
		}
		if !more {
			return k
		}
	}
	return nil
}

// judgeRecord compares what an action has read on another machine with what is here. If that
// is the same, and the action was cooked, its result is known. If files are here that were
// looked for there in vain, they are added to the pack, and more says that the action is to be
// executed again.
func (r *runner) judgeRecord(ctx context.Context, a planned, rec *remote.Record, p *pack) (k *known, more bool) {
	var deps []index.Dep
	same := true
	for i, there := range rec.Reads {
		at, err := there.Asked.Resolve(a.Path)
		if err != nil || at.Kind.IsArtifacts() || i > 0 && dependency.Compare(there.Asked, rec.Reads[i-1].Asked) <= 0 {
			return nil, false
		}
		f := r.Contents.At(ctx, at)
		if f.How == contents.Unreadable || ctx.Err() != nil {
			return nil, false
		}
		here := plan.Dependency(there.Asked.Path, at, f)
		blob := ""
		if here.Blob != (store.BlobID{}) {
			blob = here.Blob.String()
		}
		if here.Found != there.Found || blob != there.Blob {
			same = false
			if many := at.Kind.IsListing() || at.Kind == dependency.Extracts; here.Found && (many || !there.Found) {
				more = p.addPath(ctx, at) || more
			}
		}
		deps = append(deps, here)
	}
	made, err := rec.Result()
	if more || !same || rec.Error != "" || err != nil || len(made.Artifacts) != len(a.Outputs) {
		return nil, more
	}
	return &known{planned: a, deps: deps, made: made.Artifacts, cookTime: max(0, made.CookTime), warnings: made.Warnings, shared: true}, false
}

// A pack is what travels with an action.
type pack struct {
	runner  *runner
	first   []remote.File // the program and the action
	files   map[string]remote.File
	folders map[string]bool
	outputs int
}

// mostFiles bounds a pack.
const mostFiles = 10_000

// errUnpackable says that something cannot be sent.
var errUnpackable = errors.New("it cannot be sent")

// pack packs an action with its source, its programs, and what it is known to read.
func (r *runner) pack(ctx context.Context, a planned) (*pack, error) {
	p := &pack{runner: r, files: map[string]remote.File{}, folders: map[string]bool{}, outputs: len(a.Outputs)}
	program, err := r.program(ctx)
	if err != nil {
		return nil, err
	}
	order := remote.Action{Format: remote.ActionFormat, ID: a.ID, Path: a.Path, Target: a.Target, Outputs: a.Outputs, Names: a.Method.FinalNames(a.Path), Recipe: a.Method.Recipe.Name}
	if order.Options, err = json.Marshal(a.Method.Cooker); err != nil {
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
	for _, at := range r.knownReads(ctx, a) {
		if at.Kind == dependency.Link && r.Contents.At(ctx, at).Known() {
			return nil, errUnpackable // there, a file or directory would replace the link
		}
		p.addPath(ctx, at)
	}
	if len(p.files) > mostFiles {
		return nil, errUnpackable
	}
	return p, nil
}

// root is all of the pack, in an order that depends on nothing else.
func (p *pack) root() *remote.Root {
	root := &remote.Root{Files: slices.Clone(p.first), Folders: slices.Sorted(maps.Keys(p.folders)), Outputs: p.outputs}
	for _, at := range slices.Sorted(maps.Keys(p.files)) {
		root.Files = append(root.Files, p.files[at])
	}
	return root
}

// addPath adds the files of a dependency, and reports whether any of them is new.
func (p *pack) addPath(ctx context.Context, on dependency.Dependency) (more bool) {
	switch on.Kind {
	case dependency.File, dependency.Presence:
		return p.addFile(ctx, on.Path)
	case dependency.Link, dependency.Artifacts, dependency.IDs: // see pack
		return false
	case dependency.Extract:
		more = p.addFile(ctx, on.Path)
		return p.addSaid(ctx, on) || more
	case dependency.Extracts:
		more = p.addFolder(on.Path)
		return p.addSaid(ctx, on) || more
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
	}
	names, found, err := p.runner.Contents.List(ctx, on)
	if !found || err != nil {
		return false
	}
	more = p.addFolder(on.Path)
	for _, name := range names {
		isFolder := on.Kind == dependency.Folders
		if on.Kind == dependency.Entries { // each name has its type behind it
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

// addSaid adds the files of an extract that say something of its subject: without the others it
// says the same.
func (p *pack) addSaid(ctx context.Context, of dependency.Dependency) (more bool) {
	said, _, _ := p.runner.Contents.Extract(of) // what cannot be read is refused where it is looked at
	for _, by := range said {
		more = p.addFile(ctx, of.OfOne(by.File).Path) || more
	}
	return more
}

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

// addFile adds a file of the asset tree.
func (p *pack) addFile(ctx context.Context, at string) (more bool) {
	return p.addKnown(at, p.runner.Contents.At(ctx, dependency.OfFile(at)))
}

func (p *pack) addKnown(at string, f contents.File) (more bool) {
	to := path.Join(remote.AssetsDir, at)
	if _, there := p.files[to]; there || !f.Known() || len(p.files) > mostFiles {
		return false
	}
	p.files[to] = fileOf(to, filepath.Join(p.runner.Assets.Name(), filepath.FromSlash(at)), f)
	return true
}

// addTool adds a file of a program.
func (p *pack) addTool(tool contents.File) (remote.ToolFile, error) {
	to := remote.ToolsDir + filepath.ToSlash(tool.Path)
	name := filepath.ToSlash(tool.Path)
	if rel, inside := pathname.Below(p.runner.Assets.Name(), tool.Path); inside {
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

// knownReads are what an action is known to read: what it read last time, here or elsewhere, and
// what it declares.
func (r *runner) knownReads(ctx context.Context, a planned) (reads []dependency.Dependency) {
	if a.Last != nil {
		for _, d := range a.Last.Deps {
			reads = append(reads, d.On)
		}
	}
	for _, d := range a.asked() {
		reads = append(reads, d.On)
	}
	sets, _ := r.Store.ReadSets(a.ID)
	for _, asked := range slices.Concat(sets...) {
		if at, err := asked.Resolve(a.Path); err == nil {
			reads = append(reads, at)
		}
	}
	if declare := a.Method.Traits().Declare; declare != nil {
		job := jobs.New(a.Method.Recipe, jobs.Env{
			Path: a.Path, Stat: r.Assets.Stat,
			List: func(listing recipe.Dependency) ([]string, bool, error) { return r.Contents.List(ctx, listing) },
		}, a.Source.Stamp.Size)
		declare(job) // what it has found out until an error is right as well
		for _, dep := range jobs.Deps(job) {
			reads = append(reads, dep.On)
		}
	}
	return reads
}

// program returns this program, which other machines are to run.
func (r *runner) program(ctx context.Context) (remote.File, error) {
	s := &r.remote.away.program
	s.find.Do(func() {
		if s.file, s.err = r.findProgram(context.WithoutCancel(ctx)); s.err != nil {
			r.remote.away.turnOff()
			r.note(fmt.Sprintf("remote: no other machine can cook: this program: %v", s.err))
		}
	})
	return s.file, s.err
}

func (r *runner) findProgram(ctx context.Context) (remote.File, error) {
	name, err := r.remote.away.program.locate()
	if err != nil {
		return remote.File{}, err
	}
	f, err := regular.Open(name)
	if err != nil {
		return remote.File{}, err
	}
	defer f.Close()
	sum, err := r.summer.Sum(ctx, f, hashing.WantDigest)
	if err != nil {
		return remote.File{}, err
	}
	to := "cook"
	if runtime.GOOS == "windows" {
		to += ".exe"
	}
	return remote.File{Path: to, From: name, Blob: sum.Digest.String(), Size: sum.Size, Executable: true}, nil
}
