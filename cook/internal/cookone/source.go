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

// A Source is the input file of an action. It is opened once for all its readers: to compute its
// checksum, to recognize its format, and to cook it.
type Source struct {
	assets *confine.Dir
	path   string
	size   int64

	file *os.File // nil if not open
	err  error
	head []byte // the first HeadSize bytes, once they are read
	read bool
}

// NewSource returns the source of an action; size is its size in bytes. It reuses the buffer of
// an earlier source and overwrites that source's first bytes; buffer may be nil.
func NewSource(assets *confine.Dir, a *plan.Action, size int64, buffer *Source) Source {
	s := Source{assets: assets, path: a.Path, size: size}
	if buffer != nil {
		s.head = buffer.head[:0]
	}
	return s
}

// SetSize sets the size of the source once it is known.
func (s *Source) SetSize(size int64) { s.size = size }

// First returns the first n bytes of the file, or all bytes if there are fewer. The first
// HeadSize bytes are read only once; they stay valid until the next source uses the buffer.
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

// ReadAt implements io.ReaderAt. It serves the first HeadSize bytes from memory.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	head, err := s.First(recipe.HeadSize)
	if err != nil {
		return 0, err
	}
	if end := off + int64(len(p)); off >= 0 && end <= int64(len(head)) {
		return copy(p, head[off:end]), nil
	}
	return s.file.ReadAt(p, off)
}

// readFirst fills a buffer from the start of a file, or with the whole file if it is shorter.
func readFirst(f *os.File, buf []byte) ([]byte, error) {
	n, err := f.ReadAt(buf, 0)
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

// A SourceSummer computes the checksums of sources that have not been read yet.
type SourceSummer struct {
	Contents *contents.Contents
	Sums     *bulk.Worker    // worker that reads small sources
	Summer   *hashing.Summer // summer that reads large sources
	Sharers  int             // number of goroutines that read one very large source together
}

// Sum opens the source and computes its checksum. The file stays open for later reads.
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

// endsAt reports whether the file ends at the given offset.
func (s *Source) endsAt(offset int64) bool {
	var more [1]byte
	_, err := s.file.ReadAt(more[:], offset)
	return err == io.EOF
}

// takeFile gives the open file to the caller, positioned at its start. It opens the file if
// necessary.
func (s *Source) takeFile() (*os.File, error) {
	if f := s.file; f != nil {
		s.file = nil
		return f, nil
	}
	return s.assets.OpenFile(s.path)
}

// Close closes the file unless takeFile has given it away.
func (s *Source) Close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
