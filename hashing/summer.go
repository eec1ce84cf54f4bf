package hashing

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/zeebo/blake3"
)

// Want says what to compute in one pass besides the size.
type Want uint8

const (
	WantSum    Want = 1 << iota // the checksum
	WantDigest                  // the Digest, which costs several times as much
)

// FileSum is what one pass over a file gives.
type FileSum struct {
	Size   int64  // bytes read
	Sum    Sum128 // zero unless wanted
	Digest Digest // zero unless wanted
}

// Summer sums streams with one checksum function. It keeps buffers and hash
// states for reuse, so make one and share it: it is safe for concurrent use.
type Summer struct {
	newHash func() Hash
	pool    sync.Pool // of *scratch
}

// NewSummer returns a Summer that computes f.
func NewSummer(f Func) *Summer { return &Summer{newHash: f.New} }

// bufferSize is how much a Summer reads at once: large enough that the system
// call is noise, small enough that the bytes are still in the second-level cache
// when a second function reads them.
const bufferSize = 256 << 10

// maxEmptyReads is how many reads in a row may give neither bytes nor an error.
const maxEmptyReads = 100

// scratch is what one running sum needs.
type scratch struct {
	buf    []byte
	sum    Hash
	digest *blake3.Hasher
}

func (s *Summer) take() *scratch {
	if w, ok := s.pool.Get().(*scratch); ok {
		return w
	}
	return &scratch{buf: make([]byte, bufferSize), sum: s.newHash(), digest: blake3.New()}
}

// Sum reads r to its end and returns what is wanted. It looks at ctx before
// each read of at most 256 KiB. With an error the FileSum is zero: a sum of half
// a file is not to be mistaken for one.
func (s *Summer) Sum(ctx context.Context, r io.Reader, want Want) (FileSum, error) {
	w := s.take()
	defer s.pool.Put(w)
	return w.run(ctx, r, want)
}

func (w *scratch) run(ctx context.Context, r io.Reader, want Want) (FileSum, error) {
	var out FileSum
	w.sum.Reset()
	w.digest.Reset()
	for empty := 0; ; {
		if err := ctx.Err(); err != nil {
			return FileSum{}, err
		}
		n, err := r.Read(w.buf)
		if n < 0 || n > len(w.buf) {
			return FileSum{}, fmt.Errorf("sum: reader returned %d of %d bytes", n, len(w.buf))
		}
		if want&WantSum != 0 {
			w.sum.Write(w.buf[:n])
		}
		if want&WantDigest != 0 {
			w.digest.Write(w.buf[:n])
		}
		out.Size += int64(n)
		switch {
		case err == io.EOF: // not a wrapped one: that is somebody's failure
			if want&WantSum != 0 {
				out.Sum = w.sum.Sum128()
			}
			if want&WantDigest != 0 {
				w.digest.Sum(out.Digest[:0])
			}
			return out, nil
		case err != nil:
			return FileSum{}, err
		case n > 0:
			empty = 0
		default:
			if empty++; empty == maxEmptyReads {
				return FileSum{}, io.ErrNoProgress
			}
		}
	}
}
