//go:build amd64 || arm64

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/faultfs"
)

// What has to be on the disk before something else is, is put there before. No
// power has to be cut to see that; "go run ./bench/reliability power" cuts it.
func TestOrderOnDisk(t *testing.T) {
	command := buildCook(t)
	dir := inMemory(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// cook returns the calls that matter, each as its name and what it was done to.
	cook := func() (calls []string) {
		t.Helper()
		cmd := command("-dir", in("assets"), "-out", in("cooked"), "-cache", in("store"), "-j", "1")
		_, err := faultfs.Run(t.Context(), cmd, []string{in("assets"), in("cooked")}, func(c faultfs.Call) faultfs.Action {
			on := c.Path
			if strings.HasPrefix(c.Name, "rename") {
				on = c.To
			}
			rel, err := filepath.Rel(dir, on)
			if err != nil {
				t.Error(err)
			}
			if base, tmp, ok := strings.Cut(rel, "/.tmp-"); ok && len(tmp) == 16 {
				rel = base + "/.tmp"
			}
			if before, _, ok := strings.Cut(rel, "changes-"); ok {
				rel = before + "changes"
			}
			switch c.Name {
			case "fsync", "syncfs", "rename", "renameat", "renameat2", "unlinkat":
				calls = append(calls, strings.TrimRight(c.Name, "at2")+" "+rel)
			}
			return faultfs.Continue
		})
		if err != nil {
			t.Fatal(err)
		}
		return calls
	}
	// inOrder wants these calls, others among them.
	inOrder := func(what string, calls []string, want ...string) {
		t.Helper()
		rest := calls
		for _, w := range want {
			i := slices.Index(rest, w)
			if i < 0 {
				t.Errorf("%s: no %q where it should be, after %q, in\n%s", what, w, want, strings.Join(calls, "\n"))
				return
			}
			rest = rest[i+1:]
		}
	}
	for _, name := range []string{"assets", "cooked"} {
		if err := os.Mkdir(in(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("assets/a.json", `{"a": 1}`)
	calls := cook()
	inOrder("first", calls, "fsync cooked/.cook/.tmp", "rename cooked/.cook/journal", "fsync cooked/.cook",
		"rename cooked/a.json", "fsync cooked/.cook/.tmp", "rename cooked/manifest.json", "syncfs cooked",
		"rename cooked/.cook/changes", "rename cooked/.cook/index")
	if slices.Contains(calls[slices.Index(calls, "rename cooked/.cook/index"):], "rename cooked/a.json") {
		t.Errorf("an output comes after the index: %q", calls)
	}

	write("assets/a.json", `{"a": 2}`)
	inOrder("edited", cook(), "rename cooked/a.json", "syncfs cooked", "rename cooked/.cook/changes")

	// Edited in place, and the output is the same: its stamp has to be on the disk
	// before its content, and its content before the changes.
	write("assets/a.json", `{"a":  2}`)
	calls = cook()
	if slices.Contains(calls, "rename cooked/manifest.json") {
		t.Fatalf("the output is another: %q", calls)
	}
	inOrder("edited to the same", calls, "fsync cooked/.cook/.tmp", "syncfs cooked", "rename cooked/.cook/changes")

	// Only touched. What it holds may have been changed there and back.
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(in("assets/a.json"), later, later); err != nil {
		t.Fatal(err)
	}
	inOrder("touched", cook(), "syncfs cooked", "rename cooked/.cook/changes")
	// A run that has nothing new to say does not wait for the disk. Its first
	// stamps were too fresh to be trusted, perhaps.
	if calls := cook(); slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "syncfs") }) {
		t.Errorf("nothing changed: %q", calls)
	}
}
