// Package place changes the output directory for a run. It renames complete artifacts into place,
// and removes artifacts that no action claims any more.
//
//	artifact of the last run --Retire--> trash --TakeBack--> scratch file
//	scratch file             --Place---> output
//
// Retire moves artifacts to .cook/trash. An action with the same ID may take them back from there
// during the run; the rest is deleted when the run ends. If the run is killed, these artifacts are
// missing although the index lists them; the next run repairs that.
//
// Files that cook did not make are never overwritten or removed.
package place

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// Outputs is the output directory during a run.
type Outputs struct {
	dir     *confine.Dir // nil in a dry run if the output directory does not exist
	work    string       // directory in dir for scratch files
	owned   func(output string) bool
	taken   func(final string) (source string)
	summer  *hashing.Summer
	retired []plan.Retired

	mode    fs.FileMode         // permissions for artifacts
	scratch *cookone.ScratchDir // nil if nothing is written
	made    confine.Folder      // the directory of scratch, opened
	trash   map[string]string   // trash names of retired artifacts, by path; complete before workers begin

	done record
}

// A record holds the changes that a run has made to the output directory.
type record struct {
	wrote   atomic.Bool
	mu      sync.Mutex
	keeps   bool            // set if placed keeps the outputs of actions that ended
	placed  map[string]bool // outputs that were renamed into place
	emptied []string        // directories that lost an artifact
	stuck   map[string]bool // empty directories that could not be removed
}

// New returns the output directory dir for a plan, or nil if dir does not exist. work is the name
// of its directory for scratch files. The function owned reports whether cook made a file.
func New(dir *confine.Dir, work string, p *plan.Plan, owned func(output string) bool, summer *hashing.Summer) *Outputs {
	return &Outputs{
		dir: dir, work: work, owned: owned, taken: p.Finals.Taken, summer: summer, retired: p.Retired, trash: map[string]string{},
		done: record{keeps: p.Finals.Any, placed: map[string]bool{}, stuck: map[string]bool{}},
	}
}

// KeepPlaced makes Changes return the placed outputs. It must be called before Place.
func (o *Outputs) KeepPlaced() { o.done.keeps = true }

// Changes are the changes of a run to the output directory.
type Changes struct {
	Wrote  bool            // set if the output directory changed
	Placed map[string]bool // outputs that were renamed into place; incomplete without KeepPlaced
	Stuck  map[string]bool // empty directories that could not be removed
}

// Changes returns the changes. It must be called after CleanUp.
func (o *Outputs) Changes() Changes { return Changes{o.done.wrote.Load(), o.done.placed, o.done.stuck} }

// NewScratch returns scratch files for outputs. The worker sums computes their checksums.
func (o *Outputs) NewScratch(outputs []string, sums *bulk.Worker) *cookone.Scratch {
	return o.scratch.New(outputs, sums)
}

// Place renames the scratch files of a task to the names of its outputs, and completes the index
// rows of the artifacts. If an output already has the right content, it stays in place. Outputs
// with {hash} are placed first, because other outputs may name them.
//
// The directory of the last output stays open in last, which belongs to one worker. If another program
// replaces that directory during a run, outputs get into the old one, and the next run finds them
// missing.
func (o *Outputs) Place(r cookone.Ready, last *confine.LastFolder, probe *profile.Worker) error {
	a := r.Task.Action
	for _, hashed := range []bool{true, false} {
		if hashed && !a.HasHashes() {
			continue
		}
		for i := range r.Made {
			if r.InPlace != nil && r.InPlace[i] || a.HashName(i).IsZero() == hashed {
				continue
			}
			if err := o.placeOne(a, i, r.Scratch, &r.Made[i], last, probe); err != nil {
				return err
			}
		}
	}
	o.done.forgetPlaced(r.Made)
	return nil
}

