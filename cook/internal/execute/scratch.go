package execute

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
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
	names  *names   // of the run; nil for none
	cell   string   // directory of a confined program; "" for none
}

// names are those of a run's scratch files, without numbers and extensions.
type names struct {
	run    uint64
	serial atomic.Int64
	cells  sync.Map // names of cells that are in use
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
	s.sums, s.tree, s.names = w.sums, &w.outputs.tree, &w.names
	return s
}

// inOut is the path of a run's scratch file below the output folder.
func (e *Env) inOut(file string) string { return e.tmpDir() + "/" + file }

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

// readOutput returns the content of an output.
func (s *scratch) readOutput(i int) ([]byte, error) {
	f, err := s.in.OpenFile(s.files[i])
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// folder makes a directory for other files that a recipe wants to write.
func (s *scratch) folder() (string, error) {
	if err := s.in.Root().Mkdir(s.base, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	s.opened = true
	return filepath.Join(s.in.Name(), s.base), nil
}

// folderOf returns the scratch directory of an action. If the program is confined to it, its name
// is a hash of the action, so that each run uses the same name, unless an equal action is using it
// now. Files left by an earlier run are removed. Programs left by that run cannot write to the new
// directory: they are confined to the old one, although the name is the same.
func (s *scratch) folderOf(a planned) (string, error) {
	if confined := a.Method.Traits().Confined; s.names == nil || confined == nil || !confined() {
		return s.folder()
	}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q %q %q", a.Target, a.Path, a.Outputs)
	name := fmt.Sprintf("cell-%x", hash.Sum64())
	if _, taken := s.names.cells.LoadOrStore(name, true); taken {
		return s.folder()
	}
	s.cell = name
	err := s.in.Root().Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if s.in.Root().RemoveAll(name) == nil {
			err = s.in.Root().Mkdir(name, 0o777)
		}
	}
	if err != nil {
		return s.folder()
	}
	return filepath.Join(s.in.Name(), name), nil
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
	if s.cell != "" {
		s.in.Root().RemoveAll(s.cell)
		s.names.cells.Delete(s.cell)
		s.cell = ""
	}
}
