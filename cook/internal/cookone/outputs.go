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
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// errStillOpen reports an artifact that another process has open for writing. Its content may be
// incomplete, or change under the same stamp.
var errStillOpen = errors.New("another process still has the output open for writing; let the command wait for all processes that it starts")

// exitTime limits how long an exiting process may keep its files open.
const exitTime = time.Second

// collectOutputs checks that the recipe wrote all outputs, and computes their checksums.
func (c *Cooker) collectOutputs(ctx context.Context, t Task, tmp *Scratch, probe *profile.Worker) (made []index.Artifact, err error) {
	defer probe.Begin("cook/run/sum", "").End()
	made = make([]index.Artifact, len(tmp.files))
	for i := range made {
		var known bool
		if made[i], known = tmp.takeWritten(i); known {
			continue
		}
		if made[i], err = c.sumOutput(ctx, t.Action, tmp, i); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// sumOutput checks that the recipe of an action wrote an output, and computes its checksum.
func (c *Cooker) sumOutput(ctx context.Context, a *plan.Action, tmp *Scratch, i int) (index.Artifact, error) {
	if made, ok := c.sumQuickly(tmp, i, hashing.WantSum|hashing.WantDigest); ok {
		return made, nil
	}
	root, name := tmp.in.Root(), tmp.files[i]
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return index.Artifact{}, fmt.Errorf("recipe %s did not write output %s", a.Method.Choice.Recipe.Name, pathname.Show(a.ShownOutput(i)))
	case err != nil:
		return index.Artifact{}, err
	case !info.Mode().IsRegular():
		return index.Artifact{}, fmt.Errorf("recipe %s did not make output %s a regular file", a.Method.Choice.Recipe.Name, pathname.Show(a.ShownOutput(i)))
	}
	if info.Mode().Perm() != c.mode {
		if err := root.Chmod(name, c.mode); err != nil {
			return index.Artifact{}, err
		}
	}
	sum, err := c.sumClosed(ctx, tmp.in, name, hashing.WantSum|hashing.WantDigest)
	if errors.Is(err, errStillOpen) {
		return index.Artifact{}, fmt.Errorf("output %s: %w", pathname.Show(a.ShownOutput(i)), err)
	}
	if err != nil {
		return index.Artifact{}, err
	}
	return indexedArtifact(scan.StampOf(info), sum), nil
}

// SumCopy computes the checksum of a scratch file that is a copy of a blob. If data is not nil, it
// first writes the file with this content.
func (c *Cooker) SumCopy(ctx context.Context, tmp *Scratch, i int, data []byte) (index.Artifact, error) {
	if data != nil {
		if err := tmp.writeOutput(i, data, c.mode); err != nil {
			return index.Artifact{}, err
		}
		if made, known := tmp.takeWritten(i); known {
			return made, nil
		}
	}
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

// sumQuickly computes the checksum of a scratch file. It fails if the file is not regular, has a
// different mode than artifacts, or is open for writing in another process.
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

// sumClosed computes the checksum of a scratch file as soon as no other process has it open for
// writing.
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

// waitUntilClosed waits until no process has f open for writing.
func waitUntilClosed(ctx context.Context, f *os.File) error {
	if lease.File(f) != lease.Busy {
		return nil
	}
	// A process that this process starts inherits all open files until it executes its program.
	// ForkLock waits for this.
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

// indexedArtifact returns the index row of an artifact. stamp was taken before sum was computed.
func indexedArtifact(stamp scan.Stamp, sum hashing.FileSum) index.Artifact {
	stamp.Size = sum.Size
	return index.Artifact{Stamp: stamp, Sum: sum.Sum, Blob: store.BlobID(sum.Digest)}
}

// Stored returns artifacts in the form that the store uses.
func Stored(made []index.Artifact) []store.Artifact {
	list := make([]store.Artifact, len(made))
	for i, m := range made {
		list[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size, Role: m.Role}
	}
	return list
}

// AsFound returns the index row of an artifact with its current stamp on disk.
func AsFound(o *contents.Output) index.Artifact {
	m := *o.Artifact
	m.Stamp, m.Settled = o.Stamp, o.Settled
	return m
}
