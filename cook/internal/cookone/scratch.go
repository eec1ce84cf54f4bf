package cookone

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/confine"
)

// A ScratchDir holds the artifacts of a run before they are placed.
type ScratchDir struct {
	dir   *confine.Dir
	tree  bulk.Tree
	names names
}

// OpenScratchDir returns the scratch directory in dir. Its Close also closes dir.
func OpenScratchDir(dir *confine.Dir) *ScratchDir {
	return &ScratchDir{dir: dir, tree: bulk.OpenTree(dir), names: names{run: rand.Uint64()}}
}

// New names scratch files for outputs. They keep the extensions of the outputs, because programs
// choose the file format by extension. sums computes the checksums of the files.
func (d *ScratchDir) New(outputs []string, sums *bulk.Worker) *Scratch {
	s := newScratch(d.dir, d.names.nextScratchName(), outputs)
	s.sums, s.tree, s.names = sums, &d.tree, &d.names
	return s
}

// ReadBy sets the worker that reads the scratch files. A worker serves one goroutine at a time, so
// an action that continues on another goroutine needs another worker.
func (s *Scratch) ReadBy(sums *bulk.Worker) {
	if s.sums != nil {
		s.sums = sums
	}
}

// NewFileMode returns the mode of a new file, which is limited by the user's umask.
func (d *ScratchDir) NewFileMode() (fs.FileMode, error) {
	f, err := d.dir.Root().OpenFile(d.names.nextScratchName()+"-mode", os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// Close closes the directory. It does not remove the files.
func (d *ScratchDir) Close() error {
	d.tree.Close()
	return d.dir.Close()
}

// names generates the common prefixes of a run's scratch files. Each run has its own prefixes, so
// that a program that outlives its run cannot write to a file of another run.
type names struct {
	run    uint64
	serial atomic.Int64
	cells  sync.Map // the names of confined directories in use
}

func (n *names) nextScratchName() string { return fmt.Sprintf("%x-%d", n.run, n.serial.Add(1)) }

// A Scratch names the files for the artifacts of one action, before they are renamed into
// place.
type Scratch struct {
	in     *confine.Dir
	sums   *bulk.Worker // nil if files are read in another way
	tree   *bulk.Tree
	base   string
	files  []string
	placed []bool // outputs whose file was renamed into place
	opened bool   // set once makeFolder has made a directory
	names  *names // nil if no directory can be confined
	cell   string // name of the directory of a confined program, or ""
}

// longestExt limits the extension of a scratch file, in bytes. A longer extension could make the
// name too long.
const longestExt = 64

// newScratch names scratch files in a directory.
func newScratch(in *confine.Dir, base string, outputs []string) *Scratch {
	s := &Scratch{in: in, base: base, placed: make([]bool, len(outputs))}
	for i, out := range outputs {
		ext := path.Ext(out)
		if len(ext) > longestExt {
			ext = ""
		}
		s.files = append(s.files, fmt.Sprintf("%s-%d%s", s.base, i, ext))
	}
	return s
}

// empty returns a Scratch in the same directory that has no files yet, for another task.
func (s *Scratch) empty() *Scratch { return &Scratch{in: s.in, sums: s.sums, tree: s.tree} }

// Dir returns the directory of the scratch files.
func (s *Scratch) Dir() *confine.Dir { return s.in }

// Files returns the names of the scratch files in the directory, one for each output.
func (s *Scratch) Files() []string { return s.files }

// Placed records that a scratch file was renamed into place.
func (s *Scratch) Placed(i int) { s.placed[i] = true }

// absoluteName returns the absolute names of the files.
func (s *Scratch) absoluteName() []string {
	all := make([]string, len(s.files))
	for i, file := range s.files {
		all[i] = filepath.Join(s.in.Name(), file)
	}
	return all
}

// createOutput creates a scratch file.
func (s *Scratch) createOutput(i int) (*os.File, error) {
	return s.in.Root().OpenFile(s.files[i], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// readScratch returns the content of a scratch file.
func (s *Scratch) readScratch(i int) ([]byte, error) {
	f, err := s.in.OpenFile(s.files[i])
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// makeFolder makes a directory for temporary files of a recipe.
func (s *Scratch) makeFolder() (string, error) {
	if err := s.in.Root().Mkdir(s.base, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	s.opened = true
	return filepath.Join(s.in.Name(), s.base), nil
}

// actionFolder returns a directory for temporary files of a recipe. If the recipe confines programs
// to a directory, the name is a hash of the action, so that every run uses the same name. An equal
// action that runs at the same time gets another directory. Files of an earlier run are removed.
func (s *Scratch) actionFolder(a *plan.Action) (string, error) {
	if confined := a.Method.Choice.Traits().Confined; s.names == nil || confined == nil || !confined() {
		return s.makeFolder()
	}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q %q %q", a.Target, a.Path, a.Outputs)
	name := fmt.Sprintf("cell-%x", hash.Sum64())
	if _, taken := s.names.cells.LoadOrStore(name, true); taken {
		return s.makeFolder()
	}
	s.cell = name
	err := s.in.Root().Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if s.in.Root().RemoveAll(name) == nil {
			err = s.in.Root().Mkdir(name, 0o777)
		}
	}
	if err != nil {
		return s.makeFolder()
	}
	return filepath.Join(s.in.Name(), name), nil
}

// Remove removes the files that were not renamed into place. If that fails, the end of the run
// removes them.
func (s *Scratch) Remove() {
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
