package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMessagesKeepTheirLines(t *testing.T) {
	const source = "package a\n\nvar (\n\ta = \"not one\"\n\tb = \"a message of words\" + \"and a second one\"\n\n\tc = `lines of a\nraw message`\n\td = \"<p>markup of a page\"\n\te = \"the last message\"\n)\n"
	const want = "\n\n\n\na message of words and a second one \n\nlines of a\nraw message \n\nthe last message "
	if got := messagesOf([]byte(source)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := messagesOf([]byte("package a\n")); got != "" {
		t.Errorf("%q of a file without messages", got)
	}
}

func TestTestsHaveNoPages(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"a/b.go", "a/b_test.go", "a/testdata/c.go", "proof/d.go"} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("package a\nconst s = \"one two three\"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	if err := writePages(".", dir); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(found) != 1 || filepath.Base(found[0]) != "b.go.md" {
		t.Errorf("%q, %v", found, err)
	}
}
