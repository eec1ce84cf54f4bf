// Package pathname compares paths, and prints names and texts that may contain arbitrary bytes.
package pathname

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// longest is the maximum number of bytes of a name that Show prints in full. Show abbreviates
// longer names in the middle, so that a path of hundreds of directories does not hide the rest of a
// message.
const longest = 240

// Show returns a name unchanged if a terminal displays it correctly on one line. Otherwise it
// quotes the name as a Go string: control characters, bidirectional overrides and invalid UTF-8
// become escapes. It replaces the middle of a name of more than 240 bytes by "…" and adds the
// number of bytes.
func Show(name string) string {
	if len(name) > longest {
		head, tail := name[:longest/2], name[len(name)-longest/2:]
		for range utf8.UTFMax - 1 { // do not cut within a character
			if !utf8.RuneStart(name[len(head)]) {
				head = head[:len(head)-1]
			}
			if !utf8.RuneStart(tail[0]) {
				tail = tail[1:]
			}
		}
		return fmt.Sprintf("%s…%s (%d bytes)", Show(head), Show(tail), len(name))
	}
	quoted := strconv.Quote(name)
	if quoted[1:len(quoted)-1] == name {
		return name
	}
	plain := name
	if filepath.Separator == '\\' {
		plain = strings.ReplaceAll(name, `\`, `\\`)
	}
	if plain = strings.ReplaceAll(plain, `"`, `\"`); quoted[1:len(quoted)-1] == plain {
		return name // quotes are not needed, because only quotation marks and backslashes were escaped
	}
	return quoted
}

// Escape makes text harmless for terminals. It escapes all nonprinting characters except tabs and
// newlines.
func Escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// SplitScale splits the name of an image, without its extension, into a base and a scale such as
// "@2x" or "@0.5x". The scale is 0 if the name has none. The base is empty only if the name is
// empty.
func SplitScale(stem string) (base string, scale float64) {
	i := strings.LastIndexByte(stem, '@')
	if i < 1 || len(stem) > i+1+8 {
		return stem, 0
	}
	text, ok := strings.CutSuffix(stem[i+1:], "x")
	if !ok || strings.Trim(text, "0123456789.") != "" || strings.Trim(text, ".") == "" {
		return stem, 0
	}
	scale, err := strconv.ParseFloat(text, 64)
	if err != nil || scale == 0 {
		return stem, 0
	}
	if base = stem[:i]; strings.Trim(base, ".") == "" {
		return stem, 0
	}
	return base, scale
}

// Below returns the path of a file relative to a directory, with slashes. ok reports whether the
// file is in the directory. The path of the directory itself is ".". Both paths must be absolute
// and free of symbolic links, or both relative to the same directory. Below does not access the
// disk.
func Below(folder, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Relative returns the path of a file relative to a directory of the same tree. Both must be clean,
// slash-separated paths relative to the root of the tree, which is ".". On Windows, filepath.Rel
// would treat names that differ only in case as equal.
func Relative(folder, file string) string {
	up := ""
	for folder != "." && folder != file && !strings.HasPrefix(file, folder+"/") {
		folder = path.Dir(folder)
		up += "../"
	}
	if folder == file {
		return path.Clean(up)
	}
	if folder != "." {
		file = file[len(folder)+1:]
	}
	return up + file
}

// FromHere converts an absolute path to a path relative to the working directory, for messages. It
// returns other paths unchanged.
func FromHere(name string) string {
	if !filepath.IsAbs(name) {
		return name
	}
	wd, err := os.Getwd()
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(wd, name)
	if err != nil {
		return name
	}
	return rel
}

// IsAbsent reports whether an error means that the file is missing. Either the file does not
// exist, a parent is not a directory, or the name is too long for the system.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
