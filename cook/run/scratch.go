package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// A scratch is where one action's artifacts are made, before they are renamed
// into place.
type scratch struct {
	base  string   // of all names, below the output folder
	files []string // one for each output, below the output folder
	out   string   // the output folder
}

// newScratch names files that end like the outputs they will be: programs look
// at the extension to know what to write.
func (r *runner) newScratch(outputs []string) *scratch {
	s := &scratch{base: fmt.Sprintf("%s/%d", tmpDir, r.serial.Add(1)), out: r.Out.Name()}
	for i, out := range outputs {
		s.files = append(s.files, fmt.Sprintf("%s-%d%s", s.base, i, path.Ext(out)))
	}
	return s
}

// abs is the i-th file's name for those who cannot work relative to the output
// folder.
func (s *scratch) abs(i int) string { return filepath.Join(s.out, filepath.FromSlash(s.files[i])) }

func (s *scratch) allAbs() []string {
	all := make([]string, len(s.files))
	for i := range all {
		all[i] = s.abs(i)
	}
	return all
}

// folder makes a folder for whatever else a recipe wants to write.
func (s *scratch) folder() (string, error) {
	name := filepath.Join(s.out, filepath.FromSlash(s.base))
	if err := os.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return name, nil
}

// remove removes what was not renamed. What it does not get at goes when the
// run ends.
func (s *scratch) remove() {
	for i := range s.files {
		os.RemoveAll(s.abs(i))
	}
	os.RemoveAll(filepath.Join(s.out, filepath.FromSlash(s.base)))
}
