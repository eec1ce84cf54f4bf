package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A command holds the state of one run of hashsum.
type command struct {
	options
	stdin    io.Reader
	out      *output
	msg      *messages
	progress *progressDisplay // nil unless standard error is a terminal
	failed   atomic.Bool
}

// printFailure prints an error and records it for the exit status.
func (c *command) printFailure(err error) {
	c.failed.Store(true)
	c.msg.printError(err)
}

// outputSize is the number of buffered bytes that triggers a write.
const outputSize = 32 << 10

// An output buffers lines and writes only whole lines. After the first write error, which is stored
// in err, it writes nothing.
type output struct {
	w   io.Writer
	err error

	terminal bool             // whether to write each line at once, and escape control characters
	progress *progressDisplay // the display is cleared before a write

	buf []byte
}

// writeLine adds a line and a line end to the buffer.
func (o *output) writeLine(line []byte, end byte) {
	if o.terminal {
		o.buf = append(o.buf, joinLines(string(line))...)
	} else {
		o.buf = append(o.buf, line...)
	}
	o.buf = append(o.buf, end)
	if o.terminal || len(o.buf) >= outputSize {
		o.flushOutput()
	}
}

func (o *output) flushOutput() {
	if len(o.buf) > 0 && o.err == nil {
		o.progress.printBeside(func() { _, o.err = o.w.Write(o.buf) })
	}
	o.buf = o.buf[:0]
}

// A messages value writes diagnostics to standard error. Any goroutine may use it.
type messages struct {
	mu       sync.Mutex
	w        io.Writer
	progress *progressDisplay
}

func (m *messages) printDiagnostic(d frontend.Diagnostic) {
	d.Program = "hashsum"
	text := frontend.StyleOf(m.w, os.Getenv).Format(&d)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.progress.printBeside(func() { io.WriteString(m.w, text) })
}

// printError prints an error. It quotes the error's path if needed.
func (m *messages) printError(err error) {
	text := err.Error()
	var of *fs.PathError
	if errors.As(err, &of) {
		text = fmt.Sprintf("%s %s: %v", of.Op, quoteForTerminal(of.Path), of.Err)
	}
	m.printDiagnostic(frontend.Diagnostic{Severity: frontend.Err, Text: text})
}

// warnAbout prints a warning about a file or a list. If the file name is empty, the warning names
// no file.
func (m *messages) warnAbout(file, text string) {
	m.printDiagnostic(frontend.Diagnostic{File: file, Severity: frontend.Warning, Text: text})
}

// refuseList prints an error about a list.
func (m *messages) refuseList(list, text string) {
	m.printDiagnostic(frontend.Diagnostic{File: list, Severity: frontend.Err, Text: text})
}

// quoteForTerminal returns a name for a message. It quotes the name only if the unquoted name would
// be ambiguous.
func quoteForTerminal(name string) string {
	if name == "" {
		return `""`
	}
	return pathname.Show(name)
}

// joinLines escapes line ends and control characters, which a terminal would interpret.
func joinLines(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(pathname.Escape(text))
}

// An entry is one line of a list: the sum of one file.
type entry struct {
	fn     *function
	name   string   // any bytes but NUL; never empty
	digest [64]byte // the first fn.Size bytes, most significant first
	size   int64    // bytes of the file; -1 if unknown

	// guessed is set if fn was derived from the number of digits alone.
	guessed bool
	line    int // line number, from 1
}

func (e *entry) sum() []byte { return e.digest[:e.fn.Size] }

// A style is a format of a line.
type style int

const (
	stylePlain style = iota // "digest  name", like sha256sum, b3sum and xxhsum
	styleTag                // "SHA256 (name) = digest", like the BSDs
	styleJSON               // one JSON object
)

// A layout is a style and a line end.
type layout struct {
	style style
	// zero ends lines with NUL instead of newline, and escapes nothing in names. Without it, a name
	// with a backslash, newline or carriage return is escaped as in coreutils. The line then begins
	// with a backslash, and the name has `\\`, `\n`, `\r`. JSON always has its own escapes.
	zero bool
}

// appendEntry appends the line of e, without its line end.
func (l layout) appendEntry(dst []byte, e *entry) []byte {
	if l.style == styleJSON {
		return appendJSON(dst, e)
	}
	escaped := !l.zero && needsEscape(e.name)
	if escaped {
		dst = append(dst, '\\')
	}
	if l.style == styleTag {
		dst = append(append(dst, e.fn.tag...), " ("...)
		dst = appendName(dst, e.name, escaped)
		return hex.AppendEncode(append(dst, ") = "...), e.sum())
	}
	dst = hex.AppendEncode(append(dst, e.fn.mark...), e.sum())
	return appendName(append(dst, "  "...), e.name, escaped)
}

func (l layout) lineEnd() byte {
	if l.zero {
		return 0
	}
	return '\n'
}

func needsEscape(name string) bool { return strings.ContainsAny(name, "\\\n\r") }

func appendName(dst []byte, name string, escaped bool) []byte {
	if !escaped {
		return append(dst, name...)
	}
	for i := range len(name) {
		switch c := name[i]; c {
		case '\\':
			dst = append(dst, `\\`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendJSON writes {"name","algorithm","digest","size"}. If a name is not UTF-8, "name" has U+FFFD
// for the invalid bytes, and "name_base64" has the exact name.
func appendJSON(dst []byte, e *entry) []byte {
	dst = appendJSONString(append(dst, `{"name":`...), e.name)
	if !utf8.ValidString(e.name) {
		dst = append(dst, `,"name_base64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, []byte(e.name))
		dst = append(dst, '"')
	}
	dst = append(append(dst, `,"algorithm":"`...), e.fn.Name...)
	dst = hex.AppendEncode(append(dst, `","digest":"`...), e.sum())
	dst = append(dst, '"')
	if e.size >= 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), e.size, 10)
	}
	return append(dst, '}')
}

// appendJSONString escapes all unprintable characters, more than JSON requires, so that no line
// can control a terminal.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == utf8.RuneError:
			dst = append(dst, `\ufffd`...)
		case r >= ' ' && r < 0x7f || unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r <= 0xffff:
			dst = appendUnit(dst, r)
		default:
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, high), low)
		}
	}
	return append(dst, '"')
}

// appendUnit writes one UTF-16 code unit as \uxxxx.
func appendUnit(dst []byte, u rune) []byte {
	return hex.AppendEncode(append(dst, `\u`...), []byte{byte(u >> 8), byte(u)})
}
