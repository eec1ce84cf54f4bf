package scan

import "strings"

// The tables hold only names that no asset has. Names such as
// *.tmp or *.bak are not among them: a project may mean them, and .cookignore
// is there for the others.

// controlNames are left out whatever they are: folders of version control
// systems, the files that stand for such folders in linked checkouts, and the
// files that steer them.
var controlNames = [...]string{
	".git", ".gitattributes", ".gitignore", ".gitkeep", ".gitmodules",
	".svn", ".hg", ".hgignore", ".hgsub", ".hgsubstate", ".hgtags",
	".bzr", ".bzrignore", ".cvsignore", ".jj", ".pijul", ".sl",
	".fossil", ".fslckout", "_FOSSIL_",
	".p4config", ".p4ignore",
}

// folderNames are left out where they name a folder.
var folderNames = [...]string{
	"CVS", "_darcs",
	".AppleDouble", ".DocumentRevisions-V100", ".Spotlight-V100",
	".TemporaryItems", ".Trashes", ".fseventsd", "__MACOSX",
	"$RECYCLE.BIN", "System Volume Information",
}

// fileNames are left out where they name anything but a folder. Windows does
// not keep their case, so neither do we.
var fileNames = [...]string{".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"}

// junkFolder reports whether a folder of that name is left out.
func junkFolder(name string) bool {
	// Every name of both tables starts with one of these, and hardly any
	// other name does: most are done here.
	switch name[0] {
	case '.', '_', '$', 'C', 'S':
	default:
		return false
	}
	return isControl(name) || oneOf(folderNames[:], name)
}

// junkFile reports whether a file of that name is left out.
func junkFile(name string) bool {
	first, last := name[0], name[len(name)-1]
	switch {
	case last == '~': // most editors' backup
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

// isVimSwap matches .name.swp, and the names Vim takes when that one exists:
// .name.swo down to .name.swa, and .name.swx while it probes the folder.
func isVimSwap(name string) bool {
	if name[0] != '.' || len(name) < 5 {
		return false
	}
	stem, last := name[:len(name)-1], name[len(name)-1]
	return strings.HasSuffix(stem, ".sw") && ('a' <= last && last <= 'p' || last == 'x')
}

func isControl(name string) bool { return oneOf(controlNames[:], name) }

func oneOf(list []string, name string) bool {
	for _, n := range list {
		if n == name {
			return true
		}
	}
	return false
}
