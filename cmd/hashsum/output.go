package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A command is one run.
type command struct {
	options
	stdin    io.Reader
	out      *output
	msg      *messages
	progress *progress // nil unless standard error is a terminal
	failed   atomic.Bool
}

// fail prints an error that decides the exit status.
func (c *command) fail(err error) {
	c.failed.Store(true)
	c.msg.printError(err)
}

// outputSize is how many bytes of whole lines are written at once.
const outputSize = 32 << 10

// An output writes whole lines, many at once. After the first error of the writer, which is in err, it
// writes nothing.
type output struct {
	w   io.Writer
	err error

	terminal bool      // write each line at once, and escape control characters
	progress *progress // cleared before a write

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

// flush writes the lines.
func (o *output) flush() {
	if len(o.buf) > 0 && o.err == nil {
		o.progress.aside(func() { _, o.err = o.w.Write(o.buf) })
	}
	o.buf = o.buf[:0]
}

// messages go to standard error as diagnostics, from any goroutine.
type messages struct {
	mu       sync.Mutex
	w        io.Writer
	progress *progress
}

// print prints a diagnostic.
func (m *messages) print(d frontend.Diagnostic) {
	d.Program = "hashsum"
	text := frontend.StyleOf(m.w, os.Getenv).Format(&d)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.progress.aside(func() { io.WriteString(m.w, text) })
}

// printError prints an error. It quotes the path of an error where that is needed.
func (m *messages) printError(err error) {
	text := err.Error()
	var of *fs.PathError
	if errors.As(err, &of) {
		text = fmt.Sprintf("%s %s: %v", of.Op, shown(of.Path), of.Err)
	}
	m.print(frontend.Diagnostic{Severity: frontend.Err, Text: text})
}

// warn prints a warning about a file or a list, or about none if file is empty.
func (m *messages) warn(file, text string) {
	m.print(frontend.Diagnostic{File: file, Severity: frontend.Warning, Text: text})
}

// refuse prints an error of a list.
func (m *messages) refuse(list, text string) {
	m.print(frontend.Diagnostic{File: list, Severity: frontend.Err, Text: text})
}

// shown returns a name for a message: unchanged if that is unambiguous, otherwise quoted.
func shown(name string) string {
	if name == "" {
		return `""`
	}
	return pathname.Show(name)
}

// oneLine escapes control characters, which a terminal would obey, and ends of lines.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(pathname.Escape(text))
}
