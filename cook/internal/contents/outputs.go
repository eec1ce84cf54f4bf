package contents

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A State says how an artifact compares with what the index knows of it.
type State uint8

const (
	Unseen  State = iota // not looked at
	Intact               // same stamp, or same checksum
	Missing              // no such file
	Edited               // another content, or no regular file
)

// An Output is an artifact that is known, as it is now.
type Output struct {
	State    State
	Stamp    scan.Stamp
	Settled  bool
	ByReads  bool // Intact was found by checksum
	Artifact index.Artifact
}

// A Before is what the last run knew of an action, and the state of its artifacts now.
type Before struct {
	index.Action
	Outputs []Output // one for each of Action.Made
}

// Intact reports whether all artifacts are as they were made.
func (b *Before) Intact() bool {
	return !slices.ContainsFunc(b.Outputs, func(o Output) bool { return o.State != Intact })
}

// Outputs compares the artifacts of actions with what lies in the output folder. out
// is nil if there is no such folder yet. Those of actions for which want is false stay
// Unseen.
func (s *Contents) Outputs(ctx context.Context, out *confine.Dir, actions []index.Action, want func(*index.Action) bool) ([]Before, error) {
	n := 0
	for i := range actions {
		n += len(actions[i].Made)
	}
	all, wanted := make([]Output, 0, n), make([]bool, 0, n)
	before := make([]Before, len(actions))
	for i := range actions {
		a := &actions[i]
		first, yes := len(all), want(a)
		for _, m := range a.Made {
			all, wanted = append(all, Output{Artifact: m}), append(wanted, yes)
		}
		before[i] = Before{Action: *a, Outputs: all[first:len(all):len(all)]}
	}
	return before, s.compareContent(ctx, out, all, wanted)
}

func (s *Contents) compareContent(ctx context.Context, out *confine.Dir, all []Output, wanted []bool) error {
	var suspects suspects
	const batch = 256
	err := parallel.Each(ctx, s.opt.Workers, (len(all)+batch-1)/batch, func(_, i int) error {
		for row := i * batch; row < min((i+1)*batch, len(all)); row++ {
			if wanted[row] && s.look(out, &all[row]) {
				suspects.suspectRow(row)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.readOutputs(ctx, out, all, suspects.rows)
}

// suspects are the rows whose files must be read.
type suspects struct {
	mu   sync.Mutex
	rows []int
}

func (s *suspects) suspectRow(row int) {
	s.mu.Lock()
	s.rows = append(s.rows, row)
	s.mu.Unlock()
}

// look judges an artifact by its stamp and reports whether it must be read.
func (s *Contents) look(out *confine.Dir, o *Output) (suspect bool) {
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
		o.State = Edited // to be made again: what is there may be foreign by now
		return false
	}
	if o.Artifact.Settled && o.Artifact.Stamp == o.Stamp && s.sameFunc && !s.opt.IgnoreStamps {
		o.State = Intact
		return false
	}
	o.State = Edited
	return o.Stamp.Size == o.Artifact.Stamp.Size
}

// readOutputs compares contents: by checksum, and by blob ID where that differs
// or cannot be compared, because artifacts that a run did not look at may have kept
// the sums of another function.
func (s *Contents) readOutputs(ctx context.Context, out *confine.Dir, all []Output, rows []int) error {
	if !s.sameFunc {
		return s.compareOutputs(ctx, out, all, rows, hashing.WantSum|hashing.WantDigest)
	}
	if err := s.compareOutputs(ctx, out, all, rows, hashing.WantSum); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row int) bool { return all[row].State == Intact })
	return s.compareOutputs(ctx, out, all, rows, hashing.WantSum|hashing.WantDigest)
}

func (s *Contents) compareOutputs(ctx context.Context, out *confine.Dir, all []Output, rows []int, want hashing.Want) error {
	if len(rows) == 0 {
		return ctx.Err()
	}
	tree := bulk.OpenTree(out)
	defer tree.Close()
	slices.SortFunc(rows, func(i, j int) int { return cmp.Compare(all[i].Artifact.Path, all[j].Artifact.Path) })
	runs := bulk.Runs(len(rows), func(i, j int) bool { return bulk.SameFolder(all[rows[i]].Artifact.Path, all[rows[j]].Artifact.Path) },
		func(i int) int64 { return all[rows[i]].Artifact.Stamp.Size })
	one := func(w *bulk.Worker, o *Output) {
		sum, err := s.sumOutput(ctx, w, &tree, out, o, want)
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
	return bulk.Each(ctx, s.opt.Workers, s.summer, runs, func(w *bulk.Worker, r bulk.Run) error {
		for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
			one(w, &all[rows[i]])
		}
		return ctx.Err()
	})
}

// sumOutput reads an artifact. The stamp of one that another process can write to proves
// nothing.
func (s *Contents) sumOutput(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, out *confine.Dir, o *Output, want hashing.Want) (hashing.FileSum, error) {
	if got, err := w.Sum(tree, o.Artifact.Path, bulk.Ask{Want: want, Busy: true}); err == nil {
		o.Settled = o.Settled && !got.Busy
		return got.FileSum, nil
	}
	r, err := out.OpenFile(o.Artifact.Path) // through a link, perhaps
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer r.Close()
	if lease.File(r) == lease.Busy {
		o.Settled = false
	}
	return s.summer.Sum(ctx, r, want)
}
