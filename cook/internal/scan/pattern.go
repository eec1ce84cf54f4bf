package scan

import (
	"bytes"
	"strings"
)

// pattern is one compiled line of a .cookignore.
type pattern struct {
	negate     bool // includes files again
	folderOnly bool
	byName     bool // pattern without a slash, which matches the last element
	builtIn    bool // pattern of Defaults
	secret     bool // pattern of Defaults for files with private keys or passwords
	// fits reports whether the pattern applies to a file that begins with head. If head is nil, it
	// reports whether it applies to any file.
	fits  func(head []byte) bool
	shape shape
	line  int    // line number in the file, from 1
	text  string // literal part; its meaning depends on shape
	glob  []step // compiled part after text, for shapeGlob
	least int    // minimum number of bytes that glob matches
}

// shape selects the way in which a pattern is matched. Nearly all real patterns have one of the first two shapes,
// which take one comparison.
type shape uint8

const (
	shapeExact  shape = iota // text is the whole pattern
	shapeSuffix              // text is the end: "*.png"
	shapeGlob                // text is the start of the pattern, glob the rest
)

// compileIgnore compiles one line without its line end. ok is false if the pattern can never
// match.
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

// literalPrefix returns the length of s before its first special byte.
func literalPrefix(s string) int {
	if i := strings.IndexAny(s, `*?[\`); i >= 0 {
		return i
	}
	return len(s)
}

// matchPattern matches a path relative to the pattern's directory, or its last element if the
// pattern is byName.
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
	char byte     // the character of opByte
	set  *byteSet // the set of opSet
}

type op uint8

const (
	opByte    op = iota // the given byte
	opAny               // any byte but '/'
	opSet               // any byte of the set but '/'
	opStar              // any bytes but '/'
	opDeep              // any bytes, including '/'
	opFolders           // nothing, or any bytes followed by '/'
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
// After a mismatch it goes back to the last star only, which then matches one more byte. If a slash
// or the end prevents that, it goes back to the last double star. Going back further cannot help:
// the later star can match the same bytes as an earlier one. A slash permanently ends the stars of
// its element, because only opByte and double stars match a slash. The time is therefore at most
// len(glob) * len(s) for each possible end of a double star, for every pattern.
func matchGlob(glob []step, s []byte) bool {
	var (
		g, i    int
		star    = -1 // number of the step after the last star; -1 for none
		starEnd int  // end of the text that the star matches
		deep    = -1 // number of the step after the last double star; -1 for none
		deepEnd int
		folders bool // set if the double star is opFolders
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
