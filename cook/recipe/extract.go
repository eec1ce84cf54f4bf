package recipe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"

	"github.com/assetcook/assetcook/internal/pathname"
)

// An Extract is a part of a file that recipes may depend on in the place of the whole: an
// edit that leaves it the same cooks nothing again. Files are read once in a run, whichever
// sources ask.
type Extract struct {
	// Name says what it is, in a word of a-z: "materials".
	Name string
	// Version rises whenever the same file may give something else.
	Version int
	// Of makes it of a file's content, and of nothing else. A file that cannot be understood
	// has an extract as well, best an empty one: the error is for reading only. It must bound
	// what a hostile file can cost.
	Of func(file io.ReaderAt, size int64) ([]byte, error)
	// About returns what an extract says of a subject, whose path is relative to the file's
	// folder: only that is what a source depends on.
	About func(extract []byte, subject string) []byte
}

// key names an extract and its version.
func (x Extract) key() string { return x.Name + "." + strconv.Itoa(x.Version) }

// Extract finds an extract of a recipe by the name and version that pathname.Extracted has.
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

// ReadExtract returns what an extract of the recipe, by its name, says of the source, read
// from another file, whose name is as in Dep. It is recorded as a dependency, also if there
// is no such file: then the error is fs.ErrNotExist. The source is cooked again when that
// changes, or when it is renamed and the file says something else of its new name, and not
// when other parts of the file are edited.
func (j *Job) ReadExtract(name, extract string) ([]byte, error) {
	for _, x := range j.env.Recipe.Extracts {
		if x.Name != extract {
			continue
		}
		if j.env.Extract == nil {
			return nil, errors.New("parts of files cannot be read here")
		}
		dep := pathname.Extracted{File: name, Name: x.key()}.Path()
		at, err := Resolve(j.env.Path, dep)
		if err != nil {
			return nil, err
		}
		data, found, err := j.env.Extract(at)
		if err != nil {
			return nil, err
		}
		j.record(Dep{Name: dep, Path: at, Found: found})
		if !found {
			return nil, fs.ErrNotExist
		}
		return data, nil
	}
	panic(fmt.Sprintf("recipe %s: Job.ReadExtract of %q, which Recipe.Extracts does not have", j.env.Recipe.Name, extract))
}

// InFolder reports whether the source lies in a folder of the asset tree, not in the tree's
// own. Of recipes with extracts it is part of the action's identity; others must not ask.
func (j *Job) InFolder() bool {
	if len(j.env.Recipe.Extracts) == 0 {
		panic("recipe " + j.env.Recipe.Name + ": Job.InFolder without Recipe.Extracts")
	}
	return path.Dir(j.env.Path) != "."
}

// resolveExtract is Resolve for extracts: those without a subject are about the source.
func resolveExtract(source string, x pathname.Extracted) (string, error) {
	file, err := resolve(source, x.File, false)
	if err != nil {
		return "", err
	}
	if x.Subject == "" {
		x.Subject = pathname.Relative(path.Dir(file), source)
	}
	x.File = file
	return x.Path(), nil
}
