package scan

import (
	"bytes"
	"strings"
)

// pattern is a compiled line of a .cookignore.
type pattern struct {
	negate     bool // set if the pattern includes files again
	folderOnly bool
	byName     bool // set if the pattern has no slash, so that it matches the last element
	builtIn    bool // set if the pattern is from Defaults
	secret     bool // set if the pattern is for private keys or passwords
	// fits reports whether the pattern applies to a file that begins with head. If fits is nil, the
	// pattern applies to any file.
	fits  func(head []byte) bool
	shape shape
	line  int    // line number, counted from 1
	text  string // literal part of the pattern
	glob  []step // compiled part of the pattern after text; used with shapeGlob
	least int    // minimum length of the text that glob matches
}

// shape is how a pattern is matched. Nearly all real patterns have the first or second shape, and
// need one comparison.
type shape uint8

const (
	shapeExact  shape = iota // the path is equal to text
	shapeSuffix              // the path ends with text, as in "*.png"
	shapeGlob                // the path begins with text and continues with glob
)

// compileIgnore compiles a line without its line break. ok is false if the pattern never matches.
func compileIgnore(line string) (p pattern, ok bool) {
	line, p.negate = strings.CutPrefix(line, "!")
	var body string
	body, p.folderOnly = strings.CutSuffix(line, "/")
	p.byName = strings.IndexByte(body, '/') < 0
	if !p.byName && body != "" && body[0] == '/' {
		body = body[1:]
	}
	if body == "" {
		return p, false
	}
	literal := literalPrefix(body)
	switch {
	case literal == len(body):
		p.shape, p.text = shapeExact, body
	case p.byName && body[0] == '*' && literalPrefix(body[1:]) == len(body)-1:
		p.shape, p.text = shapeSuffix, body[1:]
	default:
		// Git removes the literal part first, and parses the rest as a separate pattern. So "a**/b"
		// is "a" followed by "**/b".
		p.shape, p.text = shapeGlob, body[:literal]
		if p.glob, ok = compileGlob(body[literal:]); !ok {
			return p, false
		}
		p.least = leastLen(p.glob)
	}
	return p, true
}

// literalPrefix returns the length of the literal text at the beginning of s.
func literalPrefix(s string) int {
	if i := strings.IndexAny(s, `*?[\`); i >= 0 {
		return i
	}
	return len(s)
}

// matchPattern matches a path relative to the pattern's directory. If byName is set, path must be
// the last element.
func (p *pattern) matchPattern(path []byte) bool {
	switch p.shape {
	case shapeExact:
		return string(path) == p.text
	case shapeSuffix:
		return len(path) >= len(p.text) && string(path[len(path)-len(p.text):]) == p.text
	}
	if len(path) < len(p.text)+p.least || string(path[:len(p.text)]) != p.text {
		return false
	}
	return matchGlob(p.glob, path[len(p.text):])
}

// step is one element of a compiled glob, such as a byte or a star.
type step struct {
	op   op
	char byte     // the byte for opByte
	set  *byteSet // the set for opSet
}

type op uint8

const (
	opByte    op = iota // matches the byte char
	opAny               // matches any byte except '/'
	opSet               // matches any byte in set except '/'
	opStar              // matches any number of bytes except '/'
	opDeep              // matches any number of bytes
	opFolders           // matches nothing, or any bytes followed by '/'
)

// byteSet is a set of byte values, one bit each.
type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

// leastLen returns the number of steps that match exactly one byte.
func leastLen(glob []step) int {
	n := 0
	for _, s := range glob {
		if s.op <= opSet {
			n++
		}
	}
	return n
}

// matchGlob reports whether glob matches all of s.
//
// After a mismatch it goes back to the last star, which then matches one more byte. If a slash or
// the end of s prevents that, it goes back to the last double star. Going back to earlier stars
// cannot help, because the last star can match the same bytes. No star matches a slash, so stars
// before a matched slash are not tried again. The time is therefore at most len(glob) * len(s) for
// each possible end of a double star.
func matchGlob(glob []step, s []byte) bool {
	var (
		g, i    int
		star    = -1 // index of the step after the last star, or -1
		starEnd int  // end of the text that this star matches
		deep    = -1 // index of the step after the last double star, or -1
		deepEnd int
		folders bool // set if this double star is opFolders
	)
	for {
		if g == len(glob) {
			if i == len(s) {
				return true
			}
		} else {
			switch st := &glob[g]; st.op {
			case opStar:
				g++
				star, starEnd = g, i
				continue
			case opDeep, opFolders:
				g++
				if st.op == opDeep && g == len(glob) {
					return true
				}
				star, deep, deepEnd, folders = -1, g, i, st.op == opFolders
				continue
			default:
				if i < len(s) && st.takes(s[i]) {
					if s[i] == '/' {
						star = -1
					}
					g++
					i++
					continue
				}
			}
		}
		switch {
		case star >= 0 && starEnd < len(s) && s[starEnd] != '/':
			starEnd++
			g, i = star, starEnd
		case deep >= 0:
			star = -1
			skip := 1
			if folders {
				skip = bytes.IndexByte(s[deepEnd:], '/') + 1
			}
			if skip == 0 || deepEnd+skip > len(s) {
				return false
			}
			deepEnd += skip
			g, i = deep, deepEnd
		default:
			return false
		}
	}
}

func (s *step) takes(b byte) bool {
	switch s.op {
	case opByte:
		return b == s.char
	case opAny:
		return b != '/'
	}
	return b != '/' && s.set.has(b)
}
