package execute

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
)

// An artifact that another process still has open for writing when it is summed could
// be half written, or become something else later under the same stamp. So it is
// not taken over.
var errStillOpen = errors.New("still open for writing by another process; let the command wait for all that it starts")

// exitTime is how long processes that were killed, or are about to end, have to let go
// of what they wrote.
const exitTime = time.Second

// leftAlone waits until no process has a file open for writing that a recipe made.
func leftAlone(ctx context.Context, f *os.File) error {
	if lease.File(f) != lease.Busy {
		return nil
	}
	// Other recipes start programs meanwhile. Before such a process becomes the
	// program, it has all that we had open when it was made.
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

// sumQuickly sums the i-th scratch file if it is a regular file, has the mode of an
// artifact, and is not open for writing in another process.
func (c *cooker) sumQuickly(tmp *scratch, i int, want hashing.Want) (index.Artifact, bool) {
	if tmp.sums == nil {
		return index.Artifact{}, false
	}
	got, err := tmp.sums.Sum(tmp.tree, tmp.files[i], bulk.Ask{Want: want, Busy: true})
	if err != nil || got.Busy || fs.FileMode(got.Stamp.Mode).Perm() != c.mode {
		return index.Artifact{}, false
	}
	return artifact(got.Stamp, got.FileSum), true
}

// artifact is the row of a file that had a stamp before it was summed.
func artifact(stamp scan.Stamp, sum hashing.FileSum) index.Artifact {
	stamp.Size = sum.Size
	return index.Artifact{Stamp: stamp, Sum: sum.Sum, Blob: store.BlobID(sum.Digest)}
}

// sumAlone sums a file of ours, once no other process has it open for writing.
func (c *cooker) sumAlone(ctx context.Context, in *confine.Dir, file string, want hashing.Want) (hashing.FileSum, error) {
	f, err := in.OpenFile(file)
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer f.Close()
	if err := leftAlone(ctx, f); err != nil {
		return hashing.FileSum{}, err
	}
	return c.summer.Sum(ctx, f, want)
}
