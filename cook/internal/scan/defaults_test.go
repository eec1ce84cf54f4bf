package scan

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// leftOut returns the line of Defaults that excludes a file or directory.
func leftOut(name string, isFolder bool, wanted []string) string {
	v, _ := Ignored(name, isFolder, wanted, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	return v.Pattern
}

func TestDefaultsExcludeFilesOfTools(t *testing.T) {
	tests := []struct {
		name     string
		isFolder bool
		want     string
	}{
		{".env", false, ".*"},
		{".vscode", true, ".*"},
		{"node_modules", true, "node_modules/"},
		{"node_modules", false, ""},
		{"id_rsa", false, "id_rsa"},
		{"ID_RSA", false, "id_rsa"},
		{"makefile", false, "Makefile"},
		{"server.pem", false, "*.pem"},
		{"CI.KEY", false, "*.key"},
		{"credentials-prod.json", false, "credentials*.json"},
		{"secrets.yaml", false, "secrets.*"},
		{"secret.png", false, ""},
		{"keys.json", false, ""},
		{"hero.psd", false, "*.psd"},
		{"HERO.PSD", false, "*.psd"},
		{"hero.blend", false, "*.blend"},
		{"hero.blend1", false, "*.blend[0-9]"},
		{"hero.blend12", false, "*.blend[0-9][0-9]"},
		{"hero.blender", false, ""},
		{"hero.png.meta", false, "*.meta"},
		{"hero.png.import", false, "*.import"},
		{"hero.png", false, ""},
		{"psd", false, ""},
		{"LICENSE", false, ""},
		{"level.dat", false, ""},
	}
	for _, tt := range tests {
		if got := leftOut(tt.name, tt.isFolder, nil); got != tt.want {
			t.Errorf("%q: left out by %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := leftOut("hero.fbx", false, []string{".fbx"}); got != "" {
		t.Errorf("a file of a recipe is excluded by %q", got)
	}
}

// TestEachDefaultCanBeIncludedAgain puts each line of the list, after a "!", into a .cookignore.
func TestEachDefaultCanBeIncludedAgain(t *testing.T) {
	for i, line := range strings.Split(Defaults, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name := strings.NewReplacer("*", "x", "[0-9]", "1").Replace(strings.TrimPrefix(line, "."))
		if line[0] == '.' {
			name = ".x"
		}
		file := name
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			name, file = folder, folder+"/a"
		}
		text := "" // text that only the matching program writes
		if ContentDecides(name) {
			text = "\x00\x00\x00\x00\xe0\xa5"
		}
		dir := t.TempDir()
		plant(t, dir, map[string]string{file: text, "kept": ""})
		tree := walk(t, dir, Options{})
		var problems []string
		if isSecret(i + 1) {
			problems = []string{name + ": secret"}
		}
		if wantTree(t, tree, []string{"kept"}, nil, problems); len(tree.LeftOut) != 1 || tree.LeftOut[0].Path != name {
			t.Errorf("%s: left out %v, want %s", line, paths(tree.LeftOut), name)
		}
		plant(t, dir, map[string]string{IgnoreName: "!" + line + "\n"})
		tree = walk(t, dir, Options{})
		if want := 2; len(tree.Entries) != want || len(tree.LeftOut) > 0 {
			t.Errorf("!%s: entries %v, left out %v", line, paths(tree.Entries), paths(tree.LeftOut))
		}
	}
}

// TestContentTellsWorkFiles checks that a file with the extension of a work file is an asset if its
// content belongs to another program.
func TestContentTellsWorkFiles(t *testing.T) {
	for text, left := range map[string]bool{
		"\x10\x00\x00\x00\xe0\xa5\x01": true, "\x10\x00\x00\x00\xe0": false, "": false,
		"*3DSMAX_ASCIIEXPORT\t200\r\n": false, "ASEF\x00\x01\x00\x00": false,
	} {
		dir := t.TempDir()
		plant(t, dir, map[string]string{"b/a.ASE": text})
		tree := walk(t, dir, Options{})
		if got := len(tree.LeftOut) == 1 && len(tree.Ignores) == 1 && len(tree.Entries) == 0; got != left {
			t.Errorf("%q: entries %v, left out %v, want left out %v", text, paths(tree.Entries), paths(tree.LeftOut), left)
		}
		if _, got := Ignored("b/a.ASE", false, nil, os.DirFS(dir).(fs.ReadFileFS).ReadFile); got != left {
			t.Errorf("%q: Ignored is %v, want %v", text, got, left)
		}
	}
}

func TestSecretLinesAreThoseOfKeysAndPasswords(t *testing.T) {
	for i, line := range strings.Split(Defaults, "\n") {
		want := strings.HasPrefix(line, "id_") || slices.Contains([]string{"*.pem", "*.key", "*.p8", "*.ppk", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "credentials*.json", "secrets.*"}, line)
		if got := isSecret(i + 1); got != want {
			t.Errorf("line %d, %s: %v, want %v", i+1, line, got, want)
		}
	}
}

func TestJunkIsRecognizedByName(t *testing.T) {
	tests := []struct {
		name         string
		file, folder bool
	}{
		{".git", true, true}, {".svn", true, true}, {".hg", true, true}, {".bzr", true, true}, {".jj", true, true}, {".fossil", true, true},
		{"_FOSSIL_", true, true}, {".gitignore", true, true}, {".gitkeep", true, true},
		{"CVS", false, true}, {"_darcs", false, true}, {"__MACOSX", false, true}, {"$RECYCLE.BIN", false, true},
		{"System Volume Information", false, true},
		{".DS_Store", true, false}, {"._a.png", true, false}, {"Thumbs.db", true, false}, {"thumbs.DB", true, false}, {"Desktop.ini", true, false},
		{"a.png~", true, false}, {"~", true, false}, {"#a#", true, false}, {".#a", true, false}, {"~$a.docx", true, false}, {".~lock.a.odt#", true, false},
		{".a.swp", true, false}, {"a.swp", true, false}, {".a.swo", true, false}, {".a.swx", true, false}, {".nfs000000", true, false},
		{"a___jb_tmp___", true, false},

		{"a", false, false}, {".", false, false}, {"#", false, false}, {"##", false, false}, {"a#", false, false}, {"#a", false, false},
		{"a.tmp", false, false}, {"a.bak", false, false}, {"a.swo", false, false}, {".a.swf", true, false}, {"intro.swf", false, false},
		{"a.git", false, false}, {"cvs", false, false}, {"Cart", false, false}, {"Sky", false, false}, {"_a", false, false}, {".hidden", false, false},
		{"cook.toml", false, false}, {"~a", false, false}, {"\xff", false, false},
	}
	for _, tt := range tests {
		if got := junkFile(tt.name); got != tt.file {
			t.Errorf("file %q: junk is %v", tt.name, got)
		}
		if got := junkFolder(tt.name); got != tt.folder {
			t.Errorf("directory %q: junk is %v", tt.name, got)
		}
	}
}

func TestFirstByteShortcutAgreesWithTables(t *testing.T) {
	for _, list := range [][]string{controlNames[:], folderNames[:]} {
		for _, name := range list {
			if !junkFolder(name) {
				t.Errorf("directory %q is kept", name)
			}
		}
	}
	for _, list := range [][]string{controlNames[:], fileNames[:]} {
		for _, name := range list {
			if !junkFile(name) {
				t.Errorf("file %q is kept", name)
			}
		}
	}
}
