package scan

import "strings"

// The tables contain only names that no asset has. Names such as *.tmp or *.bak are not included:
// a project may use them, and otherwise a .cookignore can exclude them.

// controlNames are skipped whatever their type: directories of version control systems, files
// that replace such directories in linked checkouts, and their control files.
var controlNames = [...]string{
	".git", ".gitattributes", ".gitignore", ".gitkeep", ".gitmodules",
	".svn", ".hg", ".hgignore", ".hgsub", ".hgsubstate", ".hgtags",
	".bzr", ".bzrignore", ".cvsignore", ".jj", ".pijul", ".sl",
	".fossil", ".fslckout", "_FOSSIL_",
	".p4config", ".p4ignore",
}

// folderNames are skipped if they name a directory.
var folderNames = [...]string{
	"CVS", "_darcs",
	".AppleDouble", ".DocumentRevisions-V100", ".Spotlight-V100",
	".TemporaryItems", ".Trashes", ".fseventsd", "__MACOSX",
	"$RECYCLE.BIN", "System Volume Information",
}

// fileNames are skipped unless they name a directory. Their case is ignored, because Windows does
// not preserve it.
var fileNames = [...]string{".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"}

// junkFolder reports whether a directory with that name is skipped.
func junkFolder(name string) bool {
	// Every name of both tables starts with one of these characters, and few other names do.
	switch name[0] {
	case '.', '_', '$', 'C', 'S':
	default:
		return false
	}
	return isControl(name) || isOneOf(folderNames[:], name)
}

// junkFile reports whether a file with that name is skipped.
func junkFile(name string) bool {
	first, last := name[0], name[len(name)-1]
	switch {
	case last == '~': // backup of most editors
		return true
	case first == '#' && last == '#' && len(name) > 2: // Emacs, auto-save
		return true
	case strings.HasPrefix(name, "~$"): // Microsoft Office, lock
		return true
	case strings.HasSuffix(name, ".swp"), isVimSwap(name):
		return true
	case strings.HasSuffix(name, "___jb_tmp___"), strings.HasSuffix(name, "___jb_old___"): // JetBrains, safe write
		return true
	}
	if first == '.' {
		for _, p := range [...]string{
			"._",               // AppleDouble
			".#",               // Emacs, lock
			".~lock.",          // LibreOffice, lock
			".goutputstream-",  // GLib, safe write
			".nfs0", ".fuse_h", // removed while open
		} {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
	}
	if (first == '.' || first == '_') && isControl(name) {
		return true
	}
	for _, n := range fileNames {
		if len(n) == len(name) && strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// isVimSwap matches .name.swp and the names that Vim uses if that file exists: .name.swo down to
// .name.swa, and .name.swx while it probes the directory.
func isVimSwap(name string) bool {
	if name[0] != '.' || len(name) < 5 {
		return false
	}
	stem, last := name[:len(name)-1], name[len(name)-1]
	return strings.HasSuffix(stem, ".sw") && ('a' <= last && last <= 'p' || last == 'x')
}

func isControl(name string) bool { return isOneOf(controlNames[:], name) }

func isOneOf(list []string, name string) bool {
	for _, n := range list {
		if n == name {
			return true
		}
	}
	return false
}
