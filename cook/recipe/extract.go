package recipe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
)

// An Extract is a part of a file that recipes may depend on in the place of the whole: what the
// file says of a source. An edit that leaves that the same does not cook the source again. Files
// are read once in a run, whichever sources ask.
type Extract struct {
	// Name says what it is, in a word of a-z: "materials".
	Name string
	// Version rises whenever the same file may give something else.
	Version int
	// Of makes it of a file's content, and of nothing else. A file that cannot be understood
	// says nothing: the error is for reading only. It must bound what a hostile file can cost.
	Of func(file io.ReaderAt, size int64) (Says, error)
	// Holds are extensions, in lower case with their dots, of sources that outputs of the recipe
	// contain, as models contain their buffers. The extract says something of each source that a file
	// reads, and Files is a pattern of such files, without a folder. The files in the folder of a
	// source and in the folder above it are asked. A source has no outputs if the recipe cooks all
	// files that read it, no rule decides how it is cooked, and no recipe has its extension.
	Holds []string
	Files string
}

// Says is what a file says, by subjects: paths relative to the file's folder. Under "" is what it
// says of all.
type Says map[string][]byte

// About returns what is said of a subject.
func (s Says) About(subject string) []byte {
	all, about := s[""], s[subject]
	if subject == "" || len(about) == 0 {
		return all
	}
	return append(all[:len(all):len(all)], about...)
}

// A Said is what a file says of a source, if it says anything. It has the fields
//
//	File string // the name of the file, as Job.Read takes it
//	Text []byte // not empty
type Said = jobenv.Said

// key names an extract and its version.
func (x Extract) key() string { return x.Name + "." + strconv.Itoa(x.Version) }

// Extract finds an extract of a recipe by its name and version, as the Function of a Dependency.
func (s *Set) Extract(key string) (Extract, bool) {
	for _, name := range s.names {
		for _, x := range s.byName[name].Extracts {
			if x.key() == key {
				return x, true
			}
		}
	}
	return Extract{}, false
}

// ReadExtract returns what another file, whose name is as Dep.Name, says of the source by an
// extract of the recipe. That is recorded as a dependency, also if there is no such file: then
// the error is fs.ErrNotExist. The source is cooked again when that changes, or when it is
// renamed and the file says something else of its new name, and not when other parts of the file
// are edited. Of a source that another recipe made the error is errors.ErrUnsupported.
func (j *Job) ReadExtract(name, extract string) ([]byte, error) {
	said, found, err := j.extract(Dependency{Kind: dependency.Extract, Path: name}, extract)
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

// ReadExtracts is ReadExtract of all files of a folder that match a pattern, sorted by name; of
// those that say something of the source. Only the last part of the pattern, which is as that of
// Glob, may stand for several names. It is one dependency, however many files there are: the
// source is cooked again when they say something else of it, be it that one comes or goes, and
// not when files come, go and are edited that say nothing of it. Outside the asset tree there
// are none. What is asked has to be asked by the method Asks of the cooker as well.
func (j *Job) ReadExtracts(pattern, extract string) ([]Said, error) {
	folder, last := path.Split(pattern)
	if last == "" || last == ".." || !validPart(last) || isPattern(folder) || strings.IndexByte(pattern, 0) >= 0 {
		return nil, fmt.Errorf("pattern %.200q: not one of files", pattern)
	}
	of := Dependency{Kind: dependency.Extracts, Path: path.Clean(folder), Pattern: last}
	said, _, err := j.extract(of, extract)
	for i := range said {
		said[i].File = folder + said[i].File
	}
	return said, err
}

// extract returns what files say of the source by an extract, by the last parts of their names.
func (j *Job) extract(of Dependency, extract string) (said []Said, found bool, err error) {
	for _, x := range j.recipe.Extracts {
		if x.Name != extract {
			continue
		}
		if j.env.Extract == nil {
			return nil, false, errors.New("parts of files cannot be read here")
		}
		of.Function = x.key()
		at, err := of.Resolve(j.env.Path)
		if of.Kind == dependency.Extracts && errors.Is(err, dependency.ErrOutside) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		said, found, err := j.env.Extract(at)
		if err == nil {
			j.record(of.Path, at, found)
		}
		return slices.Clone(said), found, err
	}
	panic(fmt.Sprintf("recipe %s reads the extract %q, which Recipe.Extracts does not have", j.recipe.Name, extract))
}
