package scan

import (
	"bytes"
	"fmt"
	"strings"
)

// A Verdict says what excludes a path.
type Verdict struct {
	// Path is the excluded directory above the path, or the path itself.
	Path string
	// File is the .cookignore and Line the number of its line. They are "" and 0 for lists that
	// every tree has: [Defaults], or, without a Pattern, the names that are always skipped.
	File    string
	Line    int
	Pattern string
}

// String says what excludes the path.
func (v Verdict) String() string {
	switch {
	case v.File != "":
		return fmt.Sprintf("%s:%d: %s", v.File, v.Line, v.Pattern)
	case v.Pattern != "":
		return fmt.Sprintf("%s, which is left out unless a %s has !%[1]s", v.Pattern, IgnoreName)
	}
	return "its name: version control, and leftovers of editors and desktops"
}

// Ignored returns what excludes a path of the tree. It reads the .cookignore files of the
// directories above; an unreadable file counts as empty. wanted are extensions as in
// [Options.Wanted].
func Ignored(path string, isFolder bool, wanted []string, read func(name string) ([]byte, error)) (Verdict, bool) {
	list := defaultList(wanted)
	texts := map[*pattern]string{} // the .cookignore of each pattern
	for end := 0; ; end++ {
		folder, name := path[:max(0, end-1)], end
		file := joinPath(folder, IgnoreName)
		if data, err := read(file); err == nil {
			patterns := parseIgnore(data)
			for i := range patterns {
				texts[&patterns[i]] = file
			}
			list = list.withPatterns(patterns, folder)
		}
		next := strings.IndexByte(path[end:], '/')
		if isLast := next < 0; isLast {
			end = len(path)
		} else {
			end += next
		}
		isDir := end < len(path) || isFolder
		v := Verdict{Path: path[:end]}
		if base := path[name:end]; base != "" && (isDir && junkFolder(base) || !isDir && junkFile(base)) {
			return v, true
		}
		if p := list.deciding([]byte(path[:end]), name, isDir); p != nil && !p.negate {
			text := []byte(Defaults)
			if !p.builtIn {
				v.File, v.Line = texts[p], p.line
				text, _ = read(v.File)
			}
			v.Pattern = lineText(text, p.line)
			return v, true
		}
		if end == len(path) {
			return Verdict{}, false
		}
	}
}

// lineText returns a line of a text, counted from 1, without its end.
func lineText(text []byte, number int) string {
	lines := bytes.Split(text, []byte{'\n'})
	if number > len(lines) {
		return ""
	}
	return strings.TrimSuffix(string(lines[number-1]), "\r")
}
