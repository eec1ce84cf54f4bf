package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Error is one error in the configuration.
type Error struct {
	File   string // as in File.Name; "" if no file is at fault
	Line   int    // from 1
	Column int    // in bytes, from 1
	Msg    string

	excerpt string // the displayed line; "" if unknown
	caret   int    // characters before the place
	text    string // the whole line
	fix     *Edit
}

// Place returns the position of the error; file is "" if no file is at fault.
func (e *Error) Place() (file string, line, column int) { return e.File, e.Line, e.Column }

// Message returns the error without its position, in one line.
func (e *Error) Message() string {
	return strings.ReplaceAll(pathname.Escape(e.Msg), "\n", `\n`)
}

// Excerpt returns the line of the file and, in a second line, a mark below the place; "" if it is
// unknown. Both lines begin with spaces.
func (e *Error) Excerpt() string {
	if e.excerpt == "" {
		return ""
	}
	number := fmt.Sprintf("%5d", e.Line)
	return fmt.Sprintf("%s | %s\n%s | %s^", number, pathname.Escape(e.excerpt), strings.Repeat(" ", len(number)), strings.Repeat(" ", e.caret))
}

// Error returns one line, for any name and contents of the file.
func (e *Error) Error() string {
	if e.File == "" {
		return e.Message()
	}
	return fmt.Sprintf("%s:%d:%d: %s", pathname.Show(e.File), e.Line, e.Column, e.Message())
}

// Errors are all errors of a configuration, sorted by file and position. They print one per line.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find an *Error.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, one := range e {
		list[i] = one
	}
	return list
}

func (e Errors) sort() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// instead returns the end of a message about an unknown word: the likely intended word, or else
// all known words.
func instead(word string, words []string) string {
	if w := nearest.Word(word, words); w != "" {
		return fmt.Sprintf("; did you mean %q?", w)
	}
	if len(words) == 0 {
		return "; none is declared"
	}
	return "; have " + strings.Join(words, ", ")
}

// clip shortens text from a hostile file before it is printed.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
