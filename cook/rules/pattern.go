package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A pattern is one glob without alternatives, judged and sorted into the
// cheapest way to match it. Matching allocates nothing and takes any bytes.
type pattern struct {
	kind     kind
	takeAway bool   // written with a leading "!"
	inName   bool   // sees the file name, not the path
	text     string // the whole glob
	prefix   string // whatever matches starts with this,
	suffix   string // ends in this
}

type kind uint8

const (
	glob     kind = iota
	anything      // **
	literal       // no marks: text
	ending        // *.ext in any folder: suffix
	below         // dir/**: prefix "dir/"
	belowEnd      // dir/**/*.ext: prefix "dir/", suffix
)

const (
	maxPattern      = 1024   // bytes
	maxBraces       = 50     // in one pattern: spelling out takes time for each
	maxAlternatives = 1000   // of one pattern
	maxPatterns     = 50_000 // of all files, alternatives spelled out
)

// parsePattern reads a pattern as written and spells out its alternatives.
func parsePattern(text string) ([]pattern, error) {
	fail := func(format string, args ...any) ([]pattern, error) {
		return nil, fmt.Errorf("pattern %q: %w", clip(text), fmt.Errorf(format, args...))
	}
	if len(text) > maxPattern {
		return fail("longer than %d bytes", maxPattern)
	}
	rest, takeAway := strings.CutPrefix(text, "!")
	rest, tied := strings.CutPrefix(rest, "/")
	inName := !tied && !strings.Contains(rest, "/")
	if rest == "" {
		return fail("empty")
	}
	if !doublestar.ValidatePattern(rest) {
		return fail("unfinished [class], {alternatives} or backslash")
	}
	if i := escapedLetter(rest); i >= 0 {
		return fail(`a backslash only takes the meaning from a mark; folders are separated by "/"`)
	}
	if strings.Count(rest, "{") > maxBraces {
		return fail("more than %d braces", maxBraces)
	}
	globs, ok := alternatives(rest)
	if !ok {
		return fail("more than %d alternatives", maxAlternatives)
	}
	list := make([]pattern, len(globs))
	for i, g := range globs {
		if err := checkElements(g); err != nil {
			return fail("%w", err)
		}
		list[i] = newPattern(g, inName)
		list[i].takeAway = takeAway
	}
	return list, nil
}

// escapedLetter finds a backslash that escapes what needs no escape: nearly
// always a Windows path.
func escapedLetter(glob string) int {
	for i := 0; i+1 < len(glob); i++ {
		if glob[i] != '\\' {
			continue
		}
		if c := glob[i+1]; c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80 {
			return i
		}
		i++
	}
	return -1
}

// checkElements refuses what no clean path could match.
func checkElements(glob string) error {
	if strings.HasSuffix(glob, "/") {
		return fmt.Errorf("only folders end in a slash; write \"%s**\" for what is in it", clip(glob))
	}
	for element := range strings.SplitSeq(glob, "/") {
		switch element {
		case "":
			return errors.New("has an empty element, which no path has")
		case ".", "..":
			return fmt.Errorf("has an element %q, which no path has", element)
		}
	}
	return nil
}

func newPattern(glob string, inName bool) pattern {
	const marks = `*?[]{}\`
	// A name below any folders is just a name.
	if rest, ok := strings.CutPrefix(glob, "**/"); ok && !inName && !strings.Contains(rest, "/") {
		glob, inName = rest, true
	}
	p := pattern{text: glob, inName: inName}
	if i := strings.IndexAny(glob, marks); i >= 0 {
		// Slashes beside ** may match nothing, so they prove nothing.
		p.prefix = strings.TrimSuffix(glob[:i], "/")
		p.suffix = strings.TrimPrefix(glob[strings.LastIndexAny(glob, marks)+1:], "/")
	} else {
		p.kind = literal
		return p
	}
	switch {
	case glob == "**" || inName && glob == "*":
		p.kind = anything
	case inName && glob == "*"+p.suffix:
		p.kind = ending
	case p.prefix != "" && glob == p.prefix+"/**":
		p.kind = below
	case p.prefix != "" && glob == p.prefix+"/**/*"+p.suffix:
		p.kind, p.prefix = belowEnd, p.prefix+"/"
	}
	return p
}

// match compares with a path relative to the pattern's folder, and with its
// last element.
func (p *pattern) match(path, name string) bool {
	if p.inName {
		path = name
	}
	switch p.kind {
	case anything:
		return true
	case literal:
		return path == p.text
	case ending:
		return strings.HasSuffix(path, p.suffix)
	case below:
		// Like the library, dir/** matches a file called dir as well.
		rest, ok := strings.CutPrefix(path, p.prefix)
		return ok && (rest == "" || rest[0] == '/')
	case belowEnd:
		rest, ok := strings.CutPrefix(path, p.prefix)
		return ok && strings.HasSuffix(rest, p.suffix)
	}
	return len(path) >= len(p.prefix) && len(path) >= len(p.suffix) &&
		path[:len(p.prefix)] == p.prefix && path[len(path)-len(p.suffix):] == p.suffix &&
		doublestar.MatchUnvalidated(p.text, path)
}

// matchAll reads a list in order: the last pattern that matches decides.
func matchAll(list []pattern, path, name string) bool {
	matched := false
	for i := range list {
		if p := &list[i]; p.takeAway == matched && p.match(path, name) {
			matched = !matched
		}
	}
	return matched
}

// alternatives spells out the braces of a valid glob: a{b,c} gives ab and ac.
// Done once here, it need not be done for every path. It is not ok if there are
// too many.
func alternatives(glob string) (list []string, ok bool) {
	open := indexMark(glob, "{")
	if open < 0 {
		return []string{glob}, true
	}
	head, rest := glob[:open], glob[open+1:]
	var branches []string
	for depth, start, i := 1, 0, 0; depth > 0; i++ {
		next := indexMark(rest[i:], "{,}")
		if next < 0 {
			return nil, false // not valid after all
		}
		i += next
		switch {
		case rest[i] == '{':
			depth++
		case rest[i] == '}':
			depth--
		}
		if depth == 0 || depth == 1 && rest[i] == ',' {
			branches = append(branches, rest[start:i])
			start = i + 1
		}
		if depth == 0 {
			rest = rest[start:]
		}
	}
	for _, b := range branches {
		more, ok := alternatives(head + b + rest)
		if list = append(list, more...); !ok || len(list) > maxAlternatives {
			return nil, false
		}
	}
	return list, true
}

// indexMark finds the first of the marks that is neither escaped nor in a
// class, or -1.
func indexMark(glob, marks string) int {
	inClass := false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case strings.IndexByte(marks, c) >= 0:
			return i
		}
	}
	return -1
}
