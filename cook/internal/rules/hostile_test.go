package rules

import (
	"strings"
	"testing"
	"unicode"
)

// What a file and its name hold does not show in messages but as escapes, and
// each problem stays one line.
func TestHostileTextInErrors(t *testing.T) {
	const odd = "\x1b[2J\u202e\r\nfake:1:1: "
	name := odd + "/cook.toml"
	for _, text := range []string{
		"[[rule]]\nmatch = \"" + `\u001b[2J\u202e\r\nfake` + "[\"\n",
		"\"" + `\u001b[2J\r\nfake` + "\" = 1\n",
		"[[rule]]\nmatch = '*'\nrecipe = \"" + `\u001b[2J\nfake` + "\"\n",
		"[[rule]]\nmatch = '*'\noutput = \"" + `\u202e\nfake` + "\"\n",
		"[target.\"" + `\u001b\n` + "\".image]\nquality = 1\n",
		"a = 1\n\"" + `\u001b\nfake` + "\" = 1\n\"" + `\u001b\nfake` + "\" = 2\n",
		"[[rule]]\nmatch = '*'\ncommand = [\"" + `\u001b{\n` + "\"]\n",
		"\x1b[2J", "x = \u009b", "\u202e = 1", "a = \"\xff\"",
	} {
		_, err := Compile([]File{{Name: name, Data: []byte(text)}}, recipes(t))
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
				t.Errorf("%q: a terminal would obey %q", text, line)
			}
			if !strings.HasPrefix(line, `"\x1b[2J`) {
				t.Errorf("%q: line %q does not start with the file's name", text, line)
			}
		}
	}
}
