// Package glob matches paths of the asset tree with patterns, for rules and for the command line.
//
//	*.png          files with matching names in any directory: a pattern without a slash
//	               matches names
//	/*.png         files with matching names in the directory itself; a leading ./ is the same
//	ui/**/*.png    files with matching names in any directory below ui
//	ui  or  ui/    all files below the directory ui (and files called ui in any directory)
//	.              all files
//	!*_old.png     excludes files that an earlier pattern chose
//
// * and ? match within one element of a path. An element ** matches any number of directories.
// [a-z] is a class. {a,b} are alternatives, which are expanded first, as in a shell. A backslash
// escapes a special character. A pattern with brackets or braces also matches the path that is
// spelled exactly like the pattern. Patterns are case-sensitive.
package glob

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A List is an ordered list of patterns: the last pattern that matches a path applies. The zero
// value is empty and matches nothing. Matching does not allocate.
type List struct {
	patterns []pattern
	begun    bool // set once Add was called, even if it failed
}

// Add compiles a pattern and appends it.
func (l *List) Add(text string) error {
	begun := l.begun
	l.begun = true
	rest, exclude := strings.CutPrefix(text, "!")
	patterns, err := parseGlob(rest)
	if err == nil && exclude && !begun {
		err = errors.New("the pattern excludes files, but no pattern before it includes files; put such a pattern first")
	}
	if err != nil {
		return fmt.Errorf("pattern %s: %w", quoteGlob(text), err)
	}
	for i := range patterns {
		patterns[i].exclude = exclude
	}
	l.patterns = append(l.patterns, patterns...)
	return nil
}

// Escape escapes the special characters in a path. After a slash, the result is a pattern that
// matches only this path.
func Escape(path string) string { return marks.Replace(path) }

var marks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

// EscapeWord escapes a path that was given on the command line. On Windows, backslashes in the path
// are separators.
func EscapeWord(path string) string {
	if filepath.Separator == '\\' {
		return wordMarks.Replace(path)
	}
	return Escape(path)
}

var wordMarks = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", "{", "[{]", "}", "[}]")

// Prefix returns the common prefix of all paths that the list can select.
func (l *List) Prefix() string {
	common, begun := "", false
	for i := range l.patterns {
		p := &l.patterns[i]
		if p.exclude {
			continue
		}
		start := p.startOfMatch()
		if !begun {
			common, begun = start, true
		}
		for !strings.HasPrefix(start, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

// Len returns the number of patterns, with alternatives expanded.
func (l *List) Len() int { return len(l.patterns) }

// Match reports whether the list selects a path. The path is relative to the patterns'
// directory, and name is its last element.
func (l *List) Match(path, name string) bool {
	matched := false
	for i := range l.patterns {
		if p := &l.patterns[i]; p.exclude == matched && p.matchFrom(path, name) {
			matched = !matched
		}
	}
	return matched
}

// quoteGlob shortens text from a hostile file before it is printed.
func quoteGlob(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}
