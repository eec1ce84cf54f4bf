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
	"syscall"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/jobenv"
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
	wrote  wroteOutputs
	placed []bool // outputs whose file was renamed into place
	opened bool   // set once makeFolder has made a directory
	names  *names // nil if no directory can be confined
	cell   string // name of the directory of a confined program, or ""
}

// wroteOutputs are the outputs whose checksums writeOutput has computed.
type wroteOutputs struct {
	mu   sync.Mutex // guards byNo, and the worker of the Scratch while the recipe runs
	byNo map[int]index.Artifact
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

// writeOutput creates a scratch file with the given content. If the content is small and the file
// gets the given mode, it keeps the checksums, so that nothing has to read the file again.
func (s *Scratch) writeOutput(i int, data []byte, mode fs.FileMode) error {
	if s.sums == nil || len(data) >= bulk.SmallSize {
		return jobenv.WriteByCreate(s.createOutput, i, data)
	}
	s.wrote.mu.Lock()
	defer s.wrote.mu.Unlock()
	made, err := s.sums.Create(s.tree, s.files[i], 0o666, data, hashing.WantSum|hashing.WantDigest)
	switch {
	case err == syscall.EBADF: // the tree could not be opened
		return jobenv.WriteByCreate(s.createOutput, i, data)
	case err != nil:
		return &fs.PathError{Op: "write", Path: filepath.Join(s.in.Name(), s.files[i]), Err: err}
	case fs.FileMode(made.Stamp.Mode).Perm() == mode:
		if s.wrote.byNo == nil {
			s.wrote.byNo = map[int]index.Artifact{}
		}
		s.wrote.byNo[i] = indexedArtifact(made.Stamp, made.FileSum)
	}
	return nil
}

// forgetWritten forgets the checksums of a scratch file that programs may change.
func (s *Scratch) forgetWritten(i int) {
	s.wrote.mu.Lock()
	defer s.wrote.mu.Unlock()
	delete(s.wrote.byNo, i)
}

// takeWritten returns the artifact of a scratch file that writeOutput wrote, and forgets it, because
// Link may change the file.
func (s *Scratch) takeWritten(i int) (made index.Artifact, known bool) {
	s.wrote.mu.Lock()
	defer s.wrote.mu.Unlock()
	made, known = s.wrote.byNo[i]
	delete(s.wrote.byNo, i)
	return made, known
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
