package rules

import (
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// An Edit corrects a line of a file: it replaces Old by New at a position, counted in bytes from
// 1. Old may be "".
type Edit struct {
	Line, Column int
	Old, New     string
}

// Fix returns the edit that removes the error; ok is false if the correction is uncertain.
func (e *Error) Fix() (Edit, bool) {
	if e.fix == nil {
		return Edit{}, false
	}
	return *e.fix, true
}

// meant adds a fix to an error if old is certainly a misspelling of one of the words: replace
// old, with or without quotes, by that word.
func (e *Error) meant(old string, words []string) *Error {
	if w := nearest.Certain(old, words); w != "" {
		e.means(old, w)
	}
	return e
}

// misspelt adds a fix for a misspelt recipe, key or value. A word of another recipe is in the
// wrong place, not misspelt, so it gets no fix.
func (s *Set) misspelt(e *Error, old string, words []string) {
	if !s.isWord(old) {
		e.meant(old, words)
	}
}

// isWord reports whether a text is a recipe, an option, or a word of an option's values.
func (s *Set) isWord(text string) bool {
	for _, name := range s.recipes.Names() {
		if name == text {
			return true
		}
		for _, o := range recipeset.Options(s.fresh(name)) {
			if o.Key == text || slices.Contains(quotedIn(o.Want), text) {
				return true
			}
		}
	}
	return false
}

// means sets the fix of an error: replace old at its position, with or without quotes, by new.
func (e *Error) means(old, new string) *Error {
	at := min(e.Column-1, len(e.text))
	for _, quote := range []string{"", `"`, "'"} {
		rest, ok := strings.CutPrefix(e.text[at:], quote+old+quote)
		if ok && (quote != "" || rest == "" || strings.IndexByte(" \t=.]", rest[0]) >= 0) {
			e.fix = &Edit{e.Line, e.Column + len(quote), old, new}
			return e
		}
	}
	return e
}

// replaced sets the fix of an error: replace old at a column by new.
func (e *Error) replaced(column int, old, new string) *Error {
	if at := min(column-1, len(e.text)); old != new && strings.HasPrefix(e.text[at:], old) {
		e.fix = &Edit{e.Line, column, old, new}
	}
	return e
}

var (
	// plainWord matches an unquoted value that can only be a word.
	plainWord = lazyregexp.New(`^[A-Za-z_][\w./*-]*$`)
	// openString matches a quoted text that lasts to the end of the line.
	openString = lazyregexp.New(`^"[\w./*{}-]+$`)
	// leadingZeros matches the zeros before a whole number.
	leadingZeros = lazyregexp.New(`^0+[1-9]`)
)

// fixSyntax sets the fix of a syntax error, given its message.
func (e *Error) fixSyntax(sentence string) *Error {
	at := min(max(0, e.Column-1), len(e.text))
	rest := strings.TrimLeft(e.text[at:], " \t")
	column := len(e.text) - len(rest) + 1
	_, value, _ := strings.Cut(e.text, "=")
	value = strings.TrimSpace(value)
	word, after := value, ""
	if i := strings.IndexAny(value, " \t#"); i > 0 {
		word, after = value[:i], strings.TrimSpace(value[i:])
	}
	alone := after == "" || strings.HasPrefix(after, "#") || strings.HasPrefix(after, "//")
	valueColumn := strings.Index(e.text, "=") + 2 + strings.Index(e.text[strings.Index(e.text, "=")+1:], value)
	end := len(strings.TrimRight(e.text, " \t\r")) + 1
	switch {
	case strings.HasPrefix(sentence, "comments begin") && strings.HasPrefix(rest, "//"):
		return e.replaced(column, "//", "#")
	case strings.HasPrefix(sentence, "the closing quote") && openString().MatchString(value):
		return e.replaced(end, "", `"`)
	case strings.HasPrefix(sentence, `"]" is missing`) && strings.HasPrefix(value, "[") && !strings.Contains(value, "#"):
		return e.replaced(end, "", "]")
	case strings.HasPrefix(sentence, "a number cannot begin") && leadingZeros().MatchString(word):
		return e.replaced(valueColumn, word, strings.TrimLeft(word, "0"))
	case strings.HasPrefix(sentence, `want "=" between`) && strings.HasPrefix(rest, ":"):
		return e.replaced(column, ":", " =")
	case strings.HasPrefix(sentence, "remove the ") && (rest == "," || rest == ";"):
		return e.replaced(column, rest, "")
	case strings.HasPrefix(sentence, "write it in lower case"):
		return e.replaced(valueColumn, word, strings.ToLower(word))
	case strings.HasPrefix(sentence, "want true, have"):
		return e.replaced(valueColumn, word, "true")
	case strings.HasPrefix(sentence, "want false, have"):
		return e.replaced(valueColumn, word, "false")
	case strings.HasPrefix(sentence, "want straight quotes"):
		return e.replaced(valueColumn, value, strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(value))
	case strings.HasPrefix(sentence, "text needs quotes") && plainWord().MatchString(word) && alone:
		return e.replaced(valueColumn, word, `"`+word+`"`)
	}
	return e
}
