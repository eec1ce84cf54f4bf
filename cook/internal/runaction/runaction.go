// Package runaction cooks one action for another machine. Package cook/internal/remote describes
// the directory that it uses, and the files written there.
//
//	action.json --rebuild--> action --identify--> the same ID? --cook--> out/record, out/0 ...
//
// The action is cooked in the same way as verification cooks an action again. Its ID proves
// that the action is the same here as on the other machine: the ID is recomputed from the
// recipe, the options, the source and the programs of this machine. An action whose ID differs
// is refused.
package runaction

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// Run cooks the action in a directory, and writes its record, which reports whether the action
// was refused or failed. Run fails only if it cannot write the record.
func Run(ctx context.Context, dir string, recipes ...recipe.Recipe) error {
	out := filepath.Join(dir, remote.OutDir)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	rec := cookOrRefuse(ctx, dir, recipes)
	rec.Format = remote.ActionFormat
	text, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, remote.RecordFile), text, 0o666)
}

// cookOrRefuse cooks the action in a directory, or refuses it.
func cookOrRefuse(ctx context.Context, dir string, recipes []recipe.Recipe) (rec remote.Record) {
	refuse := func(err error) remote.Record { return remote.Record{Refused: err.Error()} }
	want, err := readWanted(filepath.Join(dir, remote.ActionFile))
	if err != nil {
		return refuse(err)
	}
	assetsDir := filepath.Join(dir, remote.AssetsDir)
	if err := os.MkdirAll(assetsDir, 0o777); err != nil { // the assets directory is missing if it would be empty
		return refuse(err)
	}
	assets, err := confine.Open(assetsDir)
	if err != nil {
		return refuse(err)
	}
	defer assets.Close()
	out, err := confine.Open(filepath.Join(dir, remote.OutDir))
	if err != nil {
		return refuse(err)
	}
	defer out.Close()
	m := &machine{dir: dir, assets: assets, out: out, contents: contentsOf(assets, recipes)}
	a, err := m.rebuildAction(ctx, want, recipes)
	if err == nil {
		err = m.lookAtAll(ctx)
	}
	if err != nil {
		return refuse(err)
	}
	return m.cookAction(ctx, a)
}

// maxAction limits the size of an action.json, in bytes.
const maxAction = 4 << 20

// readWanted reads the action that another machine requests.
func readWanted(file string) (want remote.Action, err error) {
	text, err := os.ReadFile(file)
	switch {
	case err != nil:
		return want, err
	case len(text) > maxAction:
		return want, fmt.Errorf("%s has %d bytes, more than the limit", remote.ActionFile, len(text))
	}
	if err := json.Unmarshal(text, &want); err != nil {
		return want, fmt.Errorf("%s: %w", remote.ActionFile, err)
	}
	if want.Format != remote.ActionFormat {
		return want, fmt.Errorf("%s has format %d, and this program reads %d", remote.ActionFile, want.Format, remote.ActionFormat)
	}
	return want, nil
}

// A machine holds the directories and the contents for cooking one action.
type machine struct {
	dir         string
	assets, out *confine.Dir
	contents    *contents.Contents
}

// contentsOf returns the contents of a tree without an index.
func contentsOf(assets *confine.Dir, recipes []recipe.Recipe) *contents.Contents {
	sums, _ := hashing.Lookup("xxh3")
	return contents.New(contents.Options{
		Assets: assets, Known: index.Empty().Files(), Checksum: sums, Unsettled: true, Workers: 1, Clock: scan.NewClock(time.Now(), time.Now),
		Extracts: func(name string) (x recipe.Extract, ok bool) {
			if set, err := recipeset.New(recipes...); err == nil {
				x, ok = set.Extract(name)
			}
			return x, ok
		},
		Artifacts: func(dependency.Dependency) (store.BlobID, error) {
			return store.BlobID{}, errors.New("artifacts of other actions are not on this machine")
		},
	})
}