// placeOne places one artifact. It does not overwrite files that cook did not make.
func (o *Outputs) placeOne(a *plan.Action, i int, tmp *cookone.Scratch, made *index.Artifact, last *confine.LastFolder, probe *profile.Worker) error {
	defer probe.Begin("cook/run/place", "").End()
	out := a.OutputFor(i, made.Blob)
	if !a.HashName(i).IsZero() {
		if source := o.taken(out); source != "" {
			return plan.ClashError(pathname.Show(out), pathname.Show(source))
		}
	}
	dir, base := path.Split(out)
	dir = path.Clean(dir)
	folder := last.Open(o.dir.Root(), dir)
	made.Path, made.Settled = out, false

	if err := moveToNew(a, i, &o.made, tmp.Files()[i], folder, base); err != nil {
		there, err := o.moveOver(a, i, tmp, out, made, last)
		if there || err != nil {
			return err
		}
		folder = last.Open(o.dir.Root(), dir)
	}
	tmp.Placed(i)
	o.done.notePlaced(out)
	info, err := folder.Lstat(base)
	if err != nil {
		return err
	}
	now := scan.StampOf(info)
	if err := o.isAsMade(out, now, made); err != nil {
		o.dir.Root().Remove(out) // a wrong file must not be loaded; the previous output is lost already
		return err
	}
	made.Stamp = now
	return nil
}

// moveToNew renames a scratch file to the name of an output that the last run did not leave behind. It
// fails if a file has that name, and on systems without such a call.
func moveToNew(a *plan.Action, i int, scratch *confine.Folder, file string, folder *confine.Folder, base string) error {
	if a.Last != nil && (i >= len(a.Last.Outputs) || a.Last.Outputs[i].State != contents.Missing) {
		return fs.ErrExist
	}
	return scratch.RenameToNew(file, folder, base)
}

// moveOver renames a scratch file to the name of an output, and replaces an earlier artifact. If the
// output already has the right content, it stays in place, and there is true. It opens the output's
// directory in last.
func (o *Outputs) moveOver(a *plan.Action, i int, tmp *cookone.Scratch, out string, made *index.Artifact, last *confine.LastFolder) (there bool, err error) {
	dir, base := path.Split(out)
	dir = path.Clean(dir)
	folder := last.Open(o.dir.Root(), dir)
	info, err := folder.Lstat(base)
	switch {
	case pathname.IsAbsent(err):
		// Either the file or its directory does not exist; Rename finds out which.
	case err != nil:
		return false, o.explainInTheWay(out, err) // the file may be foreign, that is, not made by cook
	case info.IsDir():
		return false, folderInTheWay(out)
	case info.Mode().IsRegular() && (info.Mode().Perm() == o.mode || !o.owned(out)) && o.inPlaceAlready(a, i, out, scan.StampOf(info), made):
		return true, nil
	case !o.owned(out):
		return false, foreignOutput(out)
	}
	err = o.made.Rename(tmp.Files()[i], folder, base)
	if pathname.IsAbsent(err) {
		if err := o.dir.Root().MkdirAll(dir, 0o777); err != nil {
			return false, fmt.Errorf("output directory %s: %w", pathname.Show(dir), err)
		}
		last.Close() // directory that was removed meanwhile, or nothing
		folder = last.Open(o.dir.Root(), dir)
		err = o.made.Rename(tmp.Files()[i], folder, base)
	}
	if err != nil {
		return false, o.explainInTheWay(out, err)
	}
	return false, nil
}

// inPlaceAlready reports whether an output already has the content of an artifact. If so, it
// completes the artifact's index row. now is the present stamp of the output. If the output may be
// open for writing, its stamp proves nothing. The row then gets an impossible stamp, so that the
// next run reads the content.
func (o *Outputs) inPlaceAlready(a *plan.Action, i int, out string, now scan.Stamp, made *index.Artifact) bool {
	if a.Last != nil && i < len(a.Last.Outputs) {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && o.Artifact.Path == out && o.Settled && o.Stamp == now {
			if o.Artifact.Blob != made.Blob {
				return false
			}
			made.Stamp, made.Settled = now, true
			return true
		}
	}
	f, err := o.dir.OpenFile(out)
	if err != nil {
		return false
	}
	defer f.Close()
	sum, err := o.summer.Sum(context.Background(), f, hashing.WantDigest)
	if err != nil || store.BlobID(sum.Digest) != made.Blob {
		return false
	}
	made.Stamp = scan.Stamp{Size: sum.Size, Mode: now.Mode}
	return true
}

