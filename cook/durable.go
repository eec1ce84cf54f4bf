package cook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/cook/sweep"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/machine"
)

// An index that says "this stamp, so this content" lies if the power goes before
// the content is on the disk: a file system keeps stamps and contents apart, and
// may have saved the one without the other, of outputs and of sources that
// somebody has just edited alike. So whatever an index is the first to say of a
// stamp is put on the disk before the index.
//
// The other way round is as bad: content that is put on the disk before its
// stamp. Until then the disk has the new content under the old stamp, for which
// the index of the run before vouches. Only a file that was written in place can
// come to that, and only until its file system's log is written. Where that is
// the one that holds the index, syncing any new file writes it, and that comes
// first. For others there is a doubt: a file that is there while they are synced.
// A run that finds one trusts no stamp.

// doubtName is the file that says that sources on other file systems were being
// put on the disk.
const doubtName = plan.StateDir + "/doubt"

// A debt is what has to be on the disk before the index is.
type debt struct {
	home uint64 // the device of the output folder
	// files has one for each device: its absolute name, or its path among the
	// assets.
	files map[uint64]string
	// edited says on which devices files were perhaps changed in place: true for
	// home, false for any other.
	edited map[bool]bool
}

func (d *debt) owe(file string, s scan.Stamp) {
	if _, ok := d.files[s.Device]; !ok {
		d.files[s.Device] = file
	}
}

// oweFile owes a file unless the index has it under the same stamp: then it was
// owed when it came there.
func (d *debt) oweFile(last *index.Index, f index.File) {
	row, known := last.FindFile(f.Path)
	if !known {
		d.owe(f.Path, f.Stamp)
		return
	}
	was := last.File(row)
	if was.Stamp == f.Stamp && was.Sum == f.Sum {
		return
	}
	d.owe(f.Path, f.Stamp)
	if was.Stamp.Inode == f.Stamp.Inode && was.Sum != f.Sum {
		d.edited[f.Stamp.Device == d.home] = true
	}
}

// debt collects what this run saw or made and the last did not know.
func (k *kitchen) debt(p *plan.Plan, outturn *run.Outturn) (*debt, error) {
	root, err := os.Stat(k.out.Name())
	if err != nil {
		return nil, err
	}
	out := scan.StampOf(root)
	d := &debt{home: out.Device, files: map[uint64]string{}, edited: map[bool]bool{}}
	if outturn.Wrote || madeOthers(p, outturn) {
		d.owe(k.out.Name(), out)
	}
	if k.survey == nil {
		return d, nil
	}
	for _, list := range [][]survey.File{k.survey.Assets(), k.survey.Extra()} {
		for _, f := range list {
			if f.How == survey.ByChecksum || f.How == survey.ByReading {
				d.oweFile(k.last, index.File{Path: f.Path, Stamp: f.Stamp, Sum: f.Sum})
			}
		}
	}
	if k.quickly != nil {
		return d, nil // the rules are as they were
	}
	for _, list := range [][]scan.Entry{k.tree.Configs, k.tree.Ignores} {
		for _, e := range list {
			if sum, ok := k.rulesSums[e.Path]; ok {
				d.oweFile(k.last, index.File{Path: e.Path, Stamp: e.Stamp, Sum: sum})
			}
		}
	}
	return d, nil
}

// madeOthers reports whether a run knows artifacts under other stamps than the
// last one, be it only that it found them there.
func madeOthers(p *plan.Plan, outturn *run.Outturn) bool {
	if p == nil {
		return false
	}
	for i := range outturn.Results {
		last := p.Actions[i].LastMade
		for n, m := range outturn.Results[i].Row.Made {
			if n >= len(last) || last[n].Artifact.Path != m.Path || last[n].Artifact.Stamp != m.Stamp {
				return true
			}
		}
	}
	return false
}

// debt is that of a quick run, which saw new stamps of more than it looked after.
func (q *quick) debt(p *plan.Plan, outturn *run.Outturn) (*debt, error) {
	d, err := q.kitchen.debt(p, outturn)
	for i := range q.found.Files {
		if f := &q.found.Files[i]; q.same[i] && f.Known != f.Now && d != nil {
			d.owe(q.nameOf(f), f.Now)
		}
	}
	return d, err
}

// nameOf returns a file's path as a debt has it.
func (q *quick) nameOf(f *sweep.File) string {
	name := q.live.NodePath(f.Part, f.Node)
	if f.Role == index.Made {
		return q.outFile(name)
	}
	return name
}

// paying readies the file of the changes: it goes to the disk, and then what is
// owed does, before it gets its name.
//
// The order matters only if a file was edited in place on the file system of
// both, and none was synced there since. Otherwise the one sync serves the
// changes as well.
func (k *kitchen) paying(d *debt) func(*atomicfile.File) error {
	return func(f *atomicfile.File) error {
		_, home := d.files[d.home]
		if d.edited[true] && !k.logged || !home || !machine.SyncsFS {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		return k.pay(d)
	}
}

// pay puts what is owed on the disk, one call for each file system.
func (k *kitchen) pay(d *debt) error {
	if d.edited[false] {
		if err := k.replaceForGood(doubtName, nil); err != nil {
			return err
		}
		k.raised = true
	}
	for device, file := range d.files {
		if device == d.home {
			file = k.out.Name() // a folder is always there to be opened
		}
		if err := k.syncFileSystem(file); err != nil {
			return fmt.Errorf("put %s on the disk: %w", file, err)
		}
	}
	return nil
}

// syncFileSystem waits until everything written to the file system of a file is
// on the disk. A file that is gone owes nothing.
func (k *kitchen) syncFileSystem(file string) error {
	open := func(name string) (*os.File, error) { return k.assets.OpenFile(name) }
	if filepath.IsAbs(file) {
		open = os.Open
	}
	f, err := open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return machine.SyncFS(f)
}

// heedDoubt makes a run trust no stamp if the power went while sources were put
// on the disk.
func (k *kitchen) heedDoubt() {
	if k.out == nil {
		return
	}
	if k.mayExist(doubtName) {
		k.doubt, k.Verify = true, true
		k.Observer.Note("the last run was cut off while it put sources on the disk; everything is read again")
	}
}

// endDoubt removes a doubt of this run, whose index is in place, and an older one
// if the run has looked at everything.
func (k *kitchen) endDoubt() error {
	part := len(k.Patterns) > 0 || k.only != ""
	if !k.raised && !k.doubt || k.doubt && part || k.DryRun {
		return nil
	}
	k.raised, k.doubt = false, false
	err := k.out.Root().Remove(doubtName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
