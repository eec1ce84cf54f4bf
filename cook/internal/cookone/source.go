package cookone

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dirfd"
)

// A Source is the input file of an action. It is opened once for all its readers: to compute its
// checksum, to recognize its format, and to cook it.
type Source struct {
	assets *confine.Dir
	quick  QuickReader
	path   string
	size   int64

	file  *os.File // nil if not open
	err   error
	head  []byte // the first HeadSize bytes, once they are read
	read  bool
	whole fs.FileInfo // describes the file if head is the whole file; otherwise nil
}

// A QuickReader reads small sources with few system calls. It keeps the last directory open. If another
// directory replaces that directory during a run, sources are read from the old directory, and the next
// run finds the change.
type QuickReader struct {
	Tree *bulk.Tree   // asset tree; nil if sources are read in another way
	Sums *bulk.Worker // worker that also computes checksums
}

// NewSource returns the source of an action; size is its size in bytes. It reuses the buffer of
// an earlier source and overwrites that source's first bytes; buffer may be nil.
func NewSource(assets *confine.Dir, quick QuickReader, a *plan.Action, size int64, buffer *Source) Source {
	s := Source{assets: assets, quick: quick, path: a.Path, size: size}
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
	if !s.read && (s.file != nil || !s.readWhole(new(dirfd.Info), nil)) {
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
	if s.err != nil || n <= recipe.HeadSize || s.whole != nil {
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
	if s.whole != nil {
		return bytes.NewReader(head).ReadAt(p, off)
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
	Summer   *hashing.Summer // summer that reads large sources
	Sharers  int             // number of goroutines that read one very large source together
}

// Sum opens the source and computes its checksum. The file stays open for later reads, or all of it
// stays in memory.
func (s *Source) Sum(ctx context.Context, by SourceSummer, f *contents.File) (hashing.FileSum, error) {
	const want = hashing.WantSum | hashing.WantDigest
	s.size = f.Stamp.Size
	var info dirfd.Info
	var busy bool
	if s.readWhole(&info, &busy) {
		by.Contents.See(f, scan.StampOfInfo(&info), busy)
		return s.quick.Sums.SumBytes(s.head, want), nil
	}
	if s.file, s.err = s.assets.OpenFile(s.path); s.err == nil {
		var stamp scan.Stamp
		stamp, busy, s.err = contents.OpenStamp(s.file)
		by.Contents.See(f, stamp, busy)
	}
	s.size = f.Stamp.Size
	head, err := s.First(recipe.HeadSize)
	if err != nil {
		return hashing.FileSum{}, err
	}
	if int64(len(head)) == s.size && s.endsAt(s.size) {
		return s.quick.Sums.SumBytes(head, want), nil
	}
	if s.size >= bulk.SharedSize && by.Sharers > 1 {
		return by.Summer.SumShared(ctx, s.file, s.size, want, by.Sharers)
	}
	// The recipe must find the file at its start.
	return by.Summer.Sum(ctx, io.NewSectionReader(s.file, 0, math.MaxInt64), want)
}

// readWhole reads a small source into memory. It returns false for other sources, and for sources
// that cannot be read in this way, such as symbolic links. info and busy are set as by
// [bulk.Worker.ReadInto].
func (s *Source) readWhole(info *dirfd.Info, busy *bool) bool {
	if s.quick.Tree == nil || s.size >= recipe.HeadSize {
		return false
	}
	if cap(s.head) < recipe.HeadSize {
		s.head = make([]byte, 0, recipe.HeadSize)
	}
	data, err := s.quick.Sums.ReadInto(s.head[:recipe.HeadSize], s.quick.Tree, s.path, info, busy)
	if err != nil || int64(len(data)) != info.Size {
		return false
	}
	s.head, s.read, s.size, s.whole = data, true, info.Size, info.Named(s.path)
	return true
}

// isUnchanged reports whether the file surely is still as f describes it.
func (s *Source) isUnchanged(f *contents.File) bool {
	if s == nil || s.quick.Tree == nil || !f.Settled || f.Path != s.path {
		return false
	}
	now, err := s.quick.Sums.Stat(s.quick.Tree, s.path)
	return err == nil && now == f.Stamp
}

// endsAt reports whether the file ends at the given offset.
func (s *Source) endsAt(offset int64) bool {
	var more [1]byte
	_, err := s.file.ReadAt(more[:], offset)
	return err == io.EOF
}

// takeFile gives the open file to the caller, positioned at its start. It opens the file if
// necessary. A file in memory is copied, because the caller may keep it longer than the source.
func (s *Source) takeFile() (fs.File, error) {
	if s.whole != nil {
		return &memoryFile{bytes.NewReader(bytes.Clone(s.head)), s.whole}, nil
	}
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

// A memoryFile is an open file whose content is in memory. Like os.File, it implements io.ReaderAt and
// io.Seeker.
type memoryFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *memoryFile) Close() error               { return nil }
