package execute

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/confine"
)

// tmpDir is the directory for artifacts that are being made.
func (e *Env) tmpDir() string { return e.Work + "/tmp" }

// trashDir is the directory for artifacts that no action claims any more.
func (e *Env) trashDir() string { return e.Work + "/trash" }

// outputs is what a run has done to the output folder so far.
type outputs struct {
	dir   *confine.Dir
	tmp   *confine.Dir   // holds the scratch files, if anything is to be written
	made  confine.Folder // the same
	tree  bulk.Tree      // the same
	wrote atomic.Bool
	// Before the workers begin, retired artifacts are set aside, by path.
	trash map[string]string

	mu      sync.Mutex
	placed  map[string]bool // outputs that were renamed into place
	emptied []string        // folders that lost an artifact while workers were at it
	stuck   map[string]bool // empty folders that could not be removed
}

func newOutputs(dir *confine.Dir) *outputs {
	return &outputs{dir: dir, trash: map[string]string{}, placed: map[string]bool{}, stuck: map[string]bool{}}
}

func (o *outputs) notePlaced(path string) {
	o.wrote.Store(true)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.placed[path] = true
}

func (o *outputs) wasPlaced(path string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.placed[path]
}

func (o *outputs) noteEmptied(output string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.emptied = append(o.emptied, path.Dir(output))
}

// removeEmpty removes a folder of the output tree and those above it, as long as they
// are empty. One that cannot be removed is remembered. It is called while no worker is
// at work.
func (o *outputs) removeEmpty(dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		gone, err := o.dir.Root().RemoveEmpty(dir)
		if err != nil && !o.stuck[dir] {
			o.stuck[dir] = true
			return err
		}
		if !gone {
			return nil
		}
	}
	return nil
}

// idle reports whether nothing is to be written, nor to be cleared away after a run
// that was killed.
func (r *runner) idle() bool {
	for i := range r.plan.Actions {
		if r.plan.Actions[i].Runs() {
			return false
		}
	}
	for _, dir := range []string{r.tmpDir(), r.trashDir()} {
		if _, err := r.Out.Root().Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(r.plan.Retired)+r.plan.Late == 0
}

func (r *runner) prepare() (err error) {
	root := r.Out.Root()
	for _, dir := range []string{r.tmpDir(), r.trashDir()} {
		// Files that another program has open may stay until a later run.
		if err := root.RemoveAll(dir); err != nil && !busyfile.IsBusy(err) {
			return err
		}
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	if r.outputs.tmp, err = r.Out.Sub(r.tmpDir()); err != nil {
		return err
	}
	r.outputs.made, r.outputs.tree = root.Folder(r.tmpDir()), bulk.OpenTree(r.outputs.tmp)
	defer func() {
		if err != nil {
			r.outputs.closeTmp()
		}
	}()
	// A new file shows what the user's umask leaves of a file's mode.
	f, err := r.outputs.tmp.Root().OpenFile(r.names.next()+"-mode", os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.mode = info.Mode().Perm()
	return nil
}

func (o *outputs) closeTmp() error {
	o.made.Close()
	o.tree.Close()
	return o.tmp.Close()
}

// cleanUp removes what the run needed for itself. What it leaves costs room until the
// next run and nothing else.
func (r *runner) cleanUp() {
	var err error
	if r.outputs.tmp != nil {
		err = r.outputs.closeTmp()
	}
	for _, dir := range r.outputs.emptied {
		err = errors.Join(err, r.outputs.removeEmpty(dir))
	}
	for _, dir := range []string{r.tmpDir(), r.trashDir()} {
		err = errors.Join(err, r.Out.Root().RemoveAll(dir))
	}
	if r.Work == statedir.Work {
		_, rmErr := r.Out.Root().RemoveEmpty(r.Work)
		err = errors.Join(err, rmErr)
	}
	if err != nil {
		r.Warn("output folder " + r.Out.Name() + ": clear up: " + err.Error() + "; the next cook will try again")
	}
}
