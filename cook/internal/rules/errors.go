package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Error is one error in the configuration.
type Error struct {
	File   string // a File.Name; "" if no file is at fault
	Line   int    // line number, counted from 1
	Column int    // position in bytes, counted from 1
	Msg    string

	excerpt string // the line as it is shown; "" if unknown
	caret   int    // number of characters before the error
	text    string
	fix     *Edit
}

// Place returns the position of the error; file is "" if the error is not in a file.
func (e *Error) Place() (file string, line, column int) { return e.File, e.Line, e.Column }

// Message returns the error without its position, in one line.
func (e *Error) Message() string {
	return strings.ReplaceAll(pathname.Escape(e.Msg), "\n", `\n`)
}

// Excerpt returns the line of the file, and below it a mark at the position. It returns "" if the
// line is unknown. Both lines begin with spaces.
func (e *Error) Excerpt() string {
	if e.excerpt == "" {
		return ""
	}
	number := fmt.Sprintf("%5d", e.Line)
	return fmt.Sprintf("%s | %s\n%s | %s^", number, pathname.Escape(e.excerpt), strings.Repeat(" ", len(number)), strings.Repeat(" ", e.caret))
}

// Error returns the error in one line, even if the file's name or contents have line breaks.
func (e *Error) Error() string {
	if e.File == "" {
		return e.Message()
	}
	return fmt.Sprintf("%s:%d:%d: %s", pathname.Show(e.File), e.Line, e.Column, e.Message())
}

// Errors holds all errors of a configuration, sorted by file and position. They print one per
// line.
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

func (e Errors) sortByPlace() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// instead returns the end of a message about an unknown word. It suggests the most similar known
// word. If no word is similar, it lists all known words.
func instead(word string, words []string) string {
	if w := nearest.Word(word, words); w != "" {
		return fmt.Sprintf("; did you mean %q?", w)
	}
	if len(words) == 0 {
		return "; none is declared"
	}
	return "; have " + strings.Join(words, ", ")
}

// clipText shortens text from a file before it is printed.
func clipText(s string) string {
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

// An Edit is a correction: it replaces Old with New in a line of a file. The position is in bytes,
// from 1. Old may be "".
type Edit struct {
	Line, Column int
	Old, New     string
}

// Fix returns the edit that removes the error. ok is false if no correction is certain.
func (e *Error) Fix() (Edit, bool) {
	if e.fix == nil {
		return Edit{}, false
	}
	return *e.fix, true
}

// fixMisspelling adds a fix if old is certainly a misspelling of one of the words. The fix replaces
// old, with or without quotes.
func (e *Error) fixMisspelling(old string, words []string) *Error {
	if w := nearest.Certain(old, words); w != "" {
		e.means(old, w)
	}
	return e
}

// means sets e.fix, which replaces old by new at the position of the error. Quotes around old are
// kept.
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

// fixAt sets the fix of an error. The fix replaces old with new at the given column.
func (e *Error) fixAt(column int, old, new string) *Error {
	if at := min(column-1, len(e.text)); old != new && strings.HasPrefix(e.text[at:], old) {
		e.fix = &Edit{e.Line, column, old, new}
	}
	return e
}

var (
	// plainWord matches an unquoted value that was probably meant as a string.
	plainWord = lazyregexp.New(`^[A-Za-z_][\w./*-]*$`)
	// openString matches a string without its closing quote.
	openString = lazyregexp.New(`^"[\w./*{}-]+$`)
	// leadingZeros matches the zeros before a whole number.
	leadingZeros = lazyregexp.New(`^0+[1-9]`)
)

// fixSyntax sets the fix of a syntax error, depending on its message.
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
		return e.fixAt(column, "//", "#")
	case strings.HasPrefix(sentence, "the closing quote") && openString().MatchString(value):
		return e.fixAt(end, "", `"`)
	case strings.HasPrefix(sentence, `"]" is missing`) && strings.HasPrefix(value, "[") && !strings.Contains(value, "#"):
		return e.fixAt(end, "", "]")
	case strings.HasPrefix(sentence, "a number cannot begin") && leadingZeros().MatchString(word):
		return e.fixAt(valueColumn, word, strings.TrimLeft(word, "0"))
	case strings.HasPrefix(sentence, `want "=" between`) && strings.HasPrefix(rest, ":"):
		return e.fixAt(column, ":", " =")
	case strings.HasPrefix(sentence, "remove the ") && (rest == "," || rest == ";"):
		return e.fixAt(column, rest, "")
	case strings.HasPrefix(sentence, "write it in lower case"):
		return e.fixAt(valueColumn, word, strings.ToLower(word))
	case strings.HasPrefix(sentence, "want true, have"):
		return e.fixAt(valueColumn, word, "true")
	case strings.HasPrefix(sentence, "want false, have"):
		return e.fixAt(valueColumn, word, "false")
	case strings.HasPrefix(sentence, "want straight quotes"):
		return e.fixAt(valueColumn, value, strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(value))
	case strings.HasPrefix(sentence, "text needs quotes") && plainWord().MatchString(word) && alone:
		return e.fixAt(valueColumn, word, `"`+word+`"`)
	}
	return e
}

