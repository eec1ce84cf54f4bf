// Package jobs makes jobs for recipes, and returns the dependencies and warnings of a job. No other
// package makes jobs.
package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// Env is the environment of a job.
type Env = jobenv.Env

// New returns a job of a recipe for a source of the given size.
func New(r recipe.Recipe, env Env, size int64) *recipe.Job {
	return jobenv.NewJob(r, env, size).(*recipe.Job)
}

// Deps returns the dependencies that a job has recorded, each once, sorted by name.
func Deps(job *recipe.Job) []recipe.Dep {
	deps, _ := jobenv.Recorded(job)
	return deps
}

// Warnings returns the lines of Job.Warn.
func Warnings(job *recipe.Job) []string {
	_, warnings := jobenv.Recorded(job)
	return warnings
}

// Programs returns how a job wants external programs to run. vars replaces some of the usual
// environment variables; the caller must not change it. A caller that traces programs, and passes
// all files that they read to Job.Depend, calls traced first. The caller passes the processor time
// of programs to used. All three may be nil.
func Programs(job *recipe.Job) (vars map[string]string, traced func(), used func(time.Duration)) {
	env := jobenv.EnvOf(job)
	return env.Vars, env.Traced, env.Used
}

// OfTree returns an environment in which a job reads files of a tree and writes nothing.
func OfTree(r recipe.Recipe, tree fs.FS, path string) Env {
	return Env{
		Path: path, Open: tree.Open, Stat: func(p string) (fs.FileInfo, error) { return fs.Stat(tree, p) },
		List: func(listing recipe.Dependency) ([]string, bool, error) { return listTree(tree, listing) },
		IsLink: func(p string) (bool, error) {
			info, err := fs.Lstat(tree, p)
			if errors.Is(err, fs.ErrNotExist) {
				return false, nil
			}
			return err == nil && info.Mode()&fs.ModeSymlink != 0, err
		},
		Extract: func(of recipe.Dependency) ([]recipe.Said, bool, error) { return extractFrom(r, tree, of) },
	}
}

// listTree is Env.List of a tree.
func listTree(tree fs.FS, listing recipe.Dependency) (names []string, found bool, err error) {
	entries, err := fs.ReadDir(tree, listing.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	for _, e := range entries {
		if listing.Kind == dependency.Entries {
			names = append(names, e.Name()+"/"+e.Type().String())
			continue
		}
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(listing.Pattern, ".")
		if e.IsDir() == (listing.Kind == dependency.Folders) && !hidden && doublestar.MatchUnvalidated(listing.Pattern, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err == nil, err
}

// extractFrom is Env.Extract of a tree.
func extractFrom(r recipe.Recipe, tree fs.FS, of recipe.Dependency) (said []recipe.Said, found bool, err error) {
	set, err := recipeset.New(r)
	if err != nil {
		return nil, false, err
	}
	x, known := set.Extract(of.Function)
	if !known {
		return nil, false, fmt.Errorf("%s: not an extract of the recipe", of)
	}
	names := []string{path.Base(of.Path)}
	if of.Kind == dependency.Extracts {
		if names, found, err = listTree(tree, of); !found || err != nil {
			return nil, found, err
		}
	}
	for _, name := range names {
		file, err := fs.ReadFile(tree, of.OfOne(name).Path)
		if err != nil {
			return nil, false, ignoreAbsent(err)
		}
		says, err := x.Of(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return nil, false, err
		}
		if text := says.About(of.Subject); len(text) > 0 {
			said = append(said, recipe.Said{File: name, Text: text})
		}
	}
	return said, true, nil
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
