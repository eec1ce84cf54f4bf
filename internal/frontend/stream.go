package frontend

import (
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"
)

// A Stream is standard output or standard error. If its reader has exited, as in "cook -explain |
// head", it drops all text and returns no error. It returns all other errors.
type Stream struct {
	File   *os.File
	closed atomic.Bool // set if the pipe has no reader
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

// WritesTo returns the file that a stream writes to.
func (s *Stream) WritesTo() io.Writer { return s.File }

// A Checked is a writer that remembers the first error.
type Checked struct {
	W    io.Writer
	Used bool // set if something was written
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

// WritesTo returns the underlying writer.
func (c *Checked) WritesTo() io.Writer { return c.W }

// FileOf returns the file that a writer writes to, or nil. It unwraps writers that have the method
// WritesTo.
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

// Inherited returns the writer to pass to another program. If w writes to a file, this is the file,
// so that no bytes have to be copied.
func Inherited(w io.Writer) io.Writer {
	if f := FileOf(w); f != nil {
		return f
	}
	return w
}

// Terminal returns the terminal that a writer writes to. ok is false if there is none.
func Terminal(w io.Writer) (*os.File, bool) {
	f := FileOf(w)
	return f, f != nil && IsTerminal(f)
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Columns returns the width of a terminal, or 80 if it is unknown.
func Columns(f *os.File) int {
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil || n <= 0 {
		return 80
	}
	return n
}

// Live is an area at the bottom of a terminal, whose lines are redrawn in place. Other text appears
// above the area. If the output is a log instead of a terminal, the area has no lines. All methods
// may be called by any goroutine.
type Live struct {
	w     io.Writer
	width func() int // returns the number of columns of the terminal; nil for a log

	mu    sync.Mutex
	drawn int // number of lines drawn on the terminal
}

// NewLive returns an empty area at the bottom of a terminal with width() columns. If width is nil,
// w is a log.
func NewLive(w io.Writer, width func() int) *Live { return &Live{w: w, width: width} }

// IsLog reports whether the output is a log.
func (l *Live) IsLog() bool { return l.width == nil }

// Width returns the maximum number of columns in a line.
func (l *Live) Width() int { return max(0, l.width()-1) }

// Draw replaces the lines. It cuts each line to the width of the terminal.
func (l *Live) Draw(lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clearLines()
	width := l.Width()
	for i, line := range lines {
		lines[i] = Cut(line, width)
	}
	io.WriteString(l.w, strings.Join(lines, "\n"))
	l.drawn = len(lines)
}

// Clear removes the lines.
func (l *Live) Clear() { l.Aside(func() {}) }

// Aside clears the lines and calls f, which may write to the terminal.
func (l *Live) Aside(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clearLines()
	f()
}

// Write clears the lines and writes text.
func (l *Live) Write(b []byte) (n int, err error) {
	l.Aside(func() { n, err = l.w.Write(b) })
	return n, err
}

// clearLines clears the lines, and leaves the cursor at the start of the first.
func (l *Live) clearLines() {
	if l.drawn > 0 {
		io.WriteString(l.w, "\r\x1b[K"+strings.Repeat("\x1b[1A\x1b[K", l.drawn-1))
	}
	l.drawn = 0
}

// Cut shortens a line to a number of columns.
func Cut(line string, width int) string {
	switch r := []rune(line); {
	case len(r) <= width:
		return line
	case width <= 0:
		return ""
	default:
		return string(r[:width-1]) + "~"
	}
}
