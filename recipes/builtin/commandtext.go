package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var errBrace = errors.New("{{ or }} for a brace")

// fillWords replaces the placeholders in an argument.
func fillWords(arg string, words map[string]string) (string, error) {
	var out strings.Builder
	err := splitAtBraces(arg, func(text string) { out.WriteString(text) }, func(word string) error {
		value, ok := words[word]
		if !ok {
			return fmt.Errorf("there is no placeholder {%s}", word)
		}
		out.WriteString(value)
		return nil
	})
	return out.String(), err
}

// placeholders returns the placeholders in an argument. Its error describes the correct syntax.
func placeholders(arg string) ([]string, error) {
	var list []string
	err := splitAtBraces(arg, func(string) {}, func(word string) error {
		if !isPlaceholder(word) {
			return errors.New("only {in}, {out}, {out0}, {out1}, ..., {stem}, {depfile} and {scratch} in braces, and " + errBrace.Error())
		}
		list = append(list, word)
		return nil
	})
	if strings.IndexByte(arg, 0) >= 0 {
		err = errors.New("an argument without NUL")
	}
	return list, err
}

func isPlaceholder(word string) bool {
	switch word {
	case "in", "out", "stem", "depfile", "scratch":
		return true
	}
	digits, ok := strings.CutPrefix(word, "out")
	n, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil && strconv.FormatUint(n, 10) == digits
}

// splitAtBraces splits an argument at its placeholders. It calls text for each literal piece and
// word for each placeholder, in order.
func splitAtBraces(arg string, text func(string), word func(string) error) error {
	for arg != "" {
		i := strings.IndexAny(arg, "{}")
		if i < 0 {
			text(arg)
			return nil
		}
		text(arg[:i])
		brace := arg[i]
		arg = arg[i+1:]
		if arg != "" && arg[0] == brace {
			text(string(brace))
			arg = arg[1:]
			continue
		}
		end := strings.IndexAny(arg, "{}")
		if brace == '}' || end < 0 || arg[end] != '}' {
			return errBrace
		}
		if err := word(arg[:end]); err != nil {
			return err
		}
		arg = arg[end+1:]
	}
	return nil
}

const (
	tailBytes = 64 << 10 // bytes that are kept of a program's output
	tailLines = 20       // lines that are shown of the output
	tailWidth = 400      // bytes that are shown of each line
)

// A tail keeps the end of a text, because programs print the cause of a failure last.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // whether the start of the text has been dropped
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	// Up to twice the limit may accumulate, so that moving bytes has constant amortized cost.
	if len(t.buf) > 2*tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
		t.cut = true
	}
	return len(p), nil
}

// lastLines returns the end of the text for display. Each line is indented. A note says if lines
// are missing. It returns "" if nothing was printed.
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

// showLine writes a line so that a terminal interprets no control characters.
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
