package cli

import (
	"io"
	"os"
	"sync/atomic"
)

// A stream is standard output or standard error. Once what reads it is gone, as in
// "cook -explain | head", what is printed is dropped: that ends the printing, and neither
// the run nor its exit status. All other errors are reported.
type stream struct {
	file   *os.File
	closed atomic.Bool // there is no reader any more
}

func (s *stream) Write(b []byte) (int, error) {
	if s.closed.Load() {
		return len(b), nil
	}
	n, err := writeTo(s.file, b)
	if err != nil && isClosedPipe(err) {
		s.closed.Store(true)
		return len(b), nil
	}
	return n, err
}

// file returns the file that a writer writes to, nil if it is none.
func file(w io.Writer) *os.File {
	switch w := w.(type) {
	case *checkedWriter:
		return file(w.w)
	case *eventStream:
		return file(w.Writer)
	case *stream:
		return w.file
	case *os.File:
		return w
	}
	return nil
}

// inherited is the writer to give to another program: a file if it is one, so that no
// copy has to be made.
func inherited(w io.Writer) io.Writer {
	if f := file(w); f != nil {
		return f
	}
	return w
}
