package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The project is the nearest one, in a directory or above it. Files without the table [project] are
// skipped. Directories in a file are relative to the file.
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

// A cook.toml cannot name secrets, output directories, or assets for a server that are outside the
// project. It can do so neither by a path nor by a link.
func TestProjectNamesNothingElsewhere(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, ".hidden", "home")
	game := filepath.Join(home, "game")
	for _, dir := range []string{filepath.Join(home, ".ssh"), filepath.Join(game, "a"), filepath.Join(home, "b")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(home, ".ssh", "id"), filepath.Join(game, "id")} {
		if err := os.WriteFile(name, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink("../.ssh/id", filepath.Join(game, "linked")) == nil &&
		os.Symlink("../.ssh", filepath.Join(game, "folder")) == nil &&
		os.Symlink("id", filepath.Join(game, "inside")) == nil
	const remote = "[remote]\nurl = 'grpc://h'\n"
	for _, tc := range []struct {
		text, want string // "" if the file is accepted
		link       bool
	}{
		{remote + "token_file = 'id'", "", false},
		{remote + "token_file = 'none/yet'", "", false},
		{remote + "token_file = 'inside'", "", true},
		{remote + "token_file = '../.ssh/id'", "3:14: token_file: ", false},
		{remote + "token_file = '" + filepath.ToSlash(filepath.Join(home, ".ssh", "id")) + "'", "3:14: token_file: ", false},
		{remote + "token_file = 'linked'", "3:14: token_file: ", true},
		{remote + "basic_file = 'folder/id'", "3:14: basic_file: ", true},
		{remote + "basic_file = 'folder/none'", "3:14: basic_file: ", true},
		{remote + "key = '../x'", "3:7: key: ", false},
		{remote + "cert = '../x'", "3:8: cert: ", false},
		{remote + "ca = '../x'", "3:6: ca: ", false},
		{remote + "sign_key = '../x'", "3:12: sign_key: ", false},
		{remote + "trust = ['id', '../x']", "3:9: trust: ", false},
		{remote + "[project]\ndir = 'a'", "", false},
		{remote + "[project]\ndir = '../b'", "4:7: dir: ", false},
		{"[project]\ndir = '../b'", "", false},
		{"[project]\ndir = '../.ssh'", "2:7: dir: ", false},
		{"[project]\ndir = 'folder'", "2:7: dir: ", true},
		{"[project]\nout = '../built'\ncache = '../.store'", "", false},
		{"[project]\nout = '.built'", "", false},
		{"[project]\nout = '..'", "2:7: out: ", false},
		{"[project]\nout = '/'", "2:7: out: ", false},
		{"[project]\nout = '../.config/autostart'", "2:7: out: ", false},
		{"[project]\nout = 'folder/new'", "2:7: out: ", true},
	} {
		if tc.link && !links {
			continue
		}
		if err := os.WriteFile(filepath.Join(game, "cook.toml"), []byte(tc.text), 0o666); err != nil {
			t.Fatal(err)
		}
		switch p, err := Find(game); {
		case tc.want == "" && err != nil:
			t.Errorf("%q: %v", tc.text, err)
		case tc.want == "" && p.Remote.URL != "" && p.Remote.File != filepath.Join(game, "cook.toml"):
			t.Errorf("%q: the server is chosen by %q", tc.text, p.Remote.File)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), "cook.toml:"+tc.want)):
			t.Errorf("%q: %v, want %s", tc.text, err, tc.want)
		}
	}
}