// isAsMade returns an error unless the placed file is the file whose checksum was computed. A
// rename changes neither the size nor the time of the last write. If either differs, perhaps
// because a file server sets the time late, isAsMade reads the file again.
func (o *Outputs) isAsMade(out string, now scan.Stamp, made *index.Artifact) error {
	if now.Size == made.Stamp.Size && now.MTime == made.Stamp.MTime || contents.Holds(context.Background(), o.summer, o.dir, out, made) {
		return nil
	}
	return fmt.Errorf("another process changed output %s before it was in place; run cook again", pathname.Show(out))
}

func folderInTheWay(out string) error {
	return fmt.Errorf("output %s: there is a directory with this name; move it away", pathname.Show(out))
}

func foreignOutput(out string) error {
	return fmt.Errorf("output %s exists and was not made by cook; move it away or choose another output directory", pathname.Show(out))
}

// Foretell predicts the error of Place from the present output directory. It ignores retired
// artifacts, which a dry run leaves in place. made is nil if the content is not known. A foreign
// file is then no error, because its content may turn out to be equal.
func (o *Outputs) Foretell(a *plan.Action, made []store.Artifact) error {
	if o.dir == nil {
		return nil
	}
	for i, out := range a.ShownOutputs() {
		if made != nil {
			out = a.OutputFor(i, made[i].Blob)
		}
		info, err := o.dir.Root().Lstat(out)
		switch {
		case pathname.IsAbsent(err):
			err = o.foretellDir(path.Dir(out))
		case err != nil:
			err = o.explainInTheWay(out, err)
		case info.IsDir() && !o.emptiedByRetiring(out):
			err = folderInTheWay(out)
		case info.IsDir(), o.owned(out), made == nil && info.Mode().IsRegular():
		case made == nil || !o.inPlaceAlready(a, i, out, scan.StampOf(info), &index.Artifact{Blob: made[i].Blob}):
			err = foreignOutput(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foretellDir returns an error if a file has the path of a directory that an output needs.
func (o *Outputs) foretellDir(dir string) error {
	for at := dir; at != "."; at = path.Dir(at) {
		info, err := o.dir.Root().Lstat(at)
		switch {
		case err != nil:
			continue
		case info.IsDir() || info.Mode()&fs.ModeSymlink != 0 || o.isRetired(func(out string) bool { return out == at }):
			return nil
		}
		return fmt.Errorf("output directory %s: %s is a file; move it away", pathname.Show(dir), pathname.Show(at))
	}
	return nil
}

// isRetired reports whether any retired artifact satisfies the given function.
func (o *Outputs) isRetired(is func(out string) bool) bool {
	return slices.ContainsFunc(o.retired, func(r plan.Retired) bool { return is(r.Path) })
}

// emptiedByRetiring reports whether a directory disappears when the retired artifacts are removed.
// The directory must contain nothing else, not even empty directories.
func (o *Outputs) emptiedByRetiring(dir string) bool {
	f, err := o.dir.Root().Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() && !o.emptiedByRetiring(name) || !e.IsDir() && !o.isRetired(func(out string) bool { return out == name }) {
			return false
		}
	}
	return err == nil && len(entries) > 0
}

// removeEmpty removes an output directory if it is empty, then its parents as long as they are
// empty. It records a directory that cannot be removed. No worker may run meanwhile.
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

// notePlaced records that an output was renamed into place.
func (r *record) notePlaced(output string) {
	r.wrote.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.placed[output] = true
}

// forgetPlaced removes the artifacts of an action that ended from the record, unless they are needed
// until the end of the run.
func (r *record) forgetPlaced(made []index.Artifact) {
	if r.keeps {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range made {
		delete(r.placed, made[i].Path)
	}
}

// wasPlaced reports whether an output was renamed into place.
func (r *record) wasPlaced(output string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.placed[output]
}

// eachPlaced calls do for each output that was renamed into place.
func (r *record) eachPlaced(do func(output string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for output := range r.placed {
		do(output)
	}
}

// noteEmptied records that the directory of an output lost an artifact.
func (r *record) noteEmptied(output string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emptied = append(r.emptied, path.Dir(output))
}

// explainInTheWay returns an error with a remedy if the path of an output contains a directory that
// is a link out of the output directory.
func (o *Outputs) explainInTheWay(out string, err error) error {
	if dir := o.dir.Outward(out); dir != "" {
		return fmt.Errorf("output directory %s is a link that leads out of %s; remove the link", pathname.Show(dir), o.dir.Name())
	}
	return err
}
