package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An artifact that somebody still has open for writing when it is summed could be
// half written, or become something else later under the same stamp. So it is
// not taken over.
var errStillOpen = errors.New("still open for writing by another process; let the command wait for all that it starts")

// exitTime is how long processes that were killed, or are about to end, have to
// let go of what they wrote.
const exitTime = time.Second

// leftAlone waits until nobody has a file open for writing that a recipe made.
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

// sumAlone sums a file of ours, once nobody has it open for writing.
func (r *runner) sumAlone(ctx context.Context, in *confine.Dir, file string, want hashing.Want) (hashing.FileSum, error) {
	f, err := in.OpenFile(file)
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer f.Close()
	if err := leftAlone(ctx, f); err != nil {
		return hashing.FileSum{}, err
	}
	return r.summer.Sum(ctx, f, want)
}

// isAsMade proves that what has been renamed into place is what was summed. A
// rename changes neither size nor write time; where one of them differs, as it
// may if a server sets it late, the file is read again.
func (r *runner) isAsMade(out string, now scan.Stamp, made *index.Artifact) error {
	if now.Size == made.Stamp.Size && now.MTime == made.Stamp.MTime {
		return nil
	}
	if r.reads(out, made) {
		return nil
	}
	return fmt.Errorf("output %s was changed by another process before it was in place; run cook again", pathname.Show(out))
}

// reads reports whether a file of the output folder has the content of an
// artifact, and nobody has it open for writing.
func (r *runner) reads(file string, made *index.Artifact) bool {
	f, err := r.Out.OpenFile(file)
	if err != nil {
		return false
	}
	defer f.Close()
	if leftAlone(context.Background(), f) != nil {
		return false
	}
	sum, err := r.summer.Sum(context.Background(), f, hashing.WantSum)
	return err == nil && sum.Sum == made.Sum
}
