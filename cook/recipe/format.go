package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Format is a kind of file.
type Format struct {
	Name       string   // with its article: "a PNG picture"
	Extensions []string // as those of a Recipe
	// Magic are the ways in which files of the format start, a dot standing for any byte.
	Magic []string
	// Loose says that files of the format may start otherwise as well.
	Loose bool
}

// Starts returns how many bytes of head, the first of a file, say that the file is of the
// format, 0 for none.
func (f Format) Starts(head []byte) int {
	most := 0
	for _, m := range f.Magic {
		if len(m) > most && len(m) <= len(head) && isMagic(m, head) {
			most = len(m)
		}
	}
	return most
}

func isMagic(magic string, head []byte) bool {
	for i := range len(magic) {
		if magic[i] != '.' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// Has reports whether files of the format go by an extension, which is in lower case.
func (f Format) Has(ext string) bool { return slices.Contains(f.Extensions, ext) }

func (f Format) check() error {
	switch {
	case f.Name == "":
		return errors.New("no name")
	case len(f.Extensions) == 0:
		return errors.New("no extensions")
	case len(f.Magic) == 0 && !f.Loose:
		return errors.New("without magic numbers it has to be loose")
	case slices.ContainsFunc(f.Magic, func(m string) bool { return strings.Trim(m, ".") == "" }):
		return errors.New("a magic number that any file starts with")
	}
	return checkExtensions(f.Extensions)
}

// checkExtensions judges a list of extensions.
func checkExtensions(list []string) error {
	for i, ext := range list {
		letters, ok := strings.CutPrefix(ext, ".")
		if !ok || !isWord(letters, "-_") || len(ext) > maxExtension {
			return fmt.Errorf("extension %q: want a dot and one or more of a-z, 0-9, '-' and '_', at most %d bytes", ext, maxExtension)
		}
		if slices.Contains(list[:i], ext) {
			return fmt.Errorf("extension %s is listed twice", ext)
		}
	}
	return nil
}
