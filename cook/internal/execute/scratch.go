package execute

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/confine"
)

// A scratch is where one action's artifacts are made, before they are renamed into
// place.
type scratch struct {
	in    *confine.Dir
	base  string   // of all names, below the folder
	files []string // one for each output, below the folder
}

// longestExt is the longest extension that scratch files get, in bytes. An output may
// have one that, with a number before it, is too long for a file name.
const longestExt = 64

// newScratch names files that end like the outputs they will be: programs look at the
// extension to know what to write. No other run has the same names: a program that
// outlived its cook must not write to what another one makes.
func (r *runner) newScratch(outputs []string) *scratch {
	return scratchIn(r.Out, fmt.Sprintf("%s/%x-%d", tmpDir, r.id, r.serial.Add(1)), outputs)
}

func scratchIn(folder *confine.Dir, base string, outputs []string) *scratch {
	s := &scratch{in: folder, base: base}
	for i, out := range outputs {
		ext := path.Ext(out)
		if len(ext) > longestExt {
			ext = ""
		}
		s.files = append(s.files, fmt.Sprintf("%s-%d%s", s.base, i, ext))
	}
	return s
}

// abs are the files' absolute names, for what cannot work relative to the folder.
func (s *scratch) abs() []string {
	all := make([]string, len(s.files))
	for i, file := range s.files {
		all[i] = filepath.Join(s.in.Name(), filepath.FromSlash(file))
	}
	return all
}

// create makes the i-th file.
func (s *scratch) create(i int) (*os.File, error) {
	return s.in.Root().OpenFile(s.files[i], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// folder makes a folder for whatever else a recipe wants to write.
func (s *scratch) folder() (string, error) {
	if err := s.in.Root().Mkdir(s.base, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return filepath.Join(s.in.Name(), filepath.FromSlash(s.base)), nil
}

// remove removes what was not renamed. What it cannot remove goes when the run ends.
func (s *scratch) remove() {
	for _, file := range s.files {
		s.in.Root().RemoveAll(file)
	}
	s.in.Root().RemoveAll(s.base)
}
