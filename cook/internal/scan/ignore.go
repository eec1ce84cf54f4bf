package scan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
)

// MaxIgnoreSize is the size limit of a .cookignore, in bytes.
const MaxIgnoreSize = 1 << 20

// ignoreList is a .cookignore and, through parent, the .cookignore files above. The rules are those
// of gitignore(5). The deepest file with a matching pattern takes precedence, and within a file the
// last matching pattern. Files below an ignored directory cannot be included again, because the
// walk never enters it.
type ignoreList struct {
	parent   *ignoreList
	base     int // length of the directory's path with its slash; 0 for the root
	patterns []pattern
	// folded is set if case is ignored, as in Defaults. Such lists have only patterns for the last
	// element.
	folded bool
}

// withPatterns returns the list with the patterns of the directory's .cookignore. l may be nil.
func (l *ignoreList) withPatterns(patterns []pattern, folder string) *ignoreList {
	if len(patterns) == 0 {
		return l
	}
	base := 0
	if folder != "" {
		base = len(folder) + 1
	}
	return &ignoreList{parent: l, base: base, patterns: patterns}
}

// deciding returns the pattern that applies to path, or nil if no pattern matches. The last element
// of the path begins at the offset in name.
func (l *ignoreList) deciding(path []byte, name int, isFolder bool) *pattern {
	var buf [256]byte
	for ; l != nil; l = l.parent {
		if l.folded {
			path, name = lowered(buf[:0], path[name:]), 0
		}
		for i := len(l.patterns) - 1; i >= 0; i-- {
			p := &l.patterns[i]
			if p.folderOnly && !isFolder {
				continue
			}
			from := l.base
			if p.byName {
				from = name
			}
			if p.matchPattern(path[from:]) {
				return p
			}
		}
	}
	return nil
}

// parseIgnore parses a .cookignore. There are no syntax errors: as in git, an invalid pattern
// matches nothing.
func parseIgnore(data []byte) []pattern {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var patterns []pattern
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		line, _, _ = bytes.Cut(line, []byte{0}) // a NUL ends the line, as in git
		if p, ok := compileIgnore(string(trimSpaces(line))); ok {
			p.line = number
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// trimSpaces removes the spaces at the end of a line, except an escaped space. It keeps tabs. If a
// line ends in a lone backslash, it is unchanged, and matches nothing.
func trimSpaces(line []byte) []byte {
	end := 0 // number of bytes to keep
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
			if i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// addIgnoreRules adds the patterns of the directory's .cookignore, if the file exists. ok is false
// if the file cannot be read.
func (v *visitor) addIgnoreRules(f folder, n *node) (ok bool) {
	patterns, err := v.readIgnore(f, n)
	if err != nil {
		n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, IgnoreName), BadIgnore, err})
		return false
	}
	n.ignore = n.ignore.withPatterns(patterns, n.path)
	return true
}

// readIgnore reads the directory's .cookignore, if the file exists, and records it in n. The file
// must be regular. Git does not follow links to ignore files either.
func (v *visitor) readIgnore(f folder, n *node) ([]pattern, error) {
	n.findings.stats++
	st, err := f.lstat(IgnoreName)
	if err != nil {
		if pathname.IsAbsent(err) {
			return nil, nil
		}
		return nil, err
	}
	if st.mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("the file is a link; replace it with a plain file")
	}
	if !st.mode().IsRegular() {
		return nil, typeError(st.mode())
	}
	name := filepath.FromSlash(joinReal(n.real, IgnoreName))
	file, err := v.walker.tree.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if fi, err := file.Stat(); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() {
		return nil, typeError(fi.Mode())
	}
	if lease.File(file) == lease.Busy {
		st = Stamp{} // no file has the zero stamp, so the next run reads the file again
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxIgnoreSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxIgnoreSize {
		return nil, fmt.Errorf("the file is larger than %d bytes", MaxIgnoreSize)
	}
	n.findings.ignores = append(n.findings.ignores, Entry{joinPath(n.path, IgnoreName), st})
	return parseIgnore(data), nil
}

// These tables have only names that are never assets. They omit names such as *.tmp and *.bak,
// which a project may use. A .cookignore can exclude them.

// controlNames are skipped, whether they are directories or files. Version control systems use
// them.
var controlNames = [...]string{
	".git", ".gitattributes", ".gitignore", ".gitkeep", ".gitmodules",
	".svn", ".hg", ".hgignore", ".hgsub", ".hgsubstate", ".hgtags",
	".bzr", ".bzrignore", ".cvsignore", ".jj", ".pijul", ".sl",
	".fossil", ".fslckout", "_FOSSIL_",
	".p4config", ".p4ignore",
}

// folderNames are skipped if they are directories.
var folderNames = [...]string{
	"CVS", "_darcs",
	".AppleDouble", ".DocumentRevisions-V100", ".Spotlight-V100",
	".TemporaryItems", ".Trashes", ".fseventsd", "__MACOSX",
	"$RECYCLE.BIN", "System Volume Information",
}

// fileNames are skipped unless they are directories. Their case is ignored, because Windows may
// change it.
var fileNames = [...]string{".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"}

// junkFolder reports whether a directory with this name is skipped.
func junkFolder(name string) bool {
	// Every name in the two tables starts with one of these characters, but few other names do.
	switch name[0] {
	case '.', '_', '$', 'C', 'S':
	default:
		return false
	}
	return isControl(name) || isOneOf(folderNames[:], name)
}

// junkFile reports whether a file with this name is skipped.
func junkFile(name string) bool {
	first, last := name[0], name[len(name)-1]
	switch {
	case last == '~': // backup file of most editors
		return true
	case first == '#' && last == '#' && len(name) > 2: // auto-save file of Emacs
		return true
	case strings.HasPrefix(name, "~$"): // lock file of Microsoft Office
		return true
	case strings.HasSuffix(name, ".swp"), isVimSwap(name):
		return true
	case strings.HasSuffix(name, "___jb_tmp___"), strings.HasSuffix(name, "___jb_old___"): // temporary file of JetBrains editors
		return true
	}
	if first == '.' {
		for _, p := range [...]string{
			"._",               // AppleDouble file of macOS
			".#",               // lock file of Emacs
			".~lock.",          // lock file of LibreOffice
			".goutputstream-",  // temporary file of GLib
			".nfs0", ".fuse_h", // file that was removed while a process had it open
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

// isVimSwap matches .name.swp and the other names that Vim uses: from .name.swo down to .name.swa,
// and .name.swx.
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
