package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A project is the nearest one in a directory or above it. Files without the table are passed over,
// and directories are relative to the file.
func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"game/cook.toml":                 "[project]\ndir = 'assets'\nout = '../build'\ntargets = ['pc', 'mobile']\n",
		"game/assets/cook.toml":          "[[rule]]\nmatch = '*'\n",
		"game/assets/ui/project.txt":     "",
		"game/tools/cook.toml":           "[project]\ncache = 'store'\n[[rule]]\nmatch = '*'\n",
		"game/tools/in/x.txt":            "",
		"ruled/cook.toml":                "[project]\ndir = 'a'\ntargets = 'all'\n[target.pc]\n",
		"ruled/a/x.txt":                  "",
		"absent/cook.toml":               "[project]\nout = 'o'\ndir = 'none'\n",
		"file/cook.toml":                 "[project]\ndir = 'cook.toml'\n",
		"bad/cook.toml":                  "[project]\ndri = 'a'\nout = 3\ntargets = ['A']\ncache = ''\n",
		"noproject/cook.toml":            "# project\n",
		"noproject/folder/cook.toml/x":   "",
		"noproject/folder/game/game.txt": "",
	} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	game := &Project{File: at("game/cook.toml"), Dir: at("game/assets"), Out: at("build"), Targets: []string{"pc", "mobile"}}
	for _, tc := range []struct {
		from string
		want *Project
	}{
		{"game", game},
		{"game/assets", game},
		{"game/assets/ui", game},
		{"game/tools/in", &Project{File: at("game/tools/cook.toml"), Dir: at("game/tools"), Cache: at("game/tools/store")}},
		{"ruled/a", &Project{File: at("ruled/cook.toml"), Dir: at("ruled/a"), Config: at("ruled/cook.toml"), Targets: []string{"all"}}},
		{"noproject/folder/game", nil},
	} {
		got, err := Find(at(tc.from))
		if err != nil || !cmp.Equal(got, tc.want) {
			t.Errorf("%s: %v %s", tc.from, err, cmp.Diff(tc.want, got))
		}
	}
	for from, want := range map[string]string{
		"absent": "cook.toml:3:7: dir: there is no directory ",
		"file":   "cook.toml:2:7: dir: there is no directory ",
		"bad":    `cook.toml:2:1: unknown key "dri"; did you mean "dir"?`,
	} {
		if _, err := Find(at(from)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", from, err, want)
		}
	}
	_, err = Find(at("bad"))
	if n := strings.Count(err.Error(), "\n"); n != 3 {
		t.Errorf("%d errors of four:\n%v", n+1, err)
	}
}