// rebuildAction rebuilds an action, and refuses it if its ID differs on this machine.
func (m *machine) rebuildAction(ctx context.Context, want remote.Action, recipes []recipe.Recipe) (*plan.Action, error) {
	set, err := recipeset.New(recipes...)
	if err != nil {
		return nil, err
	}
	r, ok := set.Lookup(want.Recipe)
	if !ok {
		return nil, fmt.Errorf("there is no recipe %q", want.Recipe)
	}
	cooker := r.New()
	if err := json.Unmarshal(want.Options, cooker); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	chosen := &rules.Method{Recipe: r, Cooker: cooker, Target: want.Target, Final: want.Names}
	for _, f := range recipeset.Fields(cooker) {
		chosen.Options = append(chosen.Options, rules.Option{Field: f})
	}
	if err := m.findTools(ctx, want.Tools); err != nil {
		return nil, err
	}
	methods := plan.NewMethods(nil, tools.Finder(m.assets.Name(), func(file string) (contents.File, error) { return m.contents.Tool(ctx, file) }), (&tools.Versions{Run: tools.RunIn(ctx, m.assets.Name())}).Print)
	method, err := methods.Of(chosen)
	if err != nil {
		return nil, err
	}
	at := func(on dependency.Dependency) contents.File { return m.contents.At(ctx, on) }
	source := at(dependency.OfFile(want.Path))
	a := &plan.Action{Path: want.Path, Target: want.Target, Source: &source, Method: method, Outputs: want.Outputs}
	if a.ID, err = a.Identify(plan.NewKey(), &source, at); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if a.ID != want.ID {
		return nil, errors.New("the action has another ID on this machine: a recipe, a program or a library differs")
	}
	return a, nil
}

// lookAtAll determines the contents of all files before the recipe runs. A recipe's program may
// report its dependencies only at its end. Without their contents, the recipe would then have to
// run twice.
func (m *machine) lookAtAll(ctx context.Context) error {
	return filepath.WalkDir(m.assets.Name(), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if rel, ok := pathname.Below(m.assets.Name(), name); ok {
			m.contents.At(ctx, dependency.OfFile(rel))
		}
		return nil
	})
}

// findTools adds programs of the action to PATH, if this machine lacks them or has other versions.
func (m *machine) findTools(ctx context.Context, tools []remote.ToolFile) error {
	path := os.Getenv("PATH")
	for _, t := range tools {
		if !filepath.IsAbs(filepath.FromSlash(t.Path)) {
			continue // the file is in the asset directory
		}
		if file, err := program.Find(m.assets.Name(), filepath.Base(t.Path)); err == nil {
			if f, err := m.contents.Tool(ctx, file); err == nil && f.Blob.String() == t.Blob {
				continue
			}
		}
		brought, err := filepath.Abs(filepath.Join(m.dir, remote.ToolsDir, filepath.FromSlash(t.Path)))
		if err != nil {
			return err
		}
		path = filepath.Dir(brought) + string(os.PathListSeparator) + path
	}
	return os.Setenv("PATH", path)
}

// cookAction cooks an action into numbered files.
func (m *machine) cookAction(ctx context.Context, a *plan.Action) (rec remote.Record) {
	sums, _ := hashing.Lookup("xxh3")
	again := cookone.NewAgain(cookone.Env{
		Assets: m.assets, Contents: m.contents, Artifacts: &artifacts.Catalog{}, Checksum: sums,
		Memory: session.DefaultMemory(), Cores: parallel.NewCores(runtime.GOMAXPROCS(0)), Now: time.Now,
	})
	noted := ""
	note := func(line string) { noted = line } // note, for example that this system cannot confine programs
	how := cookone.Conditions{Scratch: m.out, Note: note, Read: func(deps []index.Dep) { rec.Reads = readings(deps) }}
	err := again.Cook(ctx, a, how, func(made cookone.Made) error {
		rec.CookTime, rec.Warnings, rec.Facts = made.CookTime, made.Warnings, made.Facts
		for i, file := range made.Files {
			if err := m.out.Root().Rename(file, strconv.Itoa(i)); err != nil {
				return err
			}
			a := made.Artifacts[i]
			rec.Artifacts = append(rec.Artifacts, remote.Artifact{Blob: a.Blob.String(), Size: a.Size, Role: a.Role})
		}
		return nil
	})
	if noted != "" {
		return remote.Record{Refused: noted}
	}
	if err != nil {
		return remote.Record{Error: cmp.Or(err.Error(), "it failed"), Reads: rec.Reads}
	}
	return rec
}

// readings returns dependencies in the form of a record.
func readings(deps []index.Dep) []remote.Reading {
	list := make([]remote.Reading, len(deps))
	for i, d := range deps {
		list[i] = remote.Reading{Asked: d.Asked(), Found: d.Found}
		if d.Blob != (store.BlobID{}) {
			list[i].Blob = d.Blob.String()
		}
	}
	return list
}
