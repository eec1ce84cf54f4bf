package builtin

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	tailBytes = 64 << 10 // kept bytes of the output of a program
	tailLines = 20       // shown lines of it
	tailWidth = 400      // bytes shown of a line
)

// A tail keeps the end of a text: programs print the cause of a failure last.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // buf does not start where the text did
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	// Twice as much may gather, so that shifting costs nothing on average.
	if len(t.buf) > 2*tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
		t.cut = true
	}
	return len(p), nil
}

// lastLines returns the end of the text for people, each line indented, with a note about missing
// lines. It is "" if nothing was printed.
func (t *tail) lastLines() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, cut := t.buf, t.cut
	if len(text) > tailBytes {
		text, cut = text[len(text)-tailBytes:], true
	}
	text = bytes.TrimRight(text, " \t\r\n")
	if len(text) == 0 {
		return ""
	}
	lines := bytes.Split(text, []byte{'\n'})
	if len(lines) > tailLines {
		lines, cut = lines[len(lines)-tailLines:], true
	}
	var out strings.Builder
	if cut {
		fmt.Fprintf(&out, "\t(only the last %d lines)\n", len(lines))
	}
	for i, line := range lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteByte('\t')
		showLine(&out, bytes.TrimSuffix(line, []byte{'\r'}))
	}
	return out.String()
}

// showLine writes a line so that a terminal obeys none of it.
func showLine(out *strings.Builder, line []byte) {
	for n := 0; n < len(line); {
		if n >= tailWidth {
			out.WriteString("...")
			return
		}
		r, size := utf8.DecodeRune(line[n:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(out, `\x%02x`, line[n])
		case r == '\t' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(out, `\x%02x`, r)
		default:
			fmt.Fprintf(out, `\u%04x`, r)
		}
		n += size
	}
}
