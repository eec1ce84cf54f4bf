package plan

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
)

// salt is the first field of every action ID. Change it when cook starts to treat the results of
// recipes differently.
const salt = "assetcook action 1"

// NewKey returns a key for computing action IDs, one after the other.
func NewKey() *hashing.Key { return hashing.NewKey(salt) }

// Identify computes the ID of an action from the content of its source. It returns an error if the
// content is unknown. The function file returns the answers of files to queries about the source;
// it is nil if no files can be queried.
func (a *Action) Identify(k *hashing.Key, src *contents.File, file func(on dependency.Dependency) contents.File) (store.ActionID, error) {
	switch {
	case src.How == contents.Absent:
		return store.ActionID{}, fmt.Errorf("the file was removed while it was being read; run cook again")
	case !src.Known():
		return store.ActionID{}, src.Err
	}
	var said []index.Dep
	if file != nil {
		asked, err := Asks(a.Method, a.Path)
		if err != nil {
			return store.ActionID{}, err
		}
		for _, d := range asked {
			f := file(d.On)
			if f.How == contents.Unreadable {
				return store.ActionID{}, f.Err
			}
			said = append(said, Dependency(d.Name, d.On, f))
		}
	}
	return actionID(k, a, src, said), nil
}

func actionID(k *hashing.Key, a *Action, src *contents.File, asked []index.Dep) store.ActionID {
	m := a.Method
	k.Reset(salt)
	for _, f := range m.Fields {
		key := f.Key
		if library, ok := strings.CutPrefix(key, fieldLibrary); ok {
			key = fieldLibrary + filepath.Base(library) // the library's directory may differ between machines
		}
		k.String(key, f.Value)
	}
	k.String("source extension", recipe.Ext(src.Path))
	k.Digest("source", hashing.Digest(src.Blob))
	// The extension is hashed, because programs choose the format by extension.
	for _, out := range a.Outputs {
		k.String("output extension", path.Ext(out))
	}
	if m.Choice.Then != nil {
		for step := range m.Choice.Steps(src.Path) {
			k.String("made extension", path.Ext(step.Path))
			k.String("made folder", pathname.Relative(path.Dir(src.Path), path.Dir(step.Path)))
		}
	}
	if m.Choice.Bundles() { // bundles read all artifacts of their target except their own
		k.String("target", a.Target)
		for _, out := range a.Outputs {
			k.String("output", out)
		}
	}
	for _, d := range asked {
		k.String("asked", dependency.Encode(d.Asked()))
		k.Bool("found", d.Found)
		k.Digest("said", hashing.Digest(d.Blob))
	}
	if m.Choice.UsesPath() {
		k.String("source path", src.Path)
	}
	if m.Choice.NamesOutputs() {
		identifyNames(k, m.Choice, src.Path)
	}
	return store.ActionID(k.Sum())
}

// identifyNames adds the names of the outputs to a key, relative to the source. If there is a
// single output, it adds only the directory, because the output does not contain its own name.
func identifyNames(k *hashing.Key, m *rules.Method, source string) {
	names, from := m.FinalNames(source), path.Dir(source)
	if len(names) == 1 && m.Then == nil {
		k.String("folder", pathname.Relative(from, path.Dir(names[0])))
		return
	}
	for _, name := range names {
		k.String("name", pathname.Relative(from, name))
	}
}

// Asks returns the queries about a source that a method sends to all files in some directories. The
// queries are dependencies, sorted by name. If another recipe made the source, there are no
// queries.
func Asks(m *Method, source string) ([]recipe.Dep, error) {
	if r := m.Choice.Holder(); r != nil {
		return askHolders(r, source)
	}
	for m.First != nil {
		m = m.First
	}
	asks := m.Choice.Traits().Asks
	if asks == nil {
		return nil, nil
	}
	job := askingJob(m.Choice.Recipe, source)
	err := asks(job)
	return jobs.Deps(job), err
}

// askingJob returns a job that records the queries of a recipe about a source.
func askingJob(r recipe.Recipe, source string) *recipe.Job {
	return jobs.New(r, jobs.Env{Path: source, Extract: func(recipe.Dependency) ([]recipe.Said, bool, error) { return nil, true, nil }}, 0)
}

// askHolders returns the queries to the files whose outputs may contain a source.
func askHolders(r *recipe.Recipe, source string) ([]recipe.Dep, error) {
	job := askingJob(*r, source)
	for i := range r.Extracts {
		x := &r.Extracts[i]
		if !slices.Contains(x.Holds, recipe.Ext(source)) {
			continue
		}
		for _, folder := range []string{"", "../"} {
			if _, err := job.ReadExtracts(folder+x.Files, x.Name); err != nil {
				return nil, err
			}
		}
	}
	return jobs.Deps(job), nil
}

// IsAsked reports whether a dependency is one that Asks returns. Such dependencies are part of the
// action ID.
func IsAsked(on dependency.Dependency) bool { return on.Kind == dependency.Extracts }

// ResultID identifies the result of an action that read the given dependencies, sorted by name.
func ResultID(id store.ActionID, deps []index.Dep) store.ResultID {
	k := hashing.NewKey("assetcook result 1")
	k.Digest("action", hashing.Digest(id))
	for _, d := range deps {
		if IsAsked(d.On) {
			continue
		}
		k.String("name", dependency.Encode(d.Asked()))
		if isName(d) {
			continue // stored results contain the planned name instead of the final name
		}
		k.Bool("found", d.Found)
		k.Digest("content", hashing.Digest(d.Blob))
	}
	return store.ResultID(k.Sum())
}

// Step returns the action of one step of a chain: a method applied to a source, which may be
// the artifact of an earlier step. The ID equals the ID of an asset that is cooked in the same
// way.
func (a *Action) Step(k *hashing.Key, m *Method, source *contents.File, file func(on dependency.Dependency) contents.File) (_ *Action, err error) {
	step := &Action{Path: source.Path, Target: a.Target, Source: source, Method: m, Outputs: methodOutputs(m, source.Path, a.Target)}
	step.ID, err = step.Identify(k, source, file)
	return step, err
}
