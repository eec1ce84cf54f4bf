package cookone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// errStillOpen is the error of an artifact that another process has open for writing.
// The artifact could be half written, or change later under the same stamp, so it is not
// used.
var errStillOpen = errors.New("still open for writing by another process; let the command wait for all that it starts")

// exitTime is how long killed or ending processes may keep their files open.
const exitTime = time.Second

// collectOutputs checks that the recipe wrote all outputs, and sums them.
func (c *Cooker) collectOutputs(ctx context.Context, t Task, tmp *Scratch, probe *profile.Worker) ([]index.Artifact, error) {
	defer probe.Begin("cook/run/sum", "").End()
	root, a := tmp.in.Root(), t.Action
	made := make([]index.Artifact, len(tmp.files))
	for i, name := range tmp.files {
		var ok bool
		if made[i], ok = c.sumQuickly(tmp, i, hashing.WantSum|hashing.WantDigest); ok {
			continue
		}
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("recipe %s wrote nothing to output %s", a.Method.Choice.Recipe.Name, pathname.Show(a.Outputs[i]))
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("recipe %s made no regular file of output %s", a.Method.Choice.Recipe.Name, pathname.Show(a.Outputs[i]))
		}
		if info.Mode().Perm() != c.mode {
			if err := root.Chmod(name, c.mode); err != nil {
				return nil, err
			}
		}
		sum, err := c.sumClosed(ctx, tmp.in, name, hashing.WantSum|hashing.WantDigest)
		if errors.Is(err, errStillOpen) {
			return nil, fmt.Errorf("output %s: %w", pathname.Show(a.Outputs[i]), err)
		}
		if err != nil {
			return nil, err
		}
		made[i] = indexedArtifact(scan.StampOf(info), sum)
	}
	return made, nil
}

// SumCopy computes the checksum of a scratch file that is a copy of a blob.
func (c *Cooker) SumCopy(ctx context.Context, tmp *Scratch, i int) (index.Artifact, error) {
	if made, ok := c.sumQuickly(tmp, i, hashing.WantSum); ok {
		return made, nil
	}
	info, err := tmp.in.Root().Lstat(tmp.files[i])
	if err != nil {
		return index.Artifact{}, err
	}
	sum, err := c.sumClosed(ctx, tmp.in, tmp.files[i], hashing.WantSum)
	if err != nil {
		return index.Artifact{}, err
	}
	return indexedArtifact(scan.StampOf(info), sum), nil
}

// sumQuickly sums a scratch file if it is a regular file with the mode of an artifact, and
// no other process has it open for writing.
func (c *Cooker) sumQuickly(tmp *Scratch, i int, want hashing.Want) (index.Artifact, bool) {
	if tmp.sums == nil {
		return index.Artifact{}, false
	}
	got, err := tmp.sums.Sum(tmp.tree, tmp.files[i], bulk.Ask{Want: want, Busy: true})
	if err != nil || got.Busy || fs.FileMode(got.Stamp.Mode).Perm() != c.mode {
		return index.Artifact{}, false
	}
	return indexedArtifact(got.Stamp, got.FileSum), true
}

// sumClosed sums a scratch file once no other process has it open for writing.
func (c *Cooker) sumClosed(ctx context.Context, in *confine.Dir, file string, want hashing.Want) (hashing.FileSum, error) {
	f, err := in.OpenFile(file)
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer f.Close()
	if err := waitUntilClosed(ctx, f); err != nil {
		return hashing.FileSum{}, err
	}
	return c.summer.Sum(ctx, f, want)
}

// waitUntilClosed waits until no process has a file of a recipe open for writing.
func waitUntilClosed(ctx context.Context, f *os.File) error {
	if lease.File(f) != lease.Busy {
		return nil
	}
	// Other recipes start programs meanwhile. A new process has all files open that this
	// process had, until it becomes the program.
	syscall.ForkLock.RLock()
	answer := lease.File(f)
	syscall.ForkLock.RUnlock()
	for wait := time.Millisecond; answer == lease.Busy; wait *= 2 {
		if wait > exitTime/2 {
			return errStillOpen
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		answer = lease.File(f)
	}
	return nil
}

// indexedArtifact returns the row of a file that had a stamp before it was summed.
func indexedArtifact(stamp scan.Stamp, sum hashing.FileSum) index.Artifact {
	stamp.Size = sum.Size
	return index.Artifact{Stamp: stamp, Sum: sum.Sum, Blob: store.BlobID(sum.Digest)}
}

// Stored returns artifacts as the store names them.
func Stored(made []index.Artifact) []store.Artifact {
	list := make([]store.Artifact, len(made))
	for i, m := range made {
		list[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	}
	return list
}

// AsFound returns the row of an artifact under the stamp that it was found to have.
func AsFound(o *contents.Output) index.Artifact {
	m := o.Artifact
	m.Stamp, m.Settled = o.Stamp, o.Settled
	return m
}
