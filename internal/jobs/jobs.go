// Package jobs creates jobs for recipes, and returns the dependencies and warnings of a job. No
// other package creates jobs.
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

// Facts are the decisions of a recipe about an image.
type Facts = jobenv.Facts

// Tell records the decisions of a recipe about the source of a job.
func Tell(job *recipe.Job, f Facts) {
	if env := jobenv.EnvOf(job); env.Tell != nil {
		env.Tell(f)
	}
}

// SetRole records the role of the image in output number i. The role is the meaning of its pixels,
// such as "color" or "normal".
func SetRole(job *recipe.Job, i int, role string) {
	if env := jobenv.EnvOf(job); env.Role != nil {
		env.Role(i, role)
	}
}

// Growth is an image in a lossy format and its much larger output.
type Growth = jobenv.Growth

// Grew reports that the output of a job is much larger than its source, an image in a lossy format.
// It sets the fields Dir and From of g.
func Grew(job *recipe.Job, g Growth) {
	if env := jobenv.EnvOf(job); env.Grew != nil {
		g.Dir, g.From = Directory(job), job.Size()
		env.Grew(g)
	}
}

// Directory returns the directory of a job's source, for messages that results do not keep; "" for
// the asset directory.
func Directory(job *recipe.Job) string {
	if dir := path.Dir(jobenv.EnvOf(job).Path); dir != "." {
		return dir
	}
	return ""
}

// New returns a job of a recipe for a source of the given size.
func New(r recipe.Recipe, env Env, size int64) *recipe.Job {
	return jobenv.NewJob(r, env, size).(*recipe.Job)
}

// Deps returns the dependencies that a job has recorded, without duplicates and sorted by name.
func Deps(job *recipe.Job) []recipe.Dep {
	deps, _ := jobenv.Recorded(job)
	return deps
}

// Warnings returns the warnings reported with Job.Warn.
func Warnings(job *recipe.Job) []string {
	_, warnings := jobenv.Recorded(job)
	return warnings
}

// Programs returns how a job's external programs must be run. vars overrides environment variables;
// the caller must not change it. A caller that traces programs and passes all files that they read
// to Job.Depend must first call the function traced. It must pass the processor time of programs to
// the function used. Each result may be nil.
func Programs(job *recipe.Job) (vars map[string]string, traced func(), used func(time.Duration)) {
	env := jobenv.EnvOf(job)
	return env.Vars, env.Traced, env.Used
}

// OfTree returns an environment where a job reads files of a tree and writes nothing.
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

// listTree implements Env.List for a tree.
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

// extractFrom implements Env.Extract for a tree.
func extractFrom(r recipe.Recipe, tree fs.FS, of recipe.Dependency) (said []recipe.Said, found bool, err error) {
	set, err := recipeset.New(r)
	if err != nil {
		return nil, false, err
	}
	x, known := set.Extract(of.Function)
	if !known {
		return nil, false, fmt.Errorf("the recipe has no extract %s", of)
	}
	names := []string{path.Base(of.Path)}
	if of.Kind == dependency.Extracts {
		if names, found, err = listTree(tree, of); !found || err != nil {
			return nil, found, err
		}
		if x.OfNames != nil {
			if text := x.OfNames(names).About(of.Subject); len(text) > 0 {
				said = append(said, recipe.Said{Text: text})
			}
			return said, true, nil
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
