package scan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// A Mistake is a line of a .cookignore that probably does not have the effect that its author
// wants.
type Mistake struct {
	Line, Column int    // position in the file, counted from 1, with the column in bytes
	Text         string // description and correction
}

// Mistakes finds lines that probably do not have the effect that their author wants. All of them
// are valid.
func Mistakes(data []byte) (list []Mistake) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	folders := map[string]int{} // line number of each excluded directory
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		text := strings.TrimSuffix(string(line), "\r")
		if text == "" || text[0] == '#' || strings.TrimSpace(text) == "" {
			continue
		}
		if column, wrong := mistake(text, folders); wrong != "" {
			list = append(list, Mistake{number, column, wrong})
		}
		if name := leftFolder(text); name != "" {
			folders[name] = number
		}
	}
	return list
}

// leftFolder returns the directory that a line without wildcards excludes, or "".
func leftFolder(line string) string {
	if strings.HasPrefix(line, "!") || strings.ContainsAny(line, `*?[\`) {
		return ""
	}
	return strings.Trim(line, "/ ")
}

// mistake returns a text about the mistake in a line, or "", and the column of the mistake.
func mistake(line string, folders map[string]int) (column int, wrong string) {
	pattern, back := strings.CutPrefix(line, "!")
	column = len(line) - len(pattern) + 1
	switch {
	case strings.HasPrefix(pattern, "//"):
		return column, "comments begin with #"
	case pattern != strings.TrimLeft(pattern, " \t"):
		return column, "spaces before a pattern are part of the pattern; remove them"
	case strings.HasPrefix(pattern, `"`), strings.HasPrefix(pattern, "'"):
		return column, fmt.Sprintf("quotes are part of the pattern; write %s", strings.Trim(pattern, `"' `))
	case strings.Contains(pattern, " #"), strings.Contains(pattern, "\t#"):
		at := strings.IndexAny(pattern, " \t")
		return column + at, `text after a pattern is part of the pattern; write comments on separate lines`
	case strings.HasPrefix(pattern, "./"):
		return column, fmt.Sprintf("the pattern matches nothing; patterns begin at the directory of this file: write %s", pattern[1:])
	case strings.HasPrefix(pattern, "../"):
		return column, "the pattern matches nothing, because patterns match files in the directory of this file; move the line to the .cookignore of the other directory"
	case strings.HasPrefix(pattern, "^"), strings.HasSuffix(pattern, "$"), strings.Contains(pattern, `\.`):
		plain := strings.NewReplacer(`\.`, ".", ".*", "*", "^", "", "$", "").Replace(pattern)
		return column, fmt.Sprintf("patterns are not regular expressions; write %s", plain)
	}
	if at := escapedLetter(pattern); at >= 0 {
		return column + at, fmt.Sprintf("paths have slashes; write %s", strings.ReplaceAll(pattern, `\`, "/"))
	}
	if g := braces().FindStringSubmatchIndex(pattern); g != nil {
		return column + g[0], fmt.Sprintf("patterns of this file have no braces; write each alternative on its own line, such as %s", pattern[:g[0]]+pattern[g[2]:g[3]]+pattern[g[1]:])
	}
	if at := strings.Index(pattern, ", "); at >= 0 && strings.TrimSpace(pattern[at+1:]) != "" || strings.Contains(pattern, ",*") {
		return column + max(at, strings.Index(pattern, ",*")), "write each pattern on its own line"
	}
	if _, ok := compileIgnore(string(trimSpaces([]byte(line)))); !ok {
		switch {
		case strings.HasSuffix(pattern, `\`):
			return column, `the pattern matches nothing; the pattern of a directory ends in "/"`
		case strings.Contains(pattern, "["):
			return column + strings.IndexByte(pattern, '['), `the pattern matches nothing, because it has "[" without "]"; write \[ for a bracket in a name`
		}
		return column, "matches nothing"
	}
	if back {
		name := strings.TrimPrefix(pattern, "/")
		for i := range len(name) {
			if number := folders[name[:i]]; name[i] == '/' && number > 0 && strings.Trim(name[i:], "/ ") != "" {
				return 1, fmt.Sprintf("this line has no effect, because line %d leaves out the directory with all its files; write %s/* in that line", number, name[:i])
			}
		}
	}
	return 0, ""
}

// escapedLetter returns the index of an unnecessary backslash before a character, or -1.
func escapedLetter(pattern string) int {
	for i := 0; i+1 < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		switch c := pattern[i+1]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
			return i
		}
		i++
	}
	return -1
}

// braces matches alternatives in braces, as in shells and cook.toml. Its group is the first
// alternative.
var braces = lazyregexp.New(`\{([^{},]*),[^{}]*\}`)

// A Verdict names the pattern that excludes a path.
type Verdict struct {
	// Path is the excluded path or directory.
	Path string
	// File is the .cookignore, and Line is the number of the line in it. They are "" and 0 if the
	// pattern belongs to [Defaults] or, if Pattern is empty, if the name is always skipped.
	File    string
	Line    int
	Pattern string
}

// String describes the verdict in a message.
func (v Verdict) String() string {
	switch {
	case v.File != "":
		return fmt.Sprintf("%s:%d: %s", v.File, v.Line, v.Pattern)
	case v.Pattern != "":
		return fmt.Sprintf("%s, which is left out unless a %s has !%[1]s", v.Pattern, IgnoreName)
	}
	return "its name, which version control, editors or desktops use"
}

// Ignored returns the verdict that excludes a path of the tree. It reads the .cookignore files
// above the path; an unreadable file counts as empty. wanted has the same meaning as
// [Options.Wanted].
func Ignored(path string, isFolder bool, wanted []string, read func(name string) ([]byte, error)) (Verdict, bool) {
	list := defaultList(wanted)
	texts := map[*pattern]string{} // name of the .cookignore with each pattern
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
			if head, err := read(path[:end]); p.fits != nil && !isDir && err == nil && !p.fits(head) {
				return Verdict{}, false
			}
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

// lineText returns a line of a text without its line break. Lines count from 1.
func lineText(text []byte, number int) string {
	lines := bytes.Split(text, []byte{'\n'})
	if number > len(lines) {
		return ""
	}
	return strings.TrimSuffix(string(lines[number-1]), "\r")
}
