package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/fileformat"
)

// A Format is a kind of file. It has the fields
//
//	Name       string   // with its article: "a PNG picture"
//	Extensions []string // in lower case, with their dots
//	Magic      []string // beginnings of such files; a dot is any byte
//	Loose      bool     // files may begin otherwise as well
type Format = fileformat.Format

// HeadSize is the number of bytes at the beginning of a source that Estimate and Lint get.
const HeadSize = fileformat.HeadSize

// ErrShortHead is returned by Traits.Estimate if it needs the whole source.
var ErrShortHead = fileformat.ErrShortHead

func checkFormat(f Format) error {
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
