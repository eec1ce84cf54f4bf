package glob

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A pattern is one glob without alternatives, together with the fastest way to match it. Matching
// does not allocate and accepts any bytes.
type pattern struct {
	kind    kind
	exclude bool // set if the pattern begins with "!"
	inName  bool // set if the pattern matches only the last element of a path
	text    string
	prefix  string // text that every match starts with
	suffix  string // text that every match ends with
}

type kind uint8

const (
	glob     kind = iota
	anything      // the pattern **
	literal       // a pattern without special characters
	ending        // a pattern such as *.ext; suffix is ".ext"
	below         // a pattern such as dir/**; prefix is "dir/"
	belowEnd      // a pattern such as dir/**/*.ext, with a prefix and a suffix
)

// These are limits for one pattern, far above real use.
const (
	maxLength       = 1024 // limit in bytes
	maxBraces       = 50   // maximum number of braces, since each takes time to expand
	maxAlternatives = 1000
)

// parseGlob parses a pattern without its "!" and expands its alternatives.
func parseGlob(text string) ([]pattern, error) {
	rest, tied := strings.CutPrefix(text, "/")
	if !tied {
		rest, tied = strings.CutPrefix(text, "./")
	}
	switch {
	case text == "." || text == "./":
		return []pattern{{kind: anything}}, nil
	case len(text) > maxLength:
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxLength)
	case rest == "":
		return nil, errors.New("empty")
	case !doublestar.ValidatePattern(rest):
		return nil, errors.New("a [class] or {alternatives} is not closed, or the pattern ends in a backslash")
	case escapedLetter(rest) >= 0:
		return nil, errors.New(`a backslash can only escape a special character; write "/" between directories`)
	case strings.Count(rest, "{") > maxBraces:
		return nil, fmt.Errorf("the pattern has more than %d braces", maxBraces)
	}
	globs, ok := alternatives(rest)
	if !ok {
		return nil, fmt.Errorf("the pattern has more than %d alternatives", maxAlternatives)
	}
	inName := !tied && !strings.Contains(rest, "/")
	list := make([]pattern, len(globs))
	for i, g := range globs {
		if strings.HasSuffix(g, "/") {
			g += "**"
		}
		if err := checkElements(g); err != nil {
			return nil, err
		}
		list[i] = newPattern(g, inName)
	}
	if strings.ContainsAny(rest, "[{") && !strings.Contains(rest, `\`) {
		list = append(list, newLiteral(strings.TrimSuffix(rest, "/"), inName))
	}
	return list, nil
}

// escapedLetter finds a backslash before a character that needs no escape: nearly always in a
// Windows path.
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

// checkElements rejects elements that no clean path has.
func checkElements(glob string) error {
	for element := range strings.SplitSeq(glob, "/") {
		switch element {
		case "":
			return errors.New("the pattern has an empty element; remove a slash")
		case ".", "..":
			return fmt.Errorf("the pattern has the element %q, which occurs in no path; remove it", element)
		}
	}
	return nil
}

func newPattern(glob string, inName bool) pattern {
	const marks = `*?[]{}\`
	// The pattern "**/name" means the same as the name alone.
	rest, anywhere := strings.CutPrefix(glob, "**/")
	if anywhere = anywhere && !strings.Contains(rest, "/"); anywhere {
		glob, inName = rest, true
	}
	p := pattern{text: glob, inName: inName}
	i := strings.IndexAny(glob, marks)
	if i < 0 {
		p = newLiteral(glob, inName)
		if anywhere {
			p.prefix = ""
		}
		return p
	}
	// Slashes beside ** may match nothing, so they are not part of prefix and suffix.
	p.prefix = strings.TrimSuffix(glob[:i], "/")
	p.suffix = strings.TrimPrefix(glob[strings.LastIndexAny(glob, marks)+1:], "/")
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

// newLiteral returns a pattern for a name, or for all files below a directory.
func newLiteral(text string, inName bool) pattern {
	return pattern{kind: literal, inName: inName, text: text, prefix: text + "/"}
}

// matchFrom matches a path, relative to the pattern's directory, and the path's last element.
func (p *pattern) matchFrom(path, name string) bool {
	whole := path
	if p.inName {
		path = name
	}
	switch p.kind {
	case anything:
		return true
	case literal:
		return path == p.text || p.prefix != "" && strings.HasPrefix(whole, p.prefix)
	case ending:
		return strings.HasSuffix(path, p.suffix)
	case below:
		// As in the doublestar library, dir/** also matches a file called dir.
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

// startOfMatch returns the common prefix of all matching paths.
func (p *pattern) startOfMatch() string {
	switch {
	case p.inName:
		return ""
	case p.kind == literal:
		return p.text
	}
	return p.prefix
}

// alternatives expands the braces of a valid glob: a{b,c} gives ab and ac. ok is false if there
// are too many alternatives.
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
			return nil, false // unbalanced braces
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

// indexMark returns the index of the first of the given special characters that is neither
// escaped nor in a class, or -1.
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
