package scan

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestNamesMayContainAnyByte(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{IgnoreName: "!.*\n"})
	var want []string
	for b := 1; b < 256; b++ {
		if b == '/' {
			continue
		}
		name := "n" + string([]byte{byte(b)}) + "\xff\xfe"
		plant(t, dir, map[string]string{name + "/" + name: "", "f" + name: ""})
		want = append(want, name+"/"+name, "f"+name)
	}
	// These names look like options, patterns or paths of another system.
	for _, name := range []string{"-rf", "*", "a\\b", "C:", "con", " ", "...", "a\nb", "\x1b[2J"} {
		plant(t, dir, map[string]string{name: ""})
		want = append(want, name)
	}
	slices.Sort(want)
	tree := walk(t, dir, Options{})
	if diff := cmp.Diff(want, paths(tree.Entries)); diff != "" || len(tree.Problems) > 0 {
		t.Errorf("%s%v", diff, tree.Problems)
	}
}

func TestProblemEscapesControlCharacters(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"\xff\n": "-> \x1b[2J\xfe"})
	tree := walk(t, dir, Options{})
	wantTree(t, tree, nil, nil, []string{"\xff\n: dangling"})
	if line := tree.Problems[0].Error(); strings.ContainsAny(line, "\n\x1b") || !utf8.ValidString(line) {
		t.Errorf("line is %q", line)
	}
}

// TestEscapeNamesTargetSafely uses link targets with hostile names.
func TestEscapeNamesTargetSafely(t *testing.T) {
	base := t.TempDir()
	plant(t, base, map[string]string{"\x1b[2J\n": "", "assets/l": "-> ../\x1b[2J\n"})
	tree := walk(t, filepath.Join(base, "assets"), Options{})
	wantTree(t, tree, nil, nil, []string{"l: escape"})
	if line := tree.Problems[0].Error(); strings.ContainsAny(line, "\n\x1b") {
		t.Errorf("line is %q", line)
	}
}

// TestDirectoriesAreClosed checks that walks leave no descriptors open.
func TestDirectoriesAreClosed(t *testing.T) {
	dir := t.TempDir()
	for d := range 40 {
		plant(t, dir, map[string]string{string(rune('A'+d)) + "/.cookignore": "x\n", string(rune('A'+d)) + "/f": ""})
	}
	open := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	walk(t, dir, Options{}) // the first walk opens descriptors that the runtime keeps
	before := open()
	walk(t, dir, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Dir(ctx, dir, Options{}); err == nil {
		t.Error("an ended context is ignored")
	}
	if after := open(); after != before {
		t.Errorf("%d descriptors open, %d before", after, before)
	}
}
