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

// An Extract selects the part of a file that concerns one source, so that recipes depend on this
// part instead of the whole file. An edit of the file that leaves the part unchanged does not cook
// the source again. A run reads each file once, however many sources use it.
type Extract struct {
	// Name is a word of the letters a to z, such as "materials".
	Name string
	// Version must be raised whenever Of may return a different result for the same file.
	Version int
	// Of returns the parts of a file. It must use only the content, and must bound its work for
	// hostile files. For a malformed file it returns an error; such a file counts as having no
	// parts.
	Of func(file io.ReaderAt, size int64) (Says, error)
	// OfNames replaces Of in an extract that looks only at the names of the files in a listing. The
	// subjects of the result are such names.
	OfNames func(names []string) Says
	// Holds lists extensions, in lower case with dots, of sources that outputs of the recipe
	// contain, as models contain their buffers. The extract must have a part about each source that
	// a file reads. Files is a pattern, without a directory, for the names of such files. Cook
	// searches the directory of a source, and the parent directory, for matching files. A source
	// gets no outputs if three conditions hold: the recipe cooks all files that read the source, no
	// rule applies to the source, and no recipe has the source's extension.
	Holds []string
	Files string
}

// Says maps subjects to the parts of a file. A subject is the path of a source, relative to the
// directory of the file; the part of subject "" is about every source.
type Says map[string][]byte

// About returns the part about a subject, appended to the part about every source.
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

// ReadExtract returns the part of another file that is about the source. name is the name of the
// file, as Job.Read takes it; extract is the name of one of the recipe's Extracts. The part is a
// dependency: the source is cooked again if an edit changes this part, or if the source is renamed
// and the file has a different part about its new path. Edits of other parts have no effect. The
// error is fs.ErrNotExist if there is no such file (its absence is then a dependency), and
// errors.ErrUnsupported if another recipe produced the source.
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
// returns the files that have a part about the source, sorted by name. Only the last element of the
// pattern may have special characters, which mean the same as in Glob. Files outside the asset tree
// never match.
//
// The call records one dependency, however many files match: the source is cooked again when a part
// about it is added, removed or changed. Files without such a part may be added, removed and
// changed. Traits.Asks must make the same calls. For an extract with OfNames, the result has at
// most one element, whose File is the directory.
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

// extractParts returns the parts about the source, keyed by the last elements of the file names.
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

// Followed returns how another file is cooked for the same target: the name of its recipe (by), the
// options, and the paths of the artifacts (outputs), relative to the directory of the first
// artifact of the source. For a chain of recipes it returns the recipe and the options of the first
// step. The recipe of the job must have a Follow and, if the value of Follow.Option ends with a
// slash, set UsesPath.
//
// If it is unknown how the file is cooked, for example because Follow.Option is not set, by is "".
// In this case outputs has the path of a copy of the file, and the recipe should assume the
// defaults of the other recipe. For a file outside the asset tree, outputs is empty.
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
		from = j.env.Names[0] // rules may put the output in a directory of its own
	}
	for i, artifact := range outputs {
		outputs[i] = pathname.Relative(path.Dir(from), artifact)
	}
	return by, options, outputs
}

// Artifacts returns the artifacts of other assets for the same target that match the patterns,
// sorted by source. The patterns are written and ordered as in rules, and match paths below the
// directory of the target: "ui/**/*.ktx2", "!*_old.*". The list of each asset contains only the
// outputs that match; outputs of the job itself are never included. Only recipes that set Bundles
// may call Artifacts.
//
// The list and the contents of the artifacts are a dependency, and a run brings them up to date
// first. If they are not cooked yet, or cannot be cooked, Artifacts returns an error, which Cook
// must return.
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
// returns an error if an asset has no ID. The IDs become a dependency of the source.
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

// ReadArtifact reads the file at a path that Artifacts has returned, and verifies that its content
// matches the list. Several goroutines may call it at once.
func (j *Job) ReadArtifact(path string) ([]byte, error) { return j.env.ReadArtifact(path) }
