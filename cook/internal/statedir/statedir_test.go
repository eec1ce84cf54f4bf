package statedir

import (
	"os"
	"path/filepath"
	"testing"
)

// A file in the output directory can redirect the state to a home only if a file in the home names
// the output directory.
func TestHomeNeedsBothNames(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, home, other := filepath.Join(root, "www", "out"), filepath.Join(root, "s \"t\n"), filepath.Join(root, "other")
	for _, dir := range []string{out, filepath.Join(home, ".cook"), other} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Skip(err)
		}
	}
	write := func(dir, file, to string) []byte {
		t.Helper()
		text, err := Text(dir, to)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	want := func(what, dir string) {
		t.Helper()
		if got := Home(out); got != dir {
			t.Errorf("%s: %q, want %q", what, got, dir)
		}
	}
	want("no file", out)
	text := write(out, ".cook", home)
	want("the other directory names nothing", out)
	write(home, Outputs, other)
	want("the other directory names another one", out)
	write(home, Outputs, out)
	want("both agree", home)
	for n := range len(text) {
		if err := os.WriteFile(filepath.Join(out, ".cook"), text[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		want("torn", out)
	}
	write(out, ".cook", home)

	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(root, moved); err != nil {
		t.Skip(err)
	}
	if moved, err = filepath.EvalSymlinks(moved); err != nil {
		t.Fatal(err)
	}
	if got, want := Home(filepath.Join(moved, "www", "out")), filepath.Join(moved, filepath.Base(home)); got != want {
		t.Errorf("both moved: %q, want %q", got, want)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(moved, "www", "out"), link); err != nil {
		t.Skip(err)
	}
	if got, want := Home(link), filepath.Join(moved, filepath.Base(home)); got != want {
		t.Errorf("by a link: %q, want %q", got, want)
	}
}

func TestServedDirectoriesAreRecognized(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "page"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "page", "index.html"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		out, assets, home string
		likely            bool
	}{
		{"game/cooked", "game/assets", "", false},
		{"game/public", "game/assets", "game/.cook-state/public", true},
		{"game/public/assets", "game/assets", "game/.cook-state/public/assets", true},
		{"game/Public/assets", "game/assets", "game/.cook-state/Public/assets", true},
		{"game/dist/static/a", "game/assets", "game/.cook-state/dist/static/a", true},
		{"public/game/cooked", "public/game/assets", "", false},
		{"public/game/static/a", "public/game/assets", "public/game/.cook-state/static/a", true},
		{"page/cooked", "game/assets", ".cook-state/page/cooked", true},
		{"page/a/b", "game/assets", ".cook-state/page/a/b", true},
		{"page/cooked", "page/assets", "", true}, // the served directory contains the sources too
		{"page/public/a", "page/assets", "page/.cook-state/public/a", true},
		{"game/out", "game", "", false},
	} {
		in := func(name string) string {
			if name == "" {
				return ""
			}
			return filepath.Join(root, filepath.FromSlash(name))
		}
		if home, likely := Served(in(tt.out), in(tt.assets)); home != in(tt.home) || likely != tt.likely {
			t.Errorf("%s of %s: %q %t, want %q %t", tt.out, tt.assets, home, likely, in(tt.home), tt.likely)
		}
	}
}

func TestPruneRemovesOnlyItsOwn(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, ".cook-state", "public", "assets")
	if err := os.MkdirAll(home, 0o777); err != nil {
		t.Fatal(err)
	}
	Prune(home)
	if _, err := os.Stat(filepath.Join(root, ".cook-state")); !os.IsNotExist(err) {
		t.Errorf("not removed: %v", err)
	}
	Prune(root)
	if _, err := os.Stat(root); err != nil {
		t.Error(err)
	}
}
