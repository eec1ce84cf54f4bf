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

// A State is the result of comparing an artifact with the index.
type State uint8

const (
	Unseen  State = iota // the artifact was not compared
	Intact               // the stamp or the checksum is the same
	Missing              // there is no such file
	Edited               // the content differs, or it is not a regular file
)

// An Output is a known artifact with its current state.
type Output struct {
	State    State
	Settled  bool
	ByReads  bool // set if State is Intact and only the checksum proves it
	Stamp    scan.Stamp
	Artifact *index.Artifact
}

// A Before is an action of the last run, with the current state of its outputs.
type Before struct {
	*index.Action
	Outputs []Output // one output for each element of Action.Made
}

// Intact reports whether all artifacts are unchanged.
func (b *Before) Intact() bool {
	return !slices.ContainsFunc(b.Outputs, func(o Output) bool { return o.State != Intact })
}

// Outputs compares the artifacts of actions with the files of the output directory. out is nil if
// the directory does not exist yet. Artifacts stay Unseen if want returns false for their action.
// The result refers to the actions. If the index has checksums of another function, Outputs
// replaces the checksum of each artifact that it reads and finds intact.
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
		for k := range a.Made {
			all, wanted = append(all, Output{Artifact: &a.Made[k]}), append(wanted, yes)
		}
		before[i] = Before{Action: a, Outputs: all[first:len(all):len(all)]}
	}
	return before, s.reader.compareContent(ctx, out, all, wanted)
}

func (rd *reader) compareContent(ctx context.Context, out *confine.Dir, all []Output, wanted []bool) error {
	var suspects suspects
	const batch = 256
	err := parallel.Each(ctx, rd.opt.Workers, (len(all)+batch-1)/batch, func(_, i int) error {
		for row := i * batch; row < min((i+1)*batch, len(all)); row++ {
			if wanted[row] && rd.lookAtOutputs(out, &all[row]) {
				suspects.suspectRow(row)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return rd.readOutputs(ctx, out, all, suspects.rows)
}

// suspects are the rows of artifacts whose content must be read.
type suspects struct {
	mu   sync.Mutex
	rows []int
}

func (s *suspects) suspectRow(row int) {
	s.mu.Lock()
	s.rows = append(s.rows, row)
	s.mu.Unlock()
}

// lookAtOutputs compares the stamp of an artifact, and reports whether the artifact must be read.
func (rd *reader) lookAtOutputs(out *confine.Dir, o *Output) (suspect bool) {
	if out == nil {
		o.State = Missing
		return false
	}
	// Lstat of the whole path takes only one system call. If a directory on the path has become a
	// link, an equal stamp still identifies the same file. A file with another stamp is opened
	// by a path that cannot leave the output directory.
	info, err := os.Lstat(filepath.Join(out.Name(), filepath.FromSlash(o.Artifact.Path)))
	if errors.Is(err, syscall.ENAMETOOLONG) {
		info, err = out.Root().Lstat(o.Artifact.Path)
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
	o.Settled = rd.opt.Clock.Settled(o.Stamp)
	if known := o.Artifact.Stamp.Mode; known != 0 && known != o.Stamp.Mode {
		o.State = Edited // the permissions have changed, so the run makes the artifact again
		return false
	}
	if o.Artifact.Settled && o.Artifact.Stamp == o.Stamp && rd.sameFunc && !rd.opt.IgnoreStamps {
		o.State = Intact
		return false
	}
	o.State = Edited
	return o.Stamp.Size == o.Artifact.Stamp.Size
}

// readOutputs compares contents by checksum. If the checksums differ or come from different
// functions, it compares blob IDs.
func (rd *reader) readOutputs(ctx context.Context, out *confine.Dir, all []Output, rows []int) error {
	if !rd.sameFunc {
		return rd.compareOutputs(ctx, out, all, rows, hashing.WantSum|hashing.WantDigest)
	}
	if err := rd.compareOutputs(ctx, out, all, rows, hashing.WantSum); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row int) bool { return all[row].State == Intact })
	return rd.compareOutputs(ctx, out, all, rows, hashing.WantSum|hashing.WantDigest)
}

func (rd *reader) compareOutputs(ctx context.Context, out *confine.Dir, all []Output, rows []int, want hashing.Want) error {
	if len(rows) == 0 {
		return ctx.Err()
	}
	tree := bulk.OpenTree(out)
	defer tree.Close()
	slices.SortFunc(rows, func(i, j int) int { return cmp.Compare(all[i].Artifact.Path, all[j].Artifact.Path) })
	runs := bulk.Runs(len(rows), func(i, j int) bool { return bulk.SameFolder(all[rows[i]].Artifact.Path, all[rows[j]].Artifact.Path) },
		func(i int) int64 { return all[rows[i]].Artifact.Stamp.Size })
	one := func(w *bulk.Worker, o *Output) {
		sum, err := rd.sumOutput(ctx, w, &tree, out, o, want)
		if err != nil {
			return
		}
		rd.read.Files.Add(1)
		rd.read.Bytes.Add(sum.Size)
		same := sum.Sum == o.Artifact.Sum
		if want&hashing.WantDigest != 0 {
			same = store.BlobID(sum.Digest) == o.Artifact.Blob
		}
		if same {
			o.State, o.ByReads = Intact, true
			o.Artifact.Sum = sum.Sum
		}
	}
	return bulk.Each(ctx, rd.opt.Workers, rd.summer, runs, func(w *bulk.Worker, r bulk.Run) error {
		for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
			one(w, &all[rows[i]])
		}
		return ctx.Err()
	})
}

// sumOutput reads an artifact and computes its checksum. While another process can write to the
// artifact, its stamp proves nothing.
func (rd *reader) sumOutput(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, out *confine.Dir, o *Output, want hashing.Want) (hashing.FileSum, error) {
	if got, err := w.Sum(tree, o.Artifact.Path, bulk.Ask{Want: want, Busy: true}); err == nil {
		o.Settled = o.Settled && !got.Busy
		return got.FileSum, nil
	}
	r, err := out.OpenFile(o.Artifact.Path) // OpenFile follows links that stay inside the directory
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer r.Close()
	if lease.File(r) == lease.Busy {
		o.Settled = false
	}
	return rd.summer.Sum(ctx, r, want)
}

// Holds reads a file of the output directory. It reports whether the file has the size and checksum
// of an artifact, and no process has it open for writing.
func Holds(ctx context.Context, summer *hashing.Summer, out *confine.Dir, file string, m *index.Artifact) bool {
	f, err := out.OpenFile(file)
	if err != nil {
		return false
	}
	defer f.Close()
	if lease.File(f) == lease.Busy {
		return false
	}
	sum, err := summer.Sum(ctx, f, hashing.WantSum)
	return err == nil && sum.Size == m.Stamp.Size && sum.Sum == m.Sum
}
