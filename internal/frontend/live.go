package frontend

import (
	"io"
	"strings"
	"sync"
)

// Live is some lines at the end of a terminal that are drawn again and again. Other text appears
// above them. In a log, which is no terminal, it has no lines. All methods may be called by any
// goroutine.
type Live struct {
	w     io.Writer
	width func() int // columns of the terminal; nil in a log

	mu    sync.Mutex
	drawn int // lines on the terminal
}

// NewLive returns an area without lines on a terminal of width() columns. If width is nil, w is a log.
func NewLive(w io.Writer, width func() int) *Live { return &Live{w: w, width: width} }

// IsLog reports whether the area is in a log.
func (l *Live) IsLog() bool { return l.width == nil }

// Width returns the columns that a line may have.
func (l *Live) Width() int { return max(0, l.width()-1) }

// Draw replaces the lines, and cuts them to the width of the terminal.
func (l *Live) Draw(lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	width := l.Width()
	for i, line := range lines {
		lines[i] = Cut(line, width)
	}
	io.WriteString(l.w, strings.Join(lines, "\n"))
	l.drawn = len(lines)
}

// Clear removes the lines.
func (l *Live) Clear() { l.Aside(func() {}) }

// Aside removes the lines and calls f, which may write to the terminal.
func (l *Live) Aside(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	f()
}

// Write removes the lines and writes text.
func (l *Live) Write(b []byte) (n int, err error) {
	l.Aside(func() { n, err = l.w.Write(b) })
	return n, err
}

// clear removes the lines, and leaves the cursor at the beginning of the first.
func (l *Live) clear() {
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
