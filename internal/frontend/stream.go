package frontend

import (
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/term"
)

// A Stream is standard output or standard error. Once its reader is gone, as in
// "cook -explain | head", it drops all text: that ends the printing, and neither the run nor its
// exit status. All other errors are reported.
type Stream struct {
	File   *os.File
	closed atomic.Bool // the pipe has no reader
}

func (s *Stream) Write(b []byte) (int, error) {
	if s.closed.Load() {
		return len(b), nil
	}
	n, err := writeTo(s.File, b)
	if err != nil && isClosedPipe(err) {
		s.closed.Store(true)
		return len(b), nil
	}
	return n, err
}

// WritesTo returns the file of a stream.
func (s *Stream) WritesTo() io.Writer { return s.File }

// A Checked writer remembers the first error of a writer.
type Checked struct {
	W    io.Writer
	Used bool // something was written
	Err  error
}

func (c *Checked) Write(b []byte) (int, error) {
	c.Used = true
	n, err := c.W.Write(b)
	if err != nil && c.Err == nil {
		c.Err = err
	}
	return n, err
}

// WritesTo returns the checked writer.
func (c *Checked) WritesTo() io.Writer { return c.W }

// FileOf returns the file that a writer writes to, nil for none. It looks behind writers with a
// method WritesTo.
func FileOf(w io.Writer) *os.File {
	for {
		switch to := w.(type) {
		case *os.File:
			return to
		case interface{ WritesTo() io.Writer }:
			w = to.WritesTo()
		default:
			return nil
		}
	}
}

// Inherited returns the writer to give to another program: the file behind w if it has one, so
// that no bytes have to be copied.
func Inherited(w io.Writer) io.Writer {
	if f := FileOf(w); f != nil {
		return f
	}
	return w
}

// Terminal returns the terminal that a writer writes to.
func Terminal(w io.Writer) (*os.File, bool) {
	f := FileOf(w)
	return f, f != nil && IsTerminal(f)
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Columns returns the width of a terminal, 80 if the terminal does not know it.
func Columns(f *os.File) int {
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil || n <= 0 {
		return 80
	}
	return n
}
