package state

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/internal/confine"
)

func TestFinder(t *testing.T) {
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	at := func(p string) string { return filepath.Join(out.Name(), filepath.FromSlash(p)) }
	for _, folder := range []string{"a/b", "c"} {
		if err := os.MkdirAll(at(folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"f", "a/f", "a/b/f", "c/g"} {
		if err := os.WriteFile(at(file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	finder := Open(out).Finder()
	defer finder.Close()
	for _, tt := range []struct {
		output string
		want   bool
	}{
		{"a/b/f", true}, {"a/b/g", false}, {"a/f", true}, {"a/b", false}, {"f", true}, {"a", false}, {"g", false},
		{"gone/f", false}, {"gone/deeper/f", false}, {"c/f", false}, {"c/g", true}, {"f/f", false}, {"gone/f", false},
	} {
		if got := finder.MayBeFile(tt.output); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.output, got, tt.want)
		}
	}
}
