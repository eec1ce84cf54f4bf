package recipe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Extract is a part of a file, about one source, that recipes depend on instead of the whole
// file. An edit of the file that leaves the part unchanged does not cook the source again. A run
// reads each file once, however many sources ask.
type Extract struct {
	// Name is a word of a-z, such as "materials".
	Name string
	// Version rises whenever Of may return something else for the same file.
	Version int
	// Of returns the parts of a file. It uses nothing but the content, and bounds the cost of
	// hostile files. The error for a malformed file has no part in the result: such a file says
	// nothing.
	Of func(file io.ReaderAt, size int64) (Says, error)
	// Holds lists extensions, in lower case with dots, of sources that outputs of the recipe
	// contain, as models contain their buffers. The extract has a part about each source that a
	// file reads, and Files is a pattern of such files, without a directory. Cook asks the files in
	// the directory of a source and in the directory above. A source has no outputs if the recipe cooks
	// all files that read it, no rule decides about it, and no recipe has its extension.
	Holds []string
	Files string
}

// Says has the parts of a file by subject. A subject is a path relative to the directory of the file;
// "" is the part about every source.
type Says map[string][]byte

// About returns the part about a subject.
func (s Says) About(subject string) []byte {
	all, about := s[""], s[subject]
	if subject == "" || len(about) == 0 {
		return all
	}
	return append(all[:len(all):len(all)], about...)
}

// A Said is the part of a file that is about a source. It has the fields
//
//	File string // the name of the file, as Job.Read takes it
//	Text []byte // not empty
type Said = jobenv.Said

// ReadExtract returns the part of another file that is about the source, by the extract of the
// recipe with a name. The name of the file is as for Job.Read. The part is a dependency: an edit
// that changes it, or a rename of the source to which the file says something else, cooks the
// source again; an edit of other parts does not. The error is fs.ErrNotExist if there is no such
// file, which is a dependency as well, and errors.ErrUnsupported for a source that another recipe
// made.
func (j *Job) ReadExtract(name, extract string) ([]byte, error) {
	said, found, err := j.extractParts(Dependency{Kind: dependency.Extract, Path: name}, extract)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fs.ErrNotExist
	case len(said) == 0:
		return nil, nil
	}
	return said[0].Text, nil
}

// ReadExtracts is ReadExtract for all files of a directory that match a pattern. It returns the files
// with a part about the source, sorted by name. Only the last element of the pattern may match
// several names, as in Glob. Outside the asset tree there are no such files.
//
// All of it is one dependency, however many files match: the source is cooked again when a part
// about it changes, appears or goes. Files without a part may come, go and change. Traits.Asks must
// ask the same questions.
func (j *Job) ReadExtracts(pattern, extract string) ([]Said, error) {
	folder, last := path.Split(pattern)
	if last == "" || last == ".." || !validPart(last) || isPattern(folder) || strings.IndexByte(pattern, 0) >= 0 {
		return nil, fmt.Errorf("pattern %.200q: not one of files", pattern)
	}
	of := Dependency{Kind: dependency.Extracts, Path: path.Clean(folder), Pattern: last}
	said, _, err := j.extractParts(of, extract)
	for i := range said {
		said[i].File = folder + said[i].File
	}
	return said, err
}

// extractParts returns the parts of files about the source, by the last elements of their names.
func (j *Job) extractParts(of Dependency, extract string) (said []Said, found bool, err error) {
	for _, x := range j.recipe.Extracts {
		if x.Name != extract {
			continue
		}
		if j.env.Extract == nil {
			return nil, false, errors.New("parts of files cannot be read here")
		}
		of.Function = jobenv.ExtractKey(x.Name, x.Version)
		at, err := of.Resolve(j.env.Path)
		if of.Kind == dependency.Extracts && errors.Is(err, dependency.ErrOutside) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		said, found, err := j.env.Extract(at)
		if err == nil {
			j.recordDependency(of.Path, at, found)
		}
		return slices.Clone(said), found, err
	}
	panic(fmt.Sprintf("recipe %s reads the extract %q, which Recipe.Extracts does not have", j.recipe.Name, extract))
}

// Followed returns how another file is cooked for the same target: the name of the recipe, its
// options, and the artifacts, relative to the directory of the artifacts of the source. For a chain
// it returns the recipe and the options of the first step. The recipe of the job must have a Follow
// and, if Follow.Option is set, use the path. by is empty if the answer is unknown, for example if
// Follow.Option is not set; then assume the defaults of the other recipe.
func (j *Job) Followed(name string) (by string, options Cooker, outputs []string) {
	if j.env.Followed == nil || j.recipe.Follow == nil {
		return "", nil, nil
	}
	at, err := dependency.OfFile(name).Resolve(j.env.Path)
	if err != nil {
		return "", nil, nil
	}
	by, cooker, outputs := j.env.Followed(at.Path)
	options, _ = cooker.(Cooker)
	for i, artifact := range outputs {
		outputs[i] = pathname.Relative(path.Dir(j.env.Path), artifact)
	}
	return by, options, outputs
}

// Artifacts returns the artifacts of other assets for the same target that patterns choose, sorted
// by source. Patterns are as in rules, in order, and see paths below the directory of the target:
// "ui/**/*.ktx2", "!*_old.*". The list of an asset has only outputs that the patterns choose; the
// outputs of the job itself are never among them. Only a recipe with Bundles may call Artifacts.
//
// The list and the content of the artifacts are a dependency, and cook brings them up to date
// first. If they are still to be cooked, or cannot be, Artifacts returns an error, which Cook must
// return.
func (j *Job) Artifacts(patterns ...string) ([]manifest.Asset, error) {
	if !j.recipe.Bundles {
		panic("recipe " + j.recipe.Name + ": Job.Artifacts without Recipe.Bundles")
	}
	if j.env.Artifacts == nil {
		return nil, errors.New("there are no artifacts here")
	}
	list, on, err := j.env.Artifacts(patterns)
	if err == nil {
		j.recordDependency(on.Path, on, true)
	}
	return list, err
}

// IDs returns the ID of each asset that Artifacts returns for the same patterns, by source. Assets
// without IDs are an error. The IDs are a dependency of recipes that call IDs.
func (j *Job) IDs(patterns ...string) (map[string]string, error) {
	if !j.recipe.Bundles {
		panic("recipe " + j.recipe.Name + ": Job.IDs without Recipe.Bundles")
	}
	if j.env.IDs == nil {
		return nil, errors.New("there are no artifacts here")
	}
	ids, on, err := j.env.IDs(patterns)
	if err == nil {
		j.recordDependency(on.Path, on, true)
	}
	return ids, err
}

// ReadArtifact reads a file that Artifacts has returned, by its path, and verifies that its content
// is the listed one. Several goroutines may call it at once.
func (j *Job) ReadArtifact(path string) ([]byte, error) { return j.env.ReadArtifact(path) }
