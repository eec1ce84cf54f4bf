package scan

import (
	"errors"
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
		{Problem{"a b", Nested, nil}, "a b: directory link below a linked directory is not followed; link its target directly"},
		{Problem{"a\nb\x1b[31m", Loop, nil}, `"a\nb\x1b[31m": link leads to a directory that contains it; remove it`},
		{Problem{"\xff", Irregular, errors.New("is a socket")}, `"\xff": neither file nor directory: is a socket; move it out of the asset directory`},
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
	for k := Unreadable; k <= BadIgnore; k++ {
		name := k.String()
		if seen[name] || strings.HasPrefix(name, "Kind(") {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[name] = true
		want := k == Unreadable || k == BadIgnore
		p := Problem{"p", k, nil}
		if p.Fatal() != want {
			t.Errorf("%v: Fatal is %v", k, !want)
		}
		if strings.ContainsAny(p.Error(), "\n") || !strings.HasPrefix(p.Error(), "p: ") {
			t.Errorf("%v: line is %q", k, p.Error())
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d kinds, want 7", len(seen))
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
