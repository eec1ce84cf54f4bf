package execute

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/internal/confine"
)

// A scratch is where one action's artifacts are made, before they are renamed into
// place.
type scratch struct {
	in     *confine.Dir
	sums   *bulk.Worker // reads files of tree, which is in; nil for none
	tree   *bulk.Tree
	base   string   // of all names in the folder
	files  []string // one for each output, in the folder
	placed []bool   // those that were renamed into place
	opened bool     // the folder for whatever else a recipe wants to write
}

// names are those of a run's scratch files, without numbers and extensions.
type names struct {
	run    uint64
	serial atomic.Int64
}

func (n *names) next() string { return fmt.Sprintf("%x-%d", n.run, n.serial.Add(1)) }

// longestExt is the longest extension that scratch files get, in bytes. An output may
// have one that, with a number before it, is too long for a file name.
const longestExt = 64

// newScratch names files that end like the outputs they will be: programs look at the
// extension to know what to write. No other run has the same names: a program that
// outlived its cook must not write to what another one makes.
func (w *worker) newScratch(outputs []string) *scratch {
	s := scratchIn(w.outputs.tmp, w.names.next(), outputs)
	s.sums, s.tree = w.sums, &w.outputs.tree
	return s
}

// inOut is the path of a run's scratch file below the output folder.
func inOut(file string) string { return tmpDir + "/" + file }

func scratchIn(folder *confine.Dir, base string, outputs []string) *scratch {
	s := &scratch{in: folder, base: base, placed: make([]bool, len(outputs))}
	for i, out := range outputs {
		ext := path.Ext(out)
		if len(ext) > longestExt {
			ext = ""
		}
		s.files = append(s.files, fmt.Sprintf("%s-%d%s", s.base, i, ext))
	}
	return s
}

// empty returns one without files, in the same folder, for files of others.
func (s *scratch) empty() *scratch { return &scratch{in: s.in, sums: s.sums, tree: s.tree} }

// abs are the files' absolute names, for what cannot work relative to the folder.
func (s *scratch) abs() []string {
	all := make([]string, len(s.files))
	for i, file := range s.files {
		all[i] = filepath.Join(s.in.Name(), file)
	}
	return all
}

// create makes the i-th file.
func (s *scratch) create(i int) (*os.File, error) {
	return s.in.Root().OpenFile(s.files[i], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// folder makes a folder for whatever else a recipe wants to write.
// read returns the content of an output.
func (s *scratch) read(i int) ([]byte, error) {
	f, err := s.in.OpenFile(s.files[i])
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

func (s *scratch) folder() (string, error) {
	if err := s.in.Root().Mkdir(s.base, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	s.opened = true
	return filepath.Join(s.in.Name(), s.base), nil
}

// remove removes what was not renamed. What it cannot remove goes when the run ends.
func (s *scratch) remove() {
	for i, file := range s.files {
		if !s.placed[i] {
			s.in.Root().RemoveAll(file)
		}
	}
	if s.opened {
		s.in.Root().RemoveAll(s.base)
	}
}
