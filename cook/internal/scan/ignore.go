package scan

import "bytes"

// MaxIgnoreSize is the size limit of a .cookignore, in bytes.
const MaxIgnoreSize = 1 << 20

// ignoreList is one .cookignore and, through parent, the .cookignore files of the directories
// above. The rules are git's (gitignore(5)): the deepest file with a matching pattern decides, and
// within a file the last matching pattern. Files below an ignored directory cannot be included
// again, because the walk never enters it.
type ignoreList struct {
	parent   *ignoreList
	base     int // length of the directory's path with its slash, 0 for the root
	patterns []pattern
	// folded says that the case of letters is ignored, as in Defaults, which only has patterns
	// for names.
	folded bool
}

// withPatterns returns the list with the patterns of the directory's own .cookignore. l may be nil.
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

// deciding returns the pattern that decides on path, nil if none matches. name is the start of
// the last element.
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

// parseIgnore parses a .cookignore. Every text is valid: an invalid pattern matches nothing, as
// in git.
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
		line, _, _ = bytes.Cut(line, []byte{0}) // a NUL ends the line, as in C
		if p, ok := compileIgnore(string(trimSpaces(line))); ok {
			p.line = number
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// trimSpaces removes the spaces at the end of a line, except an escaped one. Tabs stay. A line
// that ends in a lone backslash is unchanged; as a pattern it matches nothing.
func trimSpaces(line []byte) []byte {
	end := 0 // after the last byte to keep
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
