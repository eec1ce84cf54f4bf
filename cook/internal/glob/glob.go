// Package glob matches paths of the asset tree with patterns, those of rules and those of
// the command line.
//
//	*.png          files of that name in any folder: a pattern without a slash sees names
//	/*.png         those in the folder itself; a leading ./ is the same
//	ui/**/*.png    those in any folder below ui
//	ui  or  ui/    all below the folder ui (a file in any folder that is called ui as well)
//	.              all
//	!*_old.png     not those, although a pattern before chose them
//
// * and ? stay within one element of a path, ** as a whole element stands for any folders,
// [a-z] is a class, {a,b} are alternatives, which are spelled out first as a shell does,
// and a backslash takes the meaning from a mark. A path that is written just like a
// pattern with brackets or braces matches it. Patterns are case-sensitive.
package glob

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A List is patterns in order: the last one that matches a path decides. The zero value
// is empty and matches nothing. Matching allocates nothing.
type List struct {
	patterns []pattern
	begun    bool // something was added, right or wrong
}

// Add compiles a pattern and appends it.
func (l *List) Add(text string) error {
	begun := l.begun
	l.begun = true
	rest, exclude := strings.CutPrefix(text, "!")
	patterns, err := parse(rest)
	if err == nil && exclude && !begun {
		err = errors.New("excludes from nothing; put it behind what it excludes from")
	}
	if err != nil {
		return fmt.Errorf("pattern %s: %w", quote(text), err)
	}
	for i := range patterns {
		patterns[i].exclude = exclude
	}
	l.patterns = append(l.patterns, patterns...)
	return nil
}

// Escape takes the meaning from the marks in a path: behind a slash, that is a pattern which
// matches nothing else.
func Escape(path string) string { return marks.Replace(path) }

var marks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

// EscapeWord is Escape for a word of the command line, where the backslashes of Windows
// become slashes.
func EscapeWord(path string) string {
	if filepath.Separator == '\\' {
		return wordMarks.Replace(path)
	}
	return Escape(path)
}

var wordMarks = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", "{", "[{]", "}", "[}]")

// Prefix is what all paths that the list chooses start with.
func (l *List) Prefix() string {
	common, begun := "", false
	for i := range l.patterns {
		p := &l.patterns[i]
		if p.exclude {
			continue
		}
		start := p.start()
		if !begun {
			common, begun = start, true
		}
		for !strings.HasPrefix(start, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

// Len is how many patterns there are, alternatives spelled out.
func (l *List) Len() int { return len(l.patterns) }

// Match reports whether the list chooses a path, relative to the folder that the patterns
// are for, whose last element is name.
func (l *List) Match(path, name string) bool {
	matched := false
	for i := range l.patterns {
		if p := &l.patterns[i]; p.exclude == matched && p.match(path, name) {
			matched = !matched
		}
	}
	return matched
}

// quote shortens what a hostile file would make us print.
func quote(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}
