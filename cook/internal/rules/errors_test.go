package rules

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestBadFileIsReportedWithPlaceAndCause(t *testing.T) {
	const rule = "[[rule]]\nmatch = '*.png'\n"
	for _, tc := range []struct{ file, want string }{
		{"a = \n", "1:5: the value is missing"},
		{"[[rule]]\nmatch = 'a\n", "2:11: the closing quote is missing"},
		{rule + "srgb = true\nsrgb = false\n", "4:1: key srgb is already defined"},
		{"[target.pc]\n[target.pc]\n", "2:2: table pc already exists"},
		{"x = \"\xff\"", "1:6: invalid UTF-8 character in basic string"},
		{rule + "quality = 99999999999999999999", "3:11: decimal number is too large to fit in a 64-bit signed integer"},

		// Errors outside of all rules.
		{"rules = 1", `1:1: unknown key "rules"; did you mean "rule"?`},
		{"\n[defaults]\n", `2:2: unknown key "defaults"; have rule, target, project, remote`},
		{"[rule]\nmatch = '*'", "1:2: rule: want a list of tables; write [[rule]] above each"},
		{"rule = [{match = 'a'}, 3]", "1:24: rule: want a table"},
		{"target = 1", "1:1: target: want tables such as [target.mobile.image]"},

		// Errors in the key match.
		{"\n  [[rule]]\nsrgb = true", `2:3: the rule has no match; name the files that it applies to, as in match = "*.png"`},
		{"[[rule]]\nmatch = 3", "2:9: match: want a pattern or a list of patterns"},
		{"[[rule]]\nmatch = []", "2:9: match: want at least one pattern"},
		{"[[rule]]\nmatch = ['a',\n  2]", "3:3: match: want a pattern or a list of patterns"},
		{"[[rule]]\nmatch = ['a',\n  ['b']]", "2:9: match: want a pattern or a list of patterns"},
		{"[[rule]]\nmatch = ['a', '[b']", `2:15: match: pattern "[b": a [class] or {alternatives} is not closed, or the pattern ends in a backslash`},
		{"[[rule]]\nmatch = '!a'", `2:9: match: pattern "!a": the pattern excludes files, but no pattern before it includes files; put such a pattern first`},
		{"[[rule]]\nmatch = 'a/../b'", `2:9: match: pattern "a/../b": the pattern has the element "..", which occurs in no path; remove it`},

		// Errors in the key recipe.
		{"[[rule]]\nmatch  = '*'\nrecipe = \"imagee\"", `3:10: unknown recipe "imagee"; did you mean "image"?`},
		{"[[rule]]\nmatch = '*'\nrecipe = 1", `3:10: recipe: want a name; have command, copy, image, json, mesh, zstd`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'other'\nwhatever = 1", `3:10: unknown recipe "other"; have command, copy, image, json, mesh, zstd`},

		// Errors in options of a named recipe.
		{"[[rule]]\nmatch = '*'\nrecipe = 'image'\nsrbg = false", `4:1: unknown key "srbg" for recipe "image"; did you mean "srgb"?`},
		{"[[rule]]\nmach = '*'\nmatch = '*'\nrecipe = 'image'", `2:1: unknown key "mach" for recipe "image"; did you mean "match"?`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'image'\nlevel = 3", `4:1: unknown key "level" for recipe "image"; have max_size, quality, srgb`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'copy'\nlevel = 3", `4:1: unknown key "level" for recipe "copy", which has no options`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'image'\nquality =  10", `4:12: quality: want a whole number from 1 to 9, have 10`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'image'\nsrgb = [1, 2]", `4:8: srgb: want true or false, have [1, 2]`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'image'\nsrgb.x = 1", `4:1: srgb: want true or false, have a table`},
		{"[[rule]]\nmatch = '*'\ncommand = 'x'\noutputs = ['a']", `3:11: command: want a list of strings, have "x"`},
		{"[[rule]]\nmatch = '*'\ncommand = ['x']\nsrgb = true\noutputs = ['a']", `4:1: unknown key "srgb" for recipe "command"; have command, env`},

		// Errors in options of any recipe.
		{rule + "srbg = false", `3:1: unknown key "srbg"; did you mean "srgb"?`},
		{rule + "filter = 1", `3:1: unknown key "filter"; no recipe has such an option`},
		{rule + "level = 23", `3:9: level: want a whole number from 1 to 22, have 23`},
		{rule + "quality = 'best'", `3:11: quality: want a whole number from 1 to 9, have "best"`},
		{"[[rule]]\nmatch = '*'\nquality = 'best'", `3:11: quality: want a whole number from 1 to 9 (recipe image) or "low" or "high" (recipe zstd), have "best"`},
		{rule + "quality = 1e0", `3:11: quality: want a whole number from 1 to 9, have 1e0; write it without point and exponent: 1`},
		{rule + "quality = 1.5", `3:11: quality: want a whole number from 1 to 9, have 1.5`},
		{rule + "srgb = 2020-01-01", `3:8: srgb: want true or false, have 2020-01-01`},

		// Errors in the keys output and outputs.
		{rule + "output = 'a'\noutputs = ['b']", "4:1: the rule has output and outputs; keep only one of them"},
		{rule + "output = ['b']", `3:10: output: want a template such as "{stem}.bin"; a list is called outputs`},
		{rule + "outputs = 'b'", `3:11: outputs: want a list of templates such as ["{stem}.bin"]`},
		{rule + "outputs = []", `3:11: outputs: want a list of templates such as ["{stem}.bin"]`},
		{rule + "outputs = ['a', 2]", `3:17: outputs: want a template`},
		{rule + "outputs = ['{stem}',\n'{stme}']", `4:1: template "{stme}": unknown word {stme}; did you mean "stem"?`},
		{rule + "output = '../a'", `3:10: template "../a": the template has the element ".."; write the names of the directories`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'mesh'\noutputs = ['a']", `4:11: outputs: want 2 for recipe "mesh", have 1`},
		{"[[rule]]\nmatch = '*'\nrecipe = 'image'\noutputs = ['a', 'b']", `4:11: outputs: want 1 for recipe "image", have 2`},
		{"[[rule]]\nmatch = '*'\ncommand = ['x']", `3:1: recipe "command" needs outputs = [...]`},

		// Errors in targets.
		{"[target.Mobile]", `1:9: target "Mobile": want a name of a-z, 0-9, '-' and '_', at most 64 bytes`},
		{"[target.'']", `1:9: target "": want a name of a-z, 0-9, '-' and '_', at most 64 bytes`},
		{"[target]\nmobile = 3", `2:10: target "mobile": want tables such as [target.mobile.image]`},
		{"[target.mobile]\nimage = 3", `2:9: target "mobile": want a table of options for recipe "image"`},
		{"[target.mobile.imag]", `1:16: unknown recipe "imag"; did you mean "image"?`},
		{"[target.mobile.image]\nmaxsize = 3", `2:1: unknown key "maxsize" for recipe "image"; did you mean "max_size"?`},
		{"[target.mobile.image]\nmatch = '*'", `2:1: unknown key "match" for recipe "image"; have max_size, quality, srgb`},
		{"target.mobile.image.max_size = -1", `1:32: max_size: want a whole number of at least 0, have -1`},
	} {
		_, err := Compile([]File{{Name: "a/cook.toml", Dir: "a", Data: []byte(tc.file)}}, recipes(t))
		if want := "a/cook.toml:" + tc.want; err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", tc.file, err, want)
		}
	}
}

// TestWrongValueListsValuesOfMatchingFiles checks messages about an option of several recipes. They
// list the values for the recipes that cook the matching files.
func TestWrongValueListsValuesOfMatchingFiles(t *testing.T) {
	paths := func() iter.Seq[string] {
		return slices.Values([]string{"ui/a.png", "ui/b.png", "x/a.txt", "y/a.png", "y/b.json"})
	}
	for _, tc := range []struct{ dir, match, want string }{
		{"", "ui/", `3:11: quality: want a whole number from 1 to 9, have "best"`},
		{"", "*.{png,tga}", `3:11: quality: want a whole number from 1 to 9, have "best"`},
		{"ui", "*", `3:11: quality: want a whole number from 1 to 9, have "best"`},
		{"", "x/", `3:11: quality: want a whole number from 1 to 9 (recipe image) or "low" or "high" (recipe zstd), have "best"`},
	} {
		file := File{Name: "cook.toml", Dir: tc.dir, Data: []byte("[[rule]]\nmatch = '" + tc.match + "'\nquality = 'best'")}
		if _, err := CompileFor("", []File{file}, recipes(t), paths); err == nil || err.Error() != "cook.toml:"+tc.want {
			t.Errorf("%s:\ngot  %v\nwant cook.toml:%s", tc.match, err, tc.want)
		}
	}
	many := wantedValues{}.with("a", "1").with("b", "2").with("c", "1").with("d", "3")
	if got, want := many.inWords("key"), "a value that one of 4 recipes takes (cook help key lists them)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSyntaxErrorsAreExplainedInPlainWords lists common mistakes of people who do not know TOML.
func TestSyntaxErrorsAreExplainedInPlainWords(t *testing.T) {
	for line, want := range map[string]string{
		"srgb = False":         "3:8: write it in lower case: false",
		"srgb = TRUE # a":      "3:8: write it in lower case: true",
		"srgb = yes":           "3:8: want true, have yes",
		"srgb = off":           "3:8: want false, have off",
		"name = bc1":           `3:8: text needs quotes: "bc1"`,
		"size = 5px":           `3:9: text needs quotes: "5px"`,
		`name = "bc1`:          "3:12: the closing quote is missing",
		"name = 'bc1":          "3:12: the closing quote is missing",
		"name = “bc1”":         `3:8: want straight quotes: "..."`,
		"// comment":           "3:1: comments begin with #",
		"srgb = true // why":   "3:13: comments begin with #",
		"/* comment */":        "3:1: comments begin with #",
		"srgb: true":           `3:5: want "=" between key and value, have ":"`,
		"srgb true":            `3:6: want "=" behind "srgb"`,
		"max size = 3":         `3:5: a key cannot have a space; words of options are joined by "_"`,
		"größe = 3":            "3:3: a key of other letters than a-z, A-Z, 0-9, - and _ needs quotes",
		"srgb = true;":         `3:12: remove the ";": each line is one key and its value`,
		"srgb = true,":         `3:12: remove the ",": each line is one key and its value`,
		`name = "a" "b"`:       `3:12: remove the text after the value; several values are a list: ["a", "b"]`,
		"srgb = true x":        "3:13: remove the text after the value",
		"size = 010":           "3:8: a number cannot begin with 0",
		"size =":               "3:7: the value is missing",
		"size = +":             "3:9: the value is missing",
		"= 3":                  "3:1: the key is missing",
		`list = ["a", "b"`:     `3:17: "]" is missing at the end of the list`,
		"list = [\"a\"\nb = 1": `3:12: "]" is missing at the end of the list`,
		`name = "a\q"`:         `3:10: a "\" in double quotes begins an escape; write paths with "/", or put the text into single quotes`,
	} {
		_, err := Compile([]File{{Name: "cook.toml", Data: []byte("[[rule]]\nmatch = '*.png'\n" + line + "\n")}}, recipes(t))
		if err == nil || err.Error() != "cook.toml:"+want {
			t.Errorf("%s:\ngot  %v\nwant cook.toml:%s", line, err, want)
		}
	}
}

// TestExcerptMarksTheErrorInItsLine checks that the mark is below the error, whatever the line
// contains.
func TestExcerptMarksTheErrorInItsLine(t *testing.T) {
	long := strings.Repeat("x", 300)
	for file, want := range map[string]string{
		"srgb = False":                     "cook.toml:1:8: write it in lower case: false\n    1 | srgb = False\n      |        ^",
		"\n\tsrgb = False\r\n":             "cook.toml:2:9: write it in lower case: false\n    2 |  srgb = False\n      |         ^",
		"é = 1":                            "cook.toml:1:1: invalid character at start of key: U+00C3 'Ã'\n    1 | é = 1\n      | ^",
		"a = '" + long + "'\nb\n":          "cook.toml:2:2: want \"=\" behind \"b\"\n    2 | b\n      |  ^",
		"a = '" + long + "' " + long[:200]: "cook.toml:1:308: remove the text after the value\n    1 | " + long[:47] + "' " + long[:51] + "...\n      | " + strings.Repeat(" ", 49) + "^",
		"a = '\x1b[31m":                    "",
	} {
		_, err := Compile([]File{{Name: "cook.toml", Data: []byte(file)}}, recipes(t))
		var list Errors
		if !errors.As(err, &list) {
			list = Errors{}
		}
		var one *Error
		if errors.As(err, &one) && len(list) == 0 {
			list = Errors{one}
		}
		var lines []string
		for _, e := range list {
			lines = append(lines, strings.TrimSuffix(e.Error()+"\n"+e.Excerpt(), "\n"))
		}
		got := strings.Join(lines, "\n")
		if want != "" && got != want {
			t.Errorf("%.40q:\ngot\n%s\nwant\n%s", file, got, want)
		}
		if strings.ContainsRune(got, '\x1b') || len(list) == 0 {
			t.Errorf("%.40q: %q", file, got)
		}
	}
}

func TestAllErrorsOfAllFiles(t *testing.T) {
	_, err := Compile([]File{
		{Name: "b/cook.toml", Dir: "b", Data: []byte("x = \n")},
		{Name: "a/cook.toml", Dir: "a", Data: []byte("[[rule]]\nquality = 0\nrecipe = 'image'\n[[rule]]\nmatch = 'a//b'\nsrbg = 1\n[foo]")},
		{Name: "cook.toml", Data: []byte("[[rule]]\nmatch = '*'\ncommand = ['x']\noutputs=['{']")},
	}, recipes(t))
	want := `a/cook.toml:1:1: the rule has no match; name the files that it applies to, as in match = "*.png"
a/cook.toml:2:11: quality: want a whole number from 1 to 9, have 0
a/cook.toml:5:9: match: pattern "a//b": the pattern has an empty element; remove a slash
a/cook.toml:6:1: unknown key "srbg"; did you mean "srgb"?
a/cook.toml:7:2: unknown key "foo"; have rule, target, project, remote
b/cook.toml:1:5: the value is missing
cook.toml:4:10: template "{": "{" without "}"; write "{{" for a brace`
	if err == nil {
		t.Fatal("no error")
	}
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Error(d)
	}
	var list Errors
	var one *Error
	if !errors.As(err, &list) || len(list) != 7 || !errors.As(err, &one) || one.Line != 1 || one.File != "a/cook.toml" {
		t.Errorf("errors.As finds %v and %v", list, one)
	}
}

func TestLargeFileIsRefused(t *testing.T) {
	rules := func(n int) string { return strings.Repeat("[[rule]]\nmatch='*'\n", n) }
	var keys strings.Builder
	for i := range maxInRule {
		fmt.Fprintf(&keys, "k%d=1\n", i)
	}
	braces := func(n int) string { return "match='" + strings.Repeat("{a,b}", n) + "'\n" }
	for _, tc := range []struct{ name, file, want string }{
		{"bytes", strings.Repeat("#", MaxFile+1), "c:1:1: file has more than 4194304 bytes, the limit"},
		{"rules", rules(maxLayers + 1), "c:20001:1: there are more than 10000 rules and target tables"},
		{"rules and tables", rules(maxLayers) + "[target.a.image]\n[target.b.image]", "c:20001:11: there are more than 10000 rules and target tables"},
		{"keys in a rule", "[[rule]]\nmatch='*'\n[rule.x]\n" + keys.String(), "c:1000:1: too many keys: at most 100000 in a file, 1000 in one rule, 2000 outside of rules"},
		{"keys outside", keys.String() + "[a]\n" + keys.String(), "c:2001:1: too many keys: at most 100000 in a file, 1000 in one rule, 2000 outside of rules"},
		{"items", "x=[" + strings.Repeat("0,", maxKeys) + "]", "c:1:200002: too many keys: at most 100000 in a file, 1000 in one rule, 2000 outside of rules"},
		{"alternatives", "[[rule]]\n" + braces(10), `c:2:7: match: pattern "` + strings.Repeat("{a,b}", 10) + `": the pattern has more than 1000 alternatives`},
		{"braces", "[[rule]]\n" + braces(51), `c:2:7: match: pattern "` + strings.Repeat("{a,b}", 20) + `...": the pattern has more than 50 braces`},
		{"patterns", strings.Repeat("[[rule]]\n"+braces(9), 99), "c:196:7: match: all files together have more than 50000 patterns"},
		{"long pattern", "[[rule]]\nmatch='" + strings.Repeat("a", 1024+1) + "'", `c:2:7: match: pattern "` + strings.Repeat("a", 100) + `...": the pattern is longer than 1024 bytes`},
		{"long template", rules(1) + "output='" + strings.Repeat("é", maxTemplate) + "'", `c:3:8: template "` + strings.Repeat("é", 50) + `...": the template is longer than 1024 bytes`},
		{"long key", rules(1) + strings.Repeat("k", 200) + "=1", `c:3:1: unknown key "` + strings.Repeat("k", 100) + `..."; no recipe has such an option`},
		{"long value", rules(1) + "srgb='" + strings.Repeat("k", 200) + "'", `c:3:6: srgb: want true or false, have "` + strings.Repeat("k", 99) + `...`},
	} {
		_, err := Compile([]File{{Name: "c", Data: []byte(tc.file)}}, recipes(t))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s:\ngot  %.300v\nwant %s", tc.name, err, tc.want)
		}
	}

	// This configuration is just below the limits.
	s := compile(t, rules(maxLayers-1)+"[target.a.image]\nquality = 2\n")
	m := method(t, s, "a.png", "a")
	if got := m.Cooker.(*fakeImage).Quality; got != 2 {
		t.Errorf("quality %d from layer %d, want 2", got, maxLayers)
	}
}

func TestClipKeepsWholeCharacters(t *testing.T) {
	for s, want := range map[string]string{
		"short":                       "short",
		strings.Repeat("a", 100):      strings.Repeat("a", 100),
		strings.Repeat("a", 101):      strings.Repeat("a", 100) + "...",
		"a" + strings.Repeat("é", 60): "a" + strings.Repeat("é", 49) + "...",
		strings.Repeat("\x80", 200):   strings.Repeat("\x80", 96) + "...",
	} {
		if got := clipText(s); got != want {
			t.Errorf("clip(%q) = %q, want %q", s, got, want)
		}
	}
}

// TestHostileTextIsEscapedInErrors checks that control characters are escaped in messages, and that
// each message is one line.
func TestHostileTextIsEscapedInErrors(t *testing.T) {
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
				t.Errorf("%q: unescaped control character %q", text, line)
			}
			if !strings.HasPrefix(line, `"\x1b[2J`) {
				t.Errorf("%q: line %q does not start with the file's name", text, line)
			}
		}
	}
}
