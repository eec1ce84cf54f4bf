// Package place changes the output directory for a run. It renames complete artifacts into
// place, and removes artifacts that no action claims any more.
//
//	artifact of the last run --Retire--> trash --TakeBack--> scratch file
//	scratch file             --Place---> output
//
// Retired artifacts are first set aside in .cook/trash, where an action with the same ID may
// take them back, and deleted when the run ends. If the run is killed in between, they are
// missing while the index still names them, which the next run repairs.
//
// Files that the engine did not make are never overwritten or removed.
package place

import (
	"fmt"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Outputs is the output directory during a run.
type Outputs struct {
	dir     *confine.Dir // nil in a dry run without output directory
	work    string       // directory in dir for files without a name yet
	owned   func(output string) bool
	summer  *hashing.Summer
	retired []plan.Retired

	mode    fs.FileMode         // permissions of artifacts
	scratch *cookone.ScratchDir // nil if nothing is written
	made    confine.Folder      // the same directory
	trash   map[string]string   // retired artifacts, by path; complete before workers begin

	done record
}

// A record holds the changes of a run to the output directory.
type record struct {
	wrote   atomic.Bool
	mu      sync.Mutex
	placed  map[string]bool // outputs that were renamed into place
	emptied []string        // directories that lost an artifact
	stuck   map[string]bool // empty directories that could not be removed
}

// New returns the output directory dir, nil if there is none. Files without a name yet are
// in its directory work. owned reports whether the engine made a file.
func New(dir *confine.Dir, work string, retired []plan.Retired, owned func(output string) bool, summer *hashing.Summer) *Outputs {
	return &Outputs{
		dir: dir, work: work, owned: owned, summer: summer, retired: retired, trash: map[string]string{},
		done: record{placed: map[string]bool{}, stuck: map[string]bool{}},
	}
}

// Changes are the changes of a run to the output directory.
type Changes struct {
	Wrote  bool            // anything changed
	Placed map[string]bool // outputs that were renamed into place
	Stuck  map[string]bool // empty directories that could not be removed
}

// Changes returns the changes, after CleanUp.
func (o *Outputs) Changes() Changes { return Changes{o.done.wrote.Load(), o.done.placed, o.done.stuck} }

// NewScratch names scratch files for outputs, which sums reads.
func (o *Outputs) NewScratch(outputs []string, sums *bulk.Worker) *cookone.Scratch {
	return o.scratch.New(outputs, sums)
}

// removeEmpty removes an output directory and its parents, as far as they are empty. It
// remembers a directory that cannot be removed. No worker is at work.
func (r *record) removeEmpty(root confine.Root, dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		gone, err := root.RemoveEmpty(dir)
		if err != nil && !r.stuck[dir] {
			r.stuck[dir] = true
			return err
		}
		if !gone {
			return nil
		}
	}
	return nil
}

// notePlaced notes that an output was renamed into place.
func (r *record) notePlaced(output string) {
	r.wrote.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.placed[output] = true
}

// wasPlaced reports whether an output was renamed into place.
func (r *record) wasPlaced(output string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.placed[output]
}

// noteEmptied notes that the directory of an output lost an artifact.
func (r *record) noteEmptied(output string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emptied = append(r.emptied, path.Dir(output))
}

// explain returns an error that says what to do if a directory of an output's path is a link
// out of the output directory.
func (o *Outputs) explain(out string, err error) error {
	if dir := o.dir.Outward(out); dir != "" {
		return fmt.Errorf("output directory %s is a link that leads out of %s; remove the link", pathname.Show(dir), o.dir.Name())
	}
	return err
}
