package state

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
)

// A Commit is what a run leaves for the next one.
type Commit struct {
	Last *index.Index
	Next *index.Next
	// Listed are the changes to the manifest, sorted, if Next is not made anew.
	Listed []manifest.Change
	// IDs returns the ID of an asset, "" if assets have none.
	IDs func(source string) string
	// Journal are the claims that no index has.
	Journal []plan.Claim
	Pending *Pending
	// Whole says that the run has looked at everything.
	Whole bool

	Checksum hashing.Func
	Clock    *scan.Clock
	Note     func(string)
}

// Commit writes the manifest and, when all that it speaks of is on the disk, the index.
// It writes in proportion to what changed: nothing if nothing did. It returns the names
// of the manifest's files that were replaced.
func (d *Dir) Commit(c Commit) (replaced []string, err error) {
	if !c.Next.Edited() {
		return nil, nil
	}
	if err := d.ClearLeftovers(); err != nil {
		return nil, cmp.Or(d.CheckLock(), err) // the folder may have been removed
	}
	listed, err := d.commitManifest(c)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	for _, name := range listed.removed {
		c.Next.DropFile(d.name(name))
	}
	for _, f := range listed.files {
		c.Next.PutFile(f)
	}
	if listed.wrote() {
		c.Pending.AddOutputs(d)
	}
	e, changed, err := c.Next.Encode()
	if err != nil {
		return nil, fmt.Errorf("index: %w (this is a bug in cook)", err)
	}
	if changed {
		if err := d.writeIndex(e, c.Pending); err != nil {
			if errors.Is(err, syscall.EFAULT) {
				err = fmt.Errorf("%w: %w", index.ErrFault, err) // what is written lies there
			}
			return nil, err
		}
	}
	return listed.replaced, errors.Join(d.WriteJournal(c.Journal), d.endDirty(c.Whole))
}

// commitManifest updates the manifest, or builds it anew if there is no other way.
func (d *Dir) commitManifest(c Commit) (listing, error) {
	w := manifestWriter{Dir: d, Commit: c}
	if !c.Next.IsAnew() {
		if len(c.Listed) == 0 {
			return listing{}, nil
		}
		err := w.update(c.Listed)
		if !errors.Is(err, errManifest) {
			return w.listing, err
		}
		c.Note(err.Error() + "; it is made anew")
		w.listing = listing{}
	}
	return w.listing, w.build()
}
