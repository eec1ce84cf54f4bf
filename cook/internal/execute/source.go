package execute

import (
	"io"
	"os"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/confine"
)

// A source is the file that an action is made of, opened once for all that look into
// it: those that judge its first bytes, and then the recipe.
type source struct {
	assets *confine.Dir
	path   string
	size   int64 // as it was found

	file *os.File // nil if not open
	err  error    // why not
	head []byte   // its first HeadSize bytes, if read
	read bool
}

func sourceOf(assets *confine.Dir, a *plan.Action, buffer []byte) source {
	return source{assets: assets, path: a.Path, size: a.Source.Stamp.Size, head: buffer[:0]}
}

// first returns the first n bytes of the file, or all if there are fewer. Up to HeadSize
// of them are read once, and are there until the buffer is of another source.
func (s *source) first(n int64) ([]byte, error) {
	if !s.read {
		s.read = true
		if cap(s.head) == 0 {
			s.head = make([]byte, 0, recipe.HeadSize)
		}
		if s.file, s.err = s.assets.OpenFile(s.path); s.err == nil {
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

// take hands over the open file, at its start, or opens it.
func (s *source) take() (*os.File, error) {
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
