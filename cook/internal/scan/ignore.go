package scan

import "bytes"

// MaxIgnoreSize bounds one .cookignore, in bytes.
const MaxIgnoreSize = 1 << 20

// ignoreList is one .cookignore and, by its parent, those of the folders
// above. The rules are git's (gitignore(5)): the deepest file that has a
// matching pattern decides, within a file the last such pattern. That nothing
// below an ignored folder can be taken back in needs no rule: the walk does
// not go there.
type ignoreList struct {
	parent   *ignoreList
	base     int // length of the folder's path with its slash, 0 for the root
	patterns []pattern
	// folded says that letters of either case are equal, as in the list above all others,
	// which has patterns for names alone.
	folded bool
}

// with adds the patterns of folder's own .cookignore. l may be nil.
func (l *ignoreList) with(patterns []pattern, folder string) *ignoreList {
	if len(patterns) == 0 {
		return l
	}
	base := 0
	if folder != "" {
		base = len(folder) + 1
	}
	return &ignoreList{parent: l, base: base, patterns: patterns}
}

// deciding returns the pattern that decides on path, nil if none matches. name is where
// its last element starts.
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
			if p.match(path[from:]) {
				return p
			}
		}
	}
	return nil
}

// parseIgnore reads a .cookignore. Every text is one: what makes no sense as a
// pattern matches nothing, as in git.
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
		line, _, _ = bytes.Cut(line, []byte{0}) // where a C string ends
		if p, ok := compile(string(trimSpaces(line))); ok {
			p.line = number
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// trimSpaces drops the spaces at the end of a line, down to one that is
// escaped. Tabs stay. A line that ends in a lone backslash is left as it is;
// as a pattern it matches nothing.
func trimSpaces(line []byte) []byte {
	end := 0 // after the last byte that is kept
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