// explainSyntax explains a syntax error to users who do not know TOML. said is the message of the
// library. Columns count from 1.
func explainSyntax(line string, column int, said string) string {
	at := min(max(0, column-1), len(line))
	before, rest := line[:at], strings.TrimLeft(line[at:], " \t")
	switch {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		return "comments begin with #"
	case strings.Contains(said, "cannot have new lines"):
		return "the closing quote is missing"
	case strings.Contains(said, "array is incomplete"), strings.Contains(said, "after array value"):
		return `"]" is missing at the end of the list`
	case strings.Contains(said, "leading zeroes"):
		return "a number cannot begin with 0"
	case strings.Contains(said, "invalid escape"):
		return `a "\" in double quotes begins an escape; write paths with "/", or put the text into single quotes`
	case strings.Contains(said, "expected '=' after key"):
		return withoutEquals(before, rest)
	case strings.Contains(said, "invalid character at start of key") && strings.HasPrefix(rest, "="):
		return "the key is missing"
	case strings.Contains(said, "expected newline"):
		return afterValue(rest)
	case strings.Contains(said, "at start of value"), strings.Contains(said, "must be quoted"), strings.Contains(said, "expected digit"):
		if _, value, found := strings.Cut(line, "="); found {
			return wrongValue(strings.TrimSpace(value), said)
		}
	}
	return said
}

// withoutEquals explains a missing "=" between a key and its value.
func withoutEquals(before, rest string) string {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case strings.HasPrefix(rest, ":"):
		return `want "=" between key and value, have ":"`
	case r >= utf8.RuneSelf && rest != "":
		return "a key of other letters than a-z, A-Z, 0-9, - and _ needs quotes"
	case strings.Contains(rest, "="):
		return `a key cannot have a space; words of options are joined by "_"`
	}
	return fmt.Sprintf(`want "=" behind %q`, clipText(strings.TrimSpace(before)))
}

// afterValue explains an error after a value.
func afterValue(rest string) string {
	switch {
	case strings.HasPrefix(rest, ","), strings.HasPrefix(rest, ";"):
		return fmt.Sprintf("remove the %q: each line is one key and its value", rest[:1])
	case strings.HasPrefix(rest, `"`), strings.HasPrefix(rest, "'"):
		return `remove the text after the value; several values are a list: ["a", "b"]`
	}
	return "remove the text after the value"
}

// wrongValue explains why a value is not valid TOML.
func wrongValue(value, said string) string {
	if value == "" || value == "+" || value == "-" {
		return "the value is missing"
	}
	word := value
	if end := strings.IndexAny(word, " \t#,]}"); end > 0 {
		word = word[:end]
	}
	switch lower := strings.ToLower(word); {
	case lower == "true" || lower == "false":
		return fmt.Sprintf("write it in lower case: %s", lower)
	case lower == "yes" || lower == "on":
		return fmt.Sprintf("want true, have %s", word)
	case lower == "no" || lower == "off":
		return fmt.Sprintf("want false, have %s", word)
	case strings.ContainsAny(word, "“”‘’„«»"):
		return `want straight quotes: "..."`
	case strings.ContainsAny(word[:1], "[{"):
		return said
	}
	return fmt.Sprintf("text needs quotes: %q", clipText(word))
}

// excerptOfLine returns a line of the file, shortened for display, and the position of the error in
// the shortened line.
func (d *document) excerptOfLine(line, column int) (text string, at int) {
	const most = 100 // maximum length in bytes
	whole := strings.ToValidUTF8(strings.TrimRight(d.lineText(line), "\r"), "?")
	column = min(column, len(whole)+1)
	from := 0
	if column > most/2 && len(whole) > most {
		from = column - most/2
	}
	for from > 0 && from < len(whole) && !utf8.RuneStart(whole[from]) {
		from--
	}
	text = clipText(whole[min(from, len(whole)):])
	at = utf8.RuneCountInString(whole[min(from, len(whole)):max(min(from, len(whole)), column-1)])
	return strings.ReplaceAll(text, "\t", " "), at
}
