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
	base  string   // of all names, below the folder
	files []string // one for each output, below the folder
	out   string   // the folder: that of the outputs, but for a Trial
}

// longestExt is the longest extension that scratch files get, in bytes. An output
// may have one that, with a number before it, is too long for a file name.
const longestExt = 64

// newScratch names files that end like the outputs they will be: programs look
// at the extension to know what to write. No other run has the same names: a
// program that outlived its cook must not write to what another one makes.
func (r *runner) newScratch(outputs []string) *scratch {
	return scratchIn(r.Out.Name(), fmt.Sprintf("%s/%x-%d", tmpDir, r.id, r.serial.Add(1)), outputs)
}

func scratchIn(folder, base string, outputs []string) *scratch {
	s := &scratch{base: base, out: folder}
	for i, out := range outputs {
		ext := path.Ext(out)
		if len(ext) > longestExt {
			ext = ""
		}
		s.files = append(s.files, fmt.Sprintf("%s-%d%s", s.base, i, ext))
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
