package scan

import (
	"bytes"
	"strings"
)

// pattern is one compiled line of a .cookignore.
type pattern struct {
	negate     bool // includes again
	folderOnly bool
	byName     bool // without a slash: matches the last element
	builtIn    bool // from Defaults
	secret     bool // from Defaults, for files with private keys or passwords
	shape      shape
	line       int    // in its file, from 1
	text       string // literal part; its meaning depends on shape
	glob       []step // the rest behind text, for shapeGlob
	least      int    // least number of bytes that glob matches
}

// shape selects the way in which a pattern is matched. Nearly all real patterns have one of the first two shapes,
// which take one comparison.
type shape uint8

const (
	shapeExact  shape = iota // text is the whole
	shapeSuffix              // text is the end: "*.png"
	shapeGlob                // text is the beginning, glob the rest
)

// compileIgnore compiles one line without its line end. ok is false if nothing can ever match.
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
		// git removes the literal part first and parses the rest as a separate pattern, so
		// "a**/b" is "a" and then "**/b".
		p.shape, p.text = shapeGlob, body[:literal]
		if p.glob, ok = compileGlob(body[literal:]); !ok {
			return p, false
		}
		p.least = leastLen(p.glob)
	}
	return p, true
}

// literalPrefix returns the length of s up to its first special byte.
func literalPrefix(s string) int {
	if i := strings.IndexAny(s, `*?[\`); i >= 0 {
		return i
	}
	return len(s)
}

// matchPattern matches a path relative to the pattern's directory, or its last element for a pattern
// that is byName.
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

// step is one element of a compiled glob.
type step struct {
	op   op
	char byte     // for opByte
	set  *byteSet // for opSet
}

type op uint8

const (
	opByte    op = iota // this byte
	opAny               // any byte but '/'
	opSet               // a byte of the set but '/'
	opStar              // any run without '/'
	opDeep              // any run
	opFolders           // nothing, or any run that ends in '/'
)

// byteSet is a set of byte values, one bit each.
type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

// leastLen counts the steps that match exactly one byte.
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
// After a mismatch it goes back to the last star only, which then matches one more byte; if a
// slash or the end prevents that, it goes back to the last double star. Going back further cannot
// help: the later star can match the same bytes as an earlier one. A slash ends the stars of its
// element for good, because only opByte and double stars match a slash. So the time is at most
// len(glob) * len(s) for each possible end of a double star, for every pattern.
func matchGlob(glob []step, s []byte) bool {
	var (
		g, i    int
		star    = -1 // step after the last star; -1 = none to go back to
		starEnd int  // end of the text that the star matches
		deep    = -1 // the same for the last double star
		deepEnd int
		folders bool // the double star is opFolders
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
