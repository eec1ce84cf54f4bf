package cookone

import (
	"context"
	"io"
	"math"
	"os"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
)

// A Source is the file that an action is made of. It is opened once for all readers: to
// sum it, to judge its first bytes, and for the recipe.
type Source struct {
	assets *confine.Dir
	path   string
	size   int64 // size that Contents found

	file *os.File // nil if not open
	err  error    // why it is not open
	head []byte   // first HeadSize bytes, if read
	read bool     // head was read
}

// NewSource returns the source of an action, which has size bytes. It uses the buffer of an
// earlier source, whose first bytes it replaces; buffer may be nil.
func NewSource(assets *confine.Dir, a *plan.Action, size int64, buffer *Source) Source {
	s := Source{assets: assets, path: a.Path, size: size}
	if buffer != nil {
		s.head = buffer.head[:0]
	}
	return s
}

// SetSize sets the size of the source once it is known.
func (s *Source) SetSize(size int64) { s.size = size }

// First returns the first n bytes of the file, or all bytes if there are fewer. Up to
// HeadSize of them are read once, and stay until the next source uses the buffer.
func (s *Source) First(n int64) ([]byte, error) {
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

// readFirst fills a buffer from the start of a file, as far as the file goes.
func readFirst(f *os.File, buf []byte) ([]byte, error) {
	n, err := f.ReadAt(buf, 0)
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

// A SourceSummer sums sources that were not read before.
type SourceSummer struct {
	Contents *contents.Contents
	Sums     *bulk.Worker    // sums small files
	Summer   *hashing.Summer // sums large files
	Sharers  int             // goroutines that read a very large one
}

// Sum opens the source, which contents know as f, and sums its content. The file stays open
// for all readers that follow.
func (s *Source) Sum(ctx context.Context, by SourceSummer, f *contents.File) (hashing.FileSum, error) {
	if s.file, s.err = s.assets.OpenFile(s.path); s.err == nil {
		s.err = by.Contents.See(f, s.file)
	}
	s.size = f.Stamp.Size
	head, err := s.First(recipe.HeadSize)
	if err != nil {
		return hashing.FileSum{}, err
	}
	const want = hashing.WantSum | hashing.WantDigest
	if int64(len(head)) == s.size && s.endsAt(s.size) {
		return by.Sums.SumBytes(head, want), nil
	}
	if s.size >= bulk.SharedSize && by.Sharers > 1 {
		return by.Summer.SumShared(ctx, s.file, s.size, want, by.Sharers)
	}
	// The recipe must find the file at its start.
	return by.Summer.Sum(ctx, io.NewSectionReader(s.file, 0, math.MaxInt64), want)
}

// endsAt reports whether the file ends at an offset.
func (s *Source) endsAt(offset int64) bool {
	var more [1]byte
	_, err := s.file.ReadAt(more[:], offset)
	return err == io.EOF
}

// takeFile hands over the open file, at its start, or opens it.
func (s *Source) takeFile() (*os.File, error) {
	if f := s.file; f != nil {
		s.file = nil
		return f, nil
	}
	return s.assets.OpenFile(s.path)
}

// Close closes the file unless a recipe took it.
func (s *Source) Close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
