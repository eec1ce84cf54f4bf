// Package pathname prints names, and texts with names in them, that may hold
// any bytes.
package pathname

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many bytes of a name are shown. What is longer keeps its beginning
// and its end: a path of hundreds of folders would bury the message it is in.
const longest = 240

// Show returns a name as it is if a terminal shows it faithfully on one line,
// otherwise quoted as a Go string: control characters, bidirectional overrides
// and broken UTF-8 become escapes. The middle of a name of more than 240 bytes is
// left out, and how many bytes it has is said.
func Show(name string) string {
	if len(name) > longest {
		head, tail := name[:longest/2], name[len(name)-longest/2:]
		for range utf8.UTFMax - 1 { // cut between letters
			if !utf8.RuneStart(name[len(head)]) {
				head = head[:len(head)-1]
			}
			if !utf8.RuneStart(tail[0]) {
				tail = tail[1:]
			}
		}
		return fmt.Sprintf("%s…%s (%d bytes)", Show(head), Show(tail), len(name))
	}
	quoted := strconv.Quote(name)
	if quoted[1:len(quoted)-1] == name {
		return name
	}
	plain := name
	if filepath.Separator == '\\' {
		plain = strings.ReplaceAll(name, `\`, `\\`)
	}
	if plain = strings.ReplaceAll(plain, `"`, `\"`); quoted[1:len(quoted)-1] == plain {
		return name // only quotation marks, and separators of Windows, were escaped
	}
	return quoted
}

// Escape returns text of which a terminal obeys nothing: what does not print,
// tabs and line ends aside, becomes an escape.
func Escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
