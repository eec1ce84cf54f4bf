package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

const (
	maxDepfile       = 16 << 20
	maxPrerequisites = 100_000
	maxPrerequisite  = 32 << 10 // limit of a name in bytes; Windows has the longest names
)

// parseDepfile returns the prerequisites in a file of Makefile rules without recipes, as compilers
// write it. It returns each prerequisite once, in order. A backslash joins lines and escapes
// blanks, '#' and ':'. "$$" is a dollar sign. A colon ends the targets if a blank or the end of the
// line follows it, so C:/a is one name. The compilers of TI and ARM put names in double quotes,
// without escapes.
//
// Programs differ in what they escape. The parser prefers an interpretation that keeps a name
// whole. So '#' starts a comment only at the start of a line, and a lone '$' is a '$'.
func parseDepfile(text []byte) ([]string, error) {
	if len(text) > maxDepfile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxDepfile>>20)
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, fmt.Errorf("line %d: the depfile has a NUL byte", 1+bytes.Count(text[:i], []byte{'\n'}))
	}
	d := depfileReader{text: text, line: 1, seen: map[string]bool{}}
	for d.pos < len(d.text) {
		if err := d.readRule(); err != nil {
			return nil, fmt.Errorf("line %d: %w", d.line, err)
		}
	}
	if d.rules == 0 {
		return nil, errors.New("the depfile has no rule such as out: in")
	}
	return d.list, nil
}

type depfileReader struct {
	text  []byte
	pos   int
	line  int // line number at pos, from 1
	rules int
	list  []string
	seen  map[string]bool
}

// readRule reads one logical line: an empty line, a comment, or targets and their prerequisites.
func (d *depfileReader) readRule() error {
	d.blanks()
	if d.currentByte() == '#' {
		for d.pos < len(d.text) && d.text[d.pos] != '\n' {
			d.pos++
		}
	}
	if d.skipEndOfLine() {
		return nil
	}
	targets, isTarget := 0, true
	for {
		word, colon := d.readName(isTarget)
		switch {
		case isTarget && word != "":
			targets++
		case word != "" && !d.seen[word]:
			if len(d.list) == maxPrerequisites {
				return fmt.Errorf("the depfile has more than %d names", maxPrerequisites)
			}
			if len(word) > maxPrerequisite {
				return fmt.Errorf("the name of %d bytes that starts with %.40q is too long", len(word), word)
			}
			d.seen[word] = true
			d.list = append(d.list, word)
		}
		if colon {
			isTarget = false
		}
		d.blanks()
		if d.atEndOfLine() {
			break
		}
	}
	switch {
	case isTarget:
		return errors.New("there is no ':' after the targets")
	case targets == 0:
		return errors.New("there is no target before the ':'")
	}
	d.rules++
	d.skipEndOfLine()
	return nil
}

// readName reads one name. A target may end with the rule's colon.
func (d *depfileReader) readName(isTarget bool) (name string, colon bool) {
	if name := d.readQuoted(isTarget); name != "" {
		if isTarget && d.currentByte() == ':' {
			d.pos++
			return name, true
		}
		return name, false
	}
	var out strings.Builder
	for d.pos < len(d.text) {
		c := d.text[d.pos]
		switch {
		case isBlank(c) || d.atEndOfLine() || d.atContinuation():
			return out.String(), false
		case c == '\\':
			d.backslashes(&out, isTarget)
			continue
		case c == '$' && d.byteAhead(1) == '$':
			d.pos++
		case c == ':' && isTarget && endsTargets(d.byteAhead(1), d.byteAhead(2)):
			d.pos++
			return out.String(), true
		}
		out.WriteByte(c)
		d.pos++
	}
	return out.String(), false
}

// readQuoted reads a word that is entirely in double quotes. For any other word it returns ""
// and reads nothing.
func (d *depfileReader) readQuoted(isTarget bool) string {
	if d.currentByte() != '"' {
		return ""
	}
	n := 1
	for d.byteAhead(n) != '"' {
		if d.byteAhead(n) == '\n' {
			return ""
		}
		n++
	}
	switch c := d.byteAhead(n + 1); {
	case n == 1:
		return ""
	case isBlank(c), c == '\n', c == '\r' && d.byteAhead(n+2) == '\n', c == '\\' && (d.byteAhead(n+2) == '\n' || d.byteAhead(n+2) == '\r'):
	case isTarget && c == ':' && endsTargets(d.byteAhead(n+2), d.byteAhead(n+3)):
	default:
		return ""
	}
	name := string(d.text[d.pos+1 : d.pos+n])
	d.pos += n + 1
	return name
}

// backslashes reads a run of backslashes and the character that they escape, if any. Before a
// blank, 2n+1 backslashes stand for n backslashes and the blank. Before '#' or ':', only the last
// backslash is an escape. Elsewhere backslashes are literal, as in Windows paths.
func (d *depfileReader) backslashes(out *strings.Builder, isTarget bool) {
	n := 0
	for d.byteAhead(n) == '\\' {
		n++
	}
	next := d.byteAhead(n)
	keep, escaped := n, false
	switch {
	case isBlank(next) && n%2 == 1:
		keep, escaped = n/2, true
	case next == '#', next == ':' && !(isTarget && endsTargets(d.byteAhead(n+1), d.byteAhead(n+2))):
		keep, escaped = n-1, true
	case next == '\n' || next == '\r' && d.byteAhead(n+1) == '\n':
		// The last backslash of an odd number continues the line and is not part of the name.
		n -= n % 2
		keep = n
	}
	out.WriteString(strings.Repeat(`\`, keep))
	d.pos += n
	if escaped {
		out.WriteByte(next)
		d.pos++
	}
}

// blanks skips blanks and line continuations.
func (d *depfileReader) blanks() {
	for d.pos < len(d.text) {
		switch {
		case isBlank(d.text[d.pos]):
			d.pos++
		case d.atContinuation():
			d.pos++
			d.skipEndOfLine()
		default:
			return
		}
	}
}

// byteAhead returns the byte at the given distance ahead, or a newline after the end of the
// text.
func (d *depfileReader) byteAhead(places int) byte {
	if d.pos+places < len(d.text) {
		return d.text[d.pos+places]
	}
	return '\n'
}

func (d *depfileReader) currentByte() byte { return d.byteAhead(0) }

func (d *depfileReader) atContinuation() bool {
	return d.currentByte() == '\\' && (d.byteAhead(1) == '\n' || d.byteAhead(1) == '\r' && d.byteAhead(2) == '\n')
}

func (d *depfileReader) atEndOfLine() bool {
	return d.currentByte() == '\n' || d.currentByte() == '\r' && d.byteAhead(1) == '\n'
}

// skipEndOfLine skips a line ending and reports whether there was one.
func (d *depfileReader) skipEndOfLine() bool {
	if !d.atEndOfLine() {
		return false
	}
	if d.currentByte() == '\r' {
		d.pos++
	}
	d.pos++
	d.line++
	return true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// endsTargets reports whether a colon ends the targets of a rule. Its arguments are the two bytes
// after the colon.
func endsTargets(c, next byte) bool {
	return isBlank(c) || c == '\n' || c == '\r' && next == '\n' || c == '\\' && (next == '\n' || next == '\r')
}
