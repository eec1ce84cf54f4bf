package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A cook.toml cannot name a secret, an output directory or assets for a server outside the project,
// neither by a path nor by a link.
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
		text, want string // "" if it is taken
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
