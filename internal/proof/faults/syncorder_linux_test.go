//go:build amd64 || arm64

package faults_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/faultfs"
)

// TestOrderOnDisk checks the order of syncs that recovery after a power cut needs. "go run
// ./proof/reliability power" simulates power cuts.
func TestOrderOnDisk(t *testing.T) {
	t.Setenv("COOK_ENGINE", "own")
	command := buildCook(t)
	dir := faultDir(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// cook runs cook and returns the relevant system calls, each with its name and path.
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
	// inOrder checks that the wanted calls occur in this order, possibly among other calls.
	inOrder := func(what string, calls []string, want ...string) {
		t.Helper()
		rest := calls
		for _, w := range want {
			i := slices.Index(rest, w)
			if i < 0 {
				t.Errorf("%s: no %q in the right place; want %q in order, got\n%s", what, w, want, strings.Join(calls, "\n"))
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

	write("assets/a.json", `{"a":  2}`)
	calls = cook()
	if slices.Contains(calls, "rename cooked/manifest.json") {
		t.Fatalf("the output changed: %q", calls)
	}
	inOrder("edited to the same", calls, "fsync cooked/.cook/.tmp", "syncfs cooked", "rename cooked/.cook/changes")

	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(in("assets/a.json"), later, later); err != nil {
		t.Fatal(err)
	}
	inOrder("touched", cook(), "syncfs cooked", "rename cooked/.cook/changes")
	if calls := cook(); slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "syncfs") }) {
		t.Errorf("nothing changed: %q", calls)
	}
}
