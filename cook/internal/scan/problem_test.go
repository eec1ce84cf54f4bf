package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestProblemIsOneLine(t *testing.T) {
	tests := []struct {
		p    Problem
		want string
	}{
		{Problem{"a/b", Unreadable, &fs.PathError{Op: "openat", Path: "/x/a/b", Err: fs.ErrPermission}},
			"a/b: cannot be read: permission denied"},
		{Problem{"a b", Nested, nil}, "a b: cook does not follow a link to a directory inside another linked directory; link to the target directory directly"},
		{Problem{"a\nb\x1b[31m", Loop, nil}, `"a\nb\x1b[31m": link leads to a directory that contains the link; remove the link`},
		{Problem{"\xff", Irregular, errors.New("is a socket")}, `"\xff": neither a file nor a directory: is a socket; move it out of the asset directory`},
		{Problem{"ü", Kind(99), nil}, "ü: Kind(99)"},
	}
	for _, tt := range tests {
		if got := tt.p.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestEveryKindHasNameAndMessage(t *testing.T) {
	seen := map[string]bool{}
	for k := Unreadable; k <= Cooked; k++ {
		name := k.String()
		if seen[name] || strings.HasPrefix(name, "Kind(") {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[name] = true
		want := k == Unreadable || k == BadIgnore
		p := Problem{"p", k, errors.New("cause")}
		if p.Fatal() != want {
			t.Errorf("%v: Fatal is %v", k, !want)
		}
		if strings.ContainsAny(p.Error(), "\n") || !strings.HasPrefix(p.Error(), "p: ") {
			t.Errorf("%v: line is %q", k, p.Error())
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d kinds, want 10", len(seen))
	}
}

func TestUnreadableDirectoryMakesItsPathsUncertain(t *testing.T) {
	tree := &Tree{Problems: []Problem{
		{"a", Dangling, nil},
		{"b", Unreadable, nil},
		{"c/.cookignore", BadIgnore, nil},
		{"d/e", Escape, nil},
		{"d/e", Unreadable, nil},
		{"f.png", Unreadable, nil},
	}}
	for _, path := range []string{"b", "b/x", "b/x/y", "c/x", "c/x/y", "c/.cookignore", "d/e", "d/e/x", "f.png"} {
		if !tree.Incomplete(path) {
			t.Errorf("%s: complete", path)
		}
	}
	for _, path := range []string{"", "a", "a/x", "b2", "b.x", "bb/x", "c", "c2/x", "d", "d/f", "f.png2", "f", "x/b", "x/c/x"} {
		if tree.Incomplete(path) {
			t.Errorf("%s: incomplete", path)
		}
	}
	if (&Tree{}).Incomplete("a") {
		t.Error("a tree without problems is incomplete")
	}
	whole := &Tree{Problems: []Problem{{IgnoreName, BadIgnore, nil}}}
	if !whole.Incomplete("a") || !whole.Incomplete("a/b") {
		t.Error("a bad ignore file at the root makes every path uncertain")
	}
}

// goodPatterns are common lines of a .cookignore without mistakes.
var goodPatterns = []string{
	"*.bak", "*.tmp", "/notes/", "notes", "docs/*.txt", "/a/b/c.png", "**/old", "old/**", "a/**/b", "x[0-9].png", "[ab]*", `\#name`, `\!name`,
	`with\ space`, "with space.txt", `a\*b`, "!keep.bak", "!/a/keep", "?.txt", "*~", ".#*", "#comment", "[!a]x", "[^a]x", "$RECYCLE.BIN", "a,b.txt", "{literal}",
	".*", ".*.swp", "!.htaccess", "ünïcode/*.png", "trailing   ", "@eaDir", "_*", "Thumbs.db", "a#b", "v1.0$x",
}

func TestGoodPatternsHaveNoMistakes(t *testing.T) {
	for _, text := range append(strings.Split(Defaults, "\n"), goodPatterns...) {
		if list := Mistakes([]byte(text)); len(list) > 0 {
			t.Errorf("%q: %v", text, list)
		}
	}
	if list := Mistakes([]byte("build/*\n!build/keep\nout\n!output/x\n/cache/\n!/cached/x\n")); len(list) > 0 {
		t.Error(list)
	}
}

// TestCommonMistakesAreExplained checks that common mistakes are reported with position and
// correction. Some of them are made from good patterns.
func TestCommonMistakesAreExplained(t *testing.T) {
	n := 0
	check := func(text string, line, column int, want string) {
		n++
		list := Mistakes([]byte(text))
		if len(list) != 1 || list[0].Line != line || list[0].Column != column || !strings.Contains(list[0].Text, want) {
			t.Errorf("%q: %v; want %d:%d %s", text, list, line, column, want)
		}
	}
	for _, p := range goodPatterns {
		if strings.HasPrefix(p, "!") || strings.HasPrefix(p, "#") || strings.ContainsAny(p, `\ [$`) {
			continue
		}
		check("  "+p, 1, 1, "spaces before")
		check("x\n\t"+p, 2, 1, "spaces before")
		check(`"`+p+`"`, 1, 1, "write "+p)
		check("'"+p+"'", 1, 1, "write "+p)
		check(p+" # old", 1, 1+len(p), "on separate lines")
		check("// "+p, 1, 1, "comments begin with #")
		check("../"+p, 1, 1, "in the directory of this file")
		if !strings.HasPrefix(p, "/") {
			check("./"+p, 1, 1, "write /"+p)
			check("!./"+p, 1, 2, "write /"+p)
			check(`textures\x`+p, 1, 9, "textures/x"+p)
			check("^"+p, 1, 1, "not regular expressions")
			check(p+"$", 1, 1, "not regular expressions")
			check(p+", *.x", 1, 1+len(p), "on its own line")
		}
		check(p+"[0-9", 1, 1+len(p), `"[" without "]"`)
		check(p+`\`, 1, 1, `ends in "/"`)
		check(p+".{bak,tmp}", 1, 2+len(p), "such as "+p+".bak")
	}
	for _, folder := range []string{"build", "/build/", "build/", "a/b", "/a/b"} {
		name := strings.Trim(folder, "/")
		check(fmt.Sprintf("%s\n!%s/keep.txt\n", folder, name), 2, 1, "write "+name+"/* in that line")
		check(fmt.Sprintf("*.x\n%s\n\n!/%s/x/keep.txt\n", folder, name), 4, 1, "line 2 leaves")
	}
	for _, tc := range []struct {
		text   string
		column int
		want   string
	}{
		{`.*\.bak`, 1, "write *.bak"},
		{`^.*\.(bak|tmp)$`, 1, "not regular expressions"},
		{`textures\old\*.png`, 9, "write textures/old/*.png"},
		{`C:\art`, 3, "slashes"},
		{"!", 2, "matches nothing"},
		{"/", 1, "matches nothing"},
		{"!// x", 2, "comments"},
		{"\xef\xbb\xbf./x", 1, "write /x"},
		{"./x\r", 1, "write /x"},
	} {
		check(tc.text, 1, tc.column, tc.want)
	}
	t.Logf("%d mistakes", n)
	if n < 300 {
		t.Errorf("%d mistakes", n)
	}
}
