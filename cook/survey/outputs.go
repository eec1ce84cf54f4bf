package survey

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A State says how an artifact compares with what the index knows of it.
type State uint8

const (
	Unseen  State = iota // not surveyed
	Intact               // same stamp, or same checksum
	Missing              // no such file
	Edited               // another content, or no regular file
)

// An Output is the artifact of one row of the index as it is now.
type Output struct {
	State    State
	Stamp    scan.Stamp
	Settled  bool
	ByReads  bool // Intact was found by checksum
	Artifact index.Artifact
}

// Outputs compares artifacts with what lies in the output folder. out is nil
// if there is no such folder yet. The result has one element for each row of
// the index's artifacts; rows for which want is false stay Unseen.
func (s *Survey) Outputs(ctx context.Context, out *confine.Dir, want func(row int) bool) ([]Output, error) {
	all := make([]Output, s.opt.Index.Artifacts())
	var suspects suspects
	var wg sync.WaitGroup
	var next atomic.Int64
	const batch = 256
	for range s.opt.Workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				end := int(next.Add(batch))
				if end-batch >= len(all) {
					return
				}
				for row := end - batch; row < min(end, len(all)); row++ {
					if want(row) && s.look(out, row, &all[row]) {
						suspects.add(row)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return all, s.readOutputs(ctx, out, all, suspects.rows)
}

// suspects are the rows whose files must be read.
type suspects struct {
	mu   sync.Mutex
	rows []int
}

func (s *suspects) add(row int) {
	s.mu.Lock()
	s.rows = append(s.rows, row)
	s.mu.Unlock()
}

// look judges an artifact by its stamp and reports whether it must be read.
func (s *Survey) look(out *confine.Dir, row int, o *Output) (suspect bool) {
	o.Artifact = s.opt.Index.Artifact(row)
	if out == nil {
		o.State = Missing
		return false
	}
	// By its whole name, which is one system call. Should a folder on the way
	// have become a link, then an equal stamp still means the very same file,
	// and what differs is opened in the confined way.
	info, err := os.Lstat(filepath.Join(out.Name(), filepath.FromSlash(o.Artifact.Path)))
	if errors.Is(err, syscall.ENAMETOOLONG) {
		info, err = out.Root().Lstat(o.Artifact.Path) // one call for each folder
	}
	switch {
	case pathname.IsAbsent(err):
		o.State = Missing
		return false
	case err != nil || !info.Mode().IsRegular():
		o.State = Edited
		return false
	}
	o.Stamp = scan.StampOf(info)
	o.Settled = s.opt.Clock.Settled(o.Stamp)
	if known := o.Artifact.Stamp.Mode; known != 0 && known != o.Stamp.Mode {
		o.State = Edited // to be made again: what is there may be somebody else's by now
		return false
	}
	if o.Artifact.Settled && o.Artifact.Stamp == o.Stamp && s.sameFunc && !s.opt.Verify {
		o.State = Intact
		return false
	}
	o.State = Edited
	return o.Stamp.Size == o.Artifact.Stamp.Size
}

// readOutputs compares contents: by checksum, and by blob ID where that differs
// or cannot be compared, because rows may have kept the sums of another
// function from a run that did not look at them.
func (s *Survey) readOutputs(ctx context.Context, out *confine.Dir, all []Output, rows []int) error {
	if !s.sameFunc {
		return s.compareOutputs(ctx, out, all, rows, hashing.WantSum|hashing.WantDigest)
	}
	if err := s.compareOutputs(ctx, out, all, rows, hashing.WantSum); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row int) bool { return all[row].State == Intact })
	return s.compareOutputs(ctx, out, all, rows, hashing.WantSum|hashing.WantDigest)
}

func (s *Survey) compareOutputs(ctx context.Context, out *confine.Dir, all []Output, rows []int, want hashing.Want) error {
	open := func(i int) (io.ReadCloser, hashing.Want, error) {
		o := &all[rows[i]]
		r, err := out.OpenFile(o.Artifact.Path)
		if err == nil && lease.File(r) == lease.Busy {
			o.Settled = false
		}
		return r, want, err
	}
	done := func(i int, sum hashing.FileSum, err error) {
		o := &all[rows[i]]
		if err != nil {
			return // stays Edited
		}
		s.read.Files.Add(1)
		s.read.Bytes.Add(sum.Size)
		same := sum.Sum == o.Artifact.Sum
		if want&hashing.WantDigest != 0 {
			same = store.BlobID(sum.Digest) == o.Artifact.Blob
		}
		if same {
			o.State, o.ByReads = Intact, true
			o.Artifact.Sum = sum.Sum
		}
	}
	return s.summer.SumAll(ctx, len(rows), s.opt.Workers, open, done)
}
