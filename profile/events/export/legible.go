package export

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// legible returns a name as every viewer can show it: valid UTF-8 in which what is
// not printable is escaped as in a Go string.
func legible(name string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.ValidString(name) && strings.IndexFunc(name, hidden) < 0 {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if broken := r == utf8.RuneError && size == 1; broken || hidden(r) {
			quoted := strconv.Quote(name[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}
