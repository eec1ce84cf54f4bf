package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// sentence explains a syntax error in plain words, for users who do not know the TOML
// specification. said is the library's message; column counts from 1.
func sentence(line string, column int, said string) string {
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

// withoutEquals explains an error between a key and its value, where "=" is missing.
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
	return fmt.Sprintf(`want "=" behind %q`, clip(strings.TrimSpace(before)))
}

// afterValue explains an error behind a value.
func afterValue(rest string) string {
	switch {
	case strings.HasPrefix(rest, ","), strings.HasPrefix(rest, ";"):
		return fmt.Sprintf("remove the %q: each line is one key and its value", rest[:1])
	case strings.HasPrefix(rest, `"`), strings.HasPrefix(rest, "'"):
		return `nothing may follow a value; several values are a list: ["a", "b"]`
	}
	return "nothing may follow a value"
}

// wrongValue explains why TOML does not accept a value.
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
	return fmt.Sprintf("text needs quotes: %q", clip(word))
}

// excerpt returns a line of the file, shortened for display, and the position of the error in it.
func (d *document) excerpt(line, column int) (text string, at int) {
	const most = 100 // bytes
	whole := strings.ToValidUTF8(strings.TrimRight(d.line(line), "\r"), "?")
	column = min(column, len(whole)+1)
	from := 0
	if column > most/2 && len(whole) > most {
		from = column - most/2
	}
	for from > 0 && from < len(whole) && !utf8.RuneStart(whole[from]) {
		from--
	}
	text = clip(whole[min(from, len(whole)):])
	at = utf8.RuneCountInString(whole[min(from, len(whole)):max(min(from, len(whole)), column-1)])
	return strings.ReplaceAll(text, "\t", " "), at
}
