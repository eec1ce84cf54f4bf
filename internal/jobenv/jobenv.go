// Package jobenv defines the functions that the job of a recipe calls. The cooker provides them in
// a run, and package recipetest in a test. Package jobs creates jobs from them.
package jobenv

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/internal/dependency"
)

// Package recipe sets these functions. This package cannot name the types of recipes and jobs
// without an import cycle.
var (
	// NewJob returns a job for a source of the given size.
	NewJob func(recipe any, env Env, size int64) (job any)
	// EnvOf returns the environment of a job.
	EnvOf func(job any) *Env
	// Recorded returns the dependencies and the warnings of a job so far.
	Recorded func(job any) ([]Dep, []string)
)

// ExtractKey returns the value of Dependency.Function for the extract with the given name and
// version.
func ExtractKey(name string, version int) string { return name + "." + strconv.Itoa(version) }

// WriteByCreate writes output number i to the file that create creates.
func WriteByCreate(create func(i int) (*os.File, error), i int, data []byte) error {
	f, err := create(i)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// A Dep is a dependency that a recipe has requested.
type Dep struct {
	On    dependency.Dependency // dependency, with a path in the asset tree
	Name  string                // path in the form that the recipe used
	Found bool                  // false if the file or directory does not exist
}

// A Said is the part of a file that concerns one source.
type Said struct {
	File string // name of the file
	Text []byte // extracted text, not empty
}

// Facts are the decisions of a recipe about an image, for display in lists. Fields may be empty.
type Facts struct {
	Evidence string // reason for the image's role
	Format   string // storage format, such as "bc7" or "png"
	Levels   int    // number of mip levels; 0 for files without mip levels
}

// A Growth is an image in a lossy format and its much larger output.
type Growth struct {
	Dir      string // directory of the source, "" for the asset directory
	Format   string // format of the source, such as "JPEG"
	Became   string // kind of the output in the plural, such as "textures"
	Advice   string // how to get a smaller output
	From, To int64  // bytes
}

// Env is the environment of a job. If a function is nil, the methods of the job that need it return
// an error, unless its comment says otherwise.
type Env struct {
	Path  string   // slash-separated path of the source in the asset tree
	Names []string // final paths of the outputs, after all recipes of a chain

	// These functions access the asset tree. Paths are slash-separated; each function returns
	// an error for paths that lead out of the tree.

	Open func(path string) (fs.File, error)
	Stat func(path string) (fs.FileInfo, error)
	// List returns the sorted names that a listing selects. A listing of all names appends a slash
	// and the type to each name. found is false if the directory does not exist.
	List func(listing dependency.Dependency) (names []string, found bool, err error)
	// IsLink reports whether a path is a symbolic link.
	IsLink func(path string) (bool, error)
	// Extract returns the parts of files that concern a subject, sorted by file name. found is
	// false if the file or directory does not exist. The caller must not change the list.
	Extract func(of dependency.Dependency) (said []Said, found bool, err error)

	// These functions create the output files of the job.

	Outputs []string // paths of new files in existing directories
	// Create creates output number i. It does not follow links.
	Create func(i int) (*os.File, error)
	// Write creates output number i with the given content. Calls may be concurrent. If it is nil,
	// Create is used.
	Write func(i int, data []byte) error
	// Named is called when the recipe asks for the path of output number i, which programs may then
	// write. It may be nil.
	Named func(i int)
	// Previous opens output number i of the last run, if the same recipe with the same options
	// cooked it and it has been verified. Otherwise it returns nil. If the function is nil, there
	// is no previous output.
	Previous func(i int) *os.File

	// These functions read artifacts of other assets for the same target, and return how these
	// assets are cooked.

	// Artifacts returns the artifacts that patterns select, and the dependency on their list.
	Artifacts    func(patterns []string) (list []manifest.Asset, on dependency.Dependency, err error)
	ReadArtifact func(path string) ([]byte, error)
	// IDs returns the IDs of the assets whose artifacts match the patterns, keyed by source. It
	// also returns the dependency to record.
	IDs func(patterns []string) (ids map[string]string, on dependency.Dependency, err error)
	// Followed returns how a file is cooked: the name of the recipe ("" if unknown), its
	// recipe.Cooker, and the artifacts. If the function is nil, no recipe is known.
	Followed func(path string) (by string, options any, outputs []string)

	// These functions report to the run. Each may be nil.

	Hold func(kind string, bytes int64)    // records how much memory the job uses until it ends
	Step func(name string) (end func())    // starts a step of the recipe; steps may nest
	Note func(line string)                 // prints a line about the machine once
	Grew func(Growth)                      // an output is much larger than its source
	Tell func(Facts)                       // decisions about the source
	Role func(i int, role string)          // meaning of the pixels of output number i
	Used func(processorTime time.Duration) // reports the processor time of an external program
	// Each distributes the calls of Job.Each to idle CPUs; if it is nil, they run one after
	// another.
	Each func(ctx context.Context, n int, do func(i int) error) error

	// These fields are for external programs.

	Assets     string                 // directory of the asset tree
	SourceFile string                 // path of the source if it is outside of the asset tree, otherwise ""
	Scratch    func() (string, error) // returns an empty directory that is removed after the job
	// Vars overrides environment variables of programs. cook verify sets Vars to find results that
	// depend on such variables.
	Vars map[string]string
	// Traced is called if programs are traced and all files that they read become dependencies.
	// cook verify sets Traced. If it is nil, declared dependencies are trusted.
	Traced func()
}
