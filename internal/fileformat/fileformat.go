// Package fileformat recognizes kinds of files by their first bytes.
package fileformat

import (
	"errors"
	"slices"
)

// HeadSize is the number of bytes at the beginning of a file that decide about it at first.
const HeadSize = 64 << 10

// ErrShortHead is returned by a function that needs more than the beginning of a file.
var ErrShortHead = errors.New("more of the source is needed")

// A Format is a kind of file.
type Format struct {
	Name       string   // name with its article: "a PNG image"
	Extensions []string // file extensions with dots, in lower case
	Magic      []string // beginnings of such files; a dot is any byte
	Loose      bool     // files may begin otherwise as well
}

// Starts returns how many bytes at the beginning of a file show that it has the format, 0 for none.
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

// Has reports whether files of the format have an extension, given in lower case.
func (f Format) Has(ext string) bool { return slices.Contains(f.Extensions, ext) }
