package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/internal/pathname"
)

// outputSize is how many bytes of whole lines are buffered before a write.
const outputSize = 32 << 10

// An output writes whole lines, many at once. It keeps the first write error in err, and writes
// nothing afterwards.
type output struct {
	w   io.Writer
	err error

	// terminal means that a person is watching. Then each line is written at once, with
	// unprintable characters escaped, because names may contain terminal control sequences.
	terminal bool
	// progress is cleared before each write.
	progress *progress

	buf []byte
}

// line adds a line and its end.
func (o *output) line(line []byte, end byte) {
	if o.terminal {
		o.buf = append(o.buf, oneLine(string(line))...)
	} else {
		o.buf = append(o.buf, line...)
	}
	o.buf = append(o.buf, end)
	if o.terminal || len(o.buf) >= outputSize {
		o.flush()
	}
}

func (o *output) flush() {
	if len(o.buf) > 0 && o.err == nil {
		o.progress.aside(func() { _, o.err = o.w.Write(o.buf) })
	}
	o.buf = o.buf[:0]
}

// messages go to standard error, one line each, from any goroutine.
type messages struct {
	mu       sync.Mutex
	w        io.Writer
	progress *progress
}

func (m *messages) printf(format string, args ...any) {
	text := "hashsum: " + oneLine(fmt.Sprintf(format, args...)) + "\n"
	m.mu.Lock()
	defer m.mu.Unlock()
	m.progress.aside(func() { io.WriteString(m.w, text) })
}

// error prints an error. If it has a path, the path is quoted where needed.
func (m *messages) error(err error) {
	var of *fs.PathError
	if errors.As(err, &of) {
		m.printf("%s %s: %v", of.Op, shown(of.Path), of.Err)
		return
	}
	m.printf("%v", err)
}

// shown returns a name for a message: unchanged if that is unambiguous, otherwise quoted.
func shown(name string) string {
	if name == "" {
		return `""`
	}
	return pathname.Show(name)
}

// oneLine escapes control characters of terminals, including line ends.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(pathname.Escape(text))
}
