// Package jobenv has the functions that a job of a recipe works with. The cooker provides them in
// a run, and package recipetest in a test. Package jobs makes jobs of them.
package jobenv

import (
	"context"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/internal/dependency"
)

// Package recipe sets these functions, because it declares recipes and jobs.
var (
	// NewJob returns a job for a source of the given size.
	NewJob func(recipe any, env Env, size int64) (job any)
	// EnvOf returns the environment of a job.
	EnvOf func(job any) *Env
	// Recorded returns the dependencies and the warnings of a job so far.
	Recorded func(job any) ([]Dep, []string)
)

// ExtractKey returns the function of a dependency on an extract, by its name and version.
func ExtractKey(name string, version int) string { return name + "." + strconv.Itoa(version) }

// A Dep is a dependency as a recipe asked for it.
type Dep struct {
	On    dependency.Dependency // its path is in the asset tree
	Name  string                // the path as the recipe wrote it
	Found bool                  // false for an absent file or directory
}

// A Said is the part of a file that is about a source.
type Said struct {
	File string // the name of the file
	Text []byte // not empty
}

// Env is the environment of a job. A nil function makes the methods of the job that need it fail,
// unless its comment says otherwise.
type Env struct {
	Path  string   // path of the source in the asset tree, with slashes
	Names []string // final paths of the outputs, after all steps of a chain

	// The asset tree. Paths have slashes; each function refuses paths that lead out of the tree.

	Open func(path string) (fs.File, error)
	Stat func(path string) (fs.FileInfo, error)
	// List returns the sorted names that a listing chooses; a listing of all names appends a
	// slash and the type to each. found is false without the directory.
	List func(listing dependency.Dependency) (names []string, found bool, err error)
	// IsLink reports whether a path is a symbolic link.
	IsLink func(path string) (bool, error)
	// Extract returns the parts of files that are about a subject, sorted by name of the file.
	// found is false without such a file or directory. The caller must not change the list.
	Extract func(of dependency.Dependency) (said []Said, found bool, err error)

	// The files that the job writes.

	Outputs []string // names of files that do not exist yet, in directories that do
	// Create creates the i-th output. It does not follow links.
	Create func(i int) (*os.File, error)
	// Previous opens the i-th output of the last time, made by the same recipe with the same
	// options and verified; nil for none. A nil function has none.
	Previous func(i int) *os.File

	// Artifacts and methods of other assets for the same target.

	// Artifacts returns the artifacts that patterns choose, and the dependency on that list.
	Artifacts    func(patterns []string) (list []manifest.Asset, on dependency.Dependency, err error)
	ReadArtifact func(path string) ([]byte, error)
	// IDs returns the asset IDs of the matching artifacts by source, and the dependency to record.
	IDs func(patterns []string) (ids map[string]string, on dependency.Dependency, err error)
	// Followed returns how a file is cooked: name of the recipe ("" if unknown), its
	// recipe.Cooker, and the artifacts. A nil function knows nothing.
	Followed func(path string) (by string, options any, outputs []string)

	// Reports to the run. Each function may be nil.

	Hold func(kind string, bytes int64)    // the job holds memory until its end
	Step func(name string) (end func())    // a step of the recipe; steps nest
	Note func(line string)                 // a line about the machine, printed once
	Used func(processorTime time.Duration) // an external program took this time
	// Each shares the pieces of Job.Each among idle CPUs; nil runs them one after the other.
	Each func(ctx context.Context, n int, do func(i int) error) error

	// External programs.

	Assets     string                 // directory of the asset tree
	SourceFile string                 // the source if it is outside the asset tree, else ""
	Scratch    func() (string, error) // returns an empty directory, removed after the job
	// Vars replaces environment variables of programs. cook verify sets it to find results
	// that depend on them.
	Vars map[string]string
	// Traced is called if the dependencies have all files that programs were observed to read.
	// cook verify sets it; nil means that declared dependencies are believed.
	Traced func()
}
