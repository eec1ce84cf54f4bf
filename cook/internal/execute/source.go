package execute

import (
	"context"
	"io"
	"math"
	"os"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
)

// A source is the file that an action is made of, opened once for all that look into
// it: those that judge its first bytes, and then the recipe.
type source struct {
	assets *confine.Dir
	path   string
	size   int64 // as contents found it

	file *os.File // nil if not open
	err  error    // why not
	head []byte   // its first HeadSize bytes, if read
	read bool
}

func sourceOf(assets *confine.Dir, a *plan.Action, size int64, buffer []byte) source {
	return source{assets: assets, path: a.Path, size: size, head: buffer[:0]}
}

// first returns the first n bytes of the file, or all if there are fewer. Up to HeadSize
// of them are read once, and are there until the buffer is of another source.
func (s *source) first(n int64) ([]byte, error) {
	if !s.read {
		s.read = true
		if cap(s.head) == 0 {
			s.head = make([]byte, 0, recipe.HeadSize)
		}
		if s.file == nil {
			s.file, s.err = s.assets.OpenFile(s.path)
		}
		if s.err == nil {
			s.head, s.err = readFirst(s.file, s.head[:min(s.size, recipe.HeadSize)])
		}
	}
	if s.err != nil || n <= recipe.HeadSize {
		return s.head[:min(int(n), len(s.head))], s.err
	}
	return readFirst(s.file, make([]byte, n))
}

func readFirst(f *os.File, buf []byte) ([]byte, error) {
	n, err := f.ReadAt(buf, 0)
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

// learning is finding out what sources hold of which nothing is known.
type learning struct {
	sharers int          // workers that read a large source
	took    atomic.Int64 // nanoseconds of all workers
}

// learn finds out what the source of an action holds if the plan could do without that.
func (w *worker) learn(ctx context.Context, a *plan.Action) (*plan.Action, error) {
	if a.ID != (store.ActionID{}) {
		return a, nil
	}
	defer w.probe.Begin("cook/run/checksum", a.Path).End()
	begin := w.Now()
	defer func() { w.learning.took.Add(int64(w.Now().Sub(begin))) }()
	f := w.Contents.Learn(a.Source, func(f *contents.File) (hashing.FileSum, error) { return w.sum(ctx, f) })
	id, err := a.Identify(w.key, &f, w.fileOf(ctx))
	return a.Identified(id), err
}

// sum opens the source of the action at work and sums what it holds. The file stays open
// for all that look into it later.
func (w *worker) sum(ctx context.Context, f *contents.File) (hashing.FileSum, error) {
	s := &w.src
	if s.file, s.err = s.assets.OpenFile(s.path); s.err == nil {
		s.err = w.Contents.See(f, s.file)
	}
	s.size = f.Stamp.Size
	head, err := s.first(recipe.HeadSize)
	if err != nil {
		return hashing.FileSum{}, err
	}
	const want = hashing.WantSum | hashing.WantDigest
	if int64(len(head)) == s.size && s.endsAt(s.size) {
		return w.sums.SumBytes(head, want), nil
	}
	if s.size >= bulk.SharedSize && w.learning.sharers > 1 {
		return w.summer.SumShared(ctx, s.file, s.size, want, w.learning.sharers)
	}
	// The recipe is to find the file at its start.
	return w.summer.Sum(ctx, io.NewSectionReader(s.file, 0, math.MaxInt64), want)
}

// endsAt reports whether the file ends at an offset.
func (s *source) endsAt(offset int64) bool {
	var more [1]byte
	_, err := s.file.ReadAt(more[:], offset)
	return err == io.EOF
}

// takeFile hands over the open file, at its start, or opens it.
func (s *source) takeFile() (*os.File, error) {
	if f := s.file; f != nil {
		s.file = nil
		return f, nil
	}
	return s.assets.OpenFile(s.path)
}

func (s *source) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
