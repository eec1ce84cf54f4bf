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

// An Extract selects the part of a file that concerns one source, so that recipes depend only on
// this part. Edits elsewhere in the file then do not cook the source again. A run reads each file
// once for all sources.
type Extract struct {
	// Name consists of the letters a to z, such as "materials".
	Name string
	// Version must be raised if Of may return a different result for the same file.
	Version int
	// Of returns the parts of a file. It must use only the content, and must limit its work for
	// malicious files. It returns an error for a malformed file, which then has no parts.
	Of func(file io.ReaderAt, size int64) (Says, error)
	// OfNames replaces Of in an extract that uses only the names in a directory. The subjects of
	// the result are then names in the directory.
	OfNames func(names []string) Says
	// Holds lists extensions, in lower case with dots, of sources that are contained in outputs of
	// the recipe, as models contain buffers. The extract must have a part about each source that a
	// file reads.
	//
	// Files is a pattern for the names of such files, without a directory. Cook searches the
	// directory of a source, and the parent directory. A source gets no outputs if the recipe cooks
	// all files that read it, no rule matches it, and no recipe has its extension.
	Holds []string
	Files string
}

// Says maps subjects to the parts of a file. A subject is the path of a source relative to the
// directory of the file. The part of the subject "" is about every source.
type Says map[string][]byte

// About returns the part about every source, followed by the part about subject.
func (s Says) About(subject string) []byte {
	all, about := s[""], s[subject]
	if subject == "" || len(about) == 0 {
		return all
	}
	return append(all[:len(all):len(all)], about...)
}

// A Said is the part of a file that concerns the source. It has the fields
//
//	File string // name of the file in the form of Job.Read
//	Text []byte // not empty
type Said = jobenv.Said

// ReadExtract returns the part about the source in another file. extract is the name of one of the
// recipe's Extracts. The part is a dependency: the source is cooked again if the part changes, or
// if the source is renamed and the part about the new path differs.
//
// The error is fs.ErrNotExist if there is no such file; its absence is then a dependency. The error
// is errors.ErrUnsupported if another recipe produced the source.
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

// ReadExtracts is like ReadExtract, but reads all files of a directory that match a pattern. It
// returns the non-empty parts, sorted by file name. Only the last element of the pattern may have
// special characters, which mean the same as in Glob. Files outside of the asset tree never match.
//
// The call records one dependency for all files. The source is cooked again when a part about it is
// added, removed or changed, but not after other changes. Traits.Asks must make the same calls. For
// an extract with OfNames, the result has at most one element, whose File is the directory.
func (j *Job) ReadExtracts(pattern, extract string) ([]Said, error) {
	folder, last := path.Split(pattern)
	if last == "" || last == ".." || !validPart(last) || isPattern(folder) || strings.IndexByte(pattern, 0) >= 0 {
		return nil, fmt.Errorf("pattern %.200q does not match files", pattern)
	}
	of := Dependency{Kind: dependency.Extracts, Path: path.Clean(folder), Pattern: last}
	said, _, err := j.extractParts(of, extract)
	for i := range said {
		said[i].File = folder + said[i].File
	}
	return said, err
}

// extractParts returns the parts about the source. The File of each part is the last element of the
// file's name.
func (j *Job) extractParts(of Dependency, extract string) (said []Said, found bool, err error) {
	for _, x := range j.recipe.Extracts {
		if x.Name != extract {
			continue
		}
		if j.env.Extract == nil {
			return nil, false, errors.New("this job cannot read extracts of files")
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

// Followed describes how another file is cooked for the same target. by is the name of its recipe.
// outputs are the paths of its artifacts, relative to the directory of the source's first artifact.
// For a chain of recipes, by and options describe the first step. The recipe of the job must
// have a Follow. If the value of Follow.Option ends with a slash, it must also set UsesPath.
//
// If nothing is known about the file, for example because Follow.Option is not set, by is "".
// outputs then has the path of a copy of the file, and the recipe should assume the other recipe's
// defaults. For a file outside of the asset tree, outputs is empty.
func (j *Job) Followed(name string) (by string, options Cooker, outputs []string) {
	at, err := dependency.OfFile(name).Resolve(j.env.Path)
	if err != nil || j.recipe.Follow == nil {
		return "", nil, nil
	}
	if j.env.Followed != nil {
		var cooker any
		by, cooker, outputs = j.env.Followed(at.Path)
		options, _ = cooker.(Cooker)
	}
	if by == "" {
		outputs = []string{at.Path}
	}
	from := j.env.Path
	if j.recipe.NamesOutputs && len(j.env.Names) > 0 {
		from = j.env.Names[0] // rules may put the output in another directory
	}
	for i, artifact := range outputs {
		outputs[i] = pathname.Relative(path.Dir(from), artifact)
	}
	return by, options, outputs
}

// Artifacts returns other assets' artifacts for the same target that match the patterns, sorted by
// source. The patterns have the syntax of rules, and match paths below the directory of the target:
// "ui/**/*.ktx2", "!*_old.*". The list of each asset has only the matching outputs. It never has
// outputs of the job itself. Only recipes that set Bundles may call Artifacts.
//
// The list and the contents of the artifacts are dependencies, and a run cooks them first. If
// artifacts are not cooked yet, or cannot be cooked, Artifacts returns an error, which Cook must
// return.
func (j *Job) Artifacts(patterns ...string) ([]manifest.Asset, error) {
	if !j.recipe.Bundles {
		panic("recipe " + j.recipe.Name + ": Job.Artifacts without Recipe.Bundles")
	}
	if j.env.Artifacts == nil {
		return nil, errors.New("this job has no artifacts of other assets")
	}
	list, on, err := j.env.Artifacts(patterns)
	if err == nil {
		j.recordDependency(on.Path, on, true)
	}
	return list, err
}

// IDs returns the ID of each asset that Artifacts returns for the same patterns, by source. It
// returns an error if an asset has no ID. The IDs become a dependency.
func (j *Job) IDs(patterns ...string) (map[string]string, error) {
	if !j.recipe.Bundles {
		panic("recipe " + j.recipe.Name + ": Job.IDs without Recipe.Bundles")
	}
	if j.env.IDs == nil {
		return nil, errors.New("this job has no artifacts of other assets")
	}
	ids, on, err := j.env.IDs(patterns)
	if err == nil {
		j.recordDependency(on.Path, on, true)
	}
	return ids, err
}

// ReadArtifact reads a file that Artifacts has returned, and checks that its content matches the
// list. It may be called concurrently.
func (j *Job) ReadArtifact(path string) ([]byte, error) { return j.env.ReadArtifact(path) }
