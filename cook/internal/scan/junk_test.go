package scan

import "testing"

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

// The shortcut of junkFolder agrees with its tables.
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
