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

// outputSize is how many bytes of whole lines are gathered before they are
// written.
const outputSize = 32 << 10

// An output writes whole lines, many at once. The first error of the writer
// stays in err, and nothing is written after it.
type output struct {
	w   io.Writer
	err error

	// terminal: a person looks on. Each line is written at once, and what does
	// not print is escaped, since names may hold what steers a terminal.
	terminal bool
	// progress is cleared before anything is written.
	progress *progress

	buf []byte
}

// line adds a line and the byte that ends it.
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

// messages go to standard error, a line each, from any goroutine.
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

// error prints an error; if it is of a path, with the path quoted where needed.
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

// oneLine escapes what a terminal would obey, line ends among it.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(pathname.Escape(text))
}
