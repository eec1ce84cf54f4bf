// Package fileformat recognizes kinds of files by their first bytes.
package fileformat

import (
	"errors"
	"io"
	"slices"
)

// HeadSize is the number of bytes at the start of a file that are first used to detect its kind.
const HeadSize = 64 << 10

// ErrShortHead is the error of a function that needs more than the given start of a file.
var ErrShortHead = errors.New("the source is too short to detect its format")

// A Format is a kind of file.
type Format struct {
	Name       string   // name with its article, such as "a PNG image"
	Extensions []string // file extensions with dots, in lower case
	Magic      []string // prefixes of such files; a dot matches any byte
	Loose      bool     // files may also start differently
	// Verify returns a line about damage anywhere in a file that is copied, "" for none. It may
	// be nil, and must accept files of other formats.
	Verify func(file io.ReaderAt, size int64) string
}

// Starts returns the length of the format's prefix that head starts with, or 0 if there is none.
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

// Has reports whether files of the format have the extension, given in lower case.
func (f Format) Has(ext string) bool { return slices.Contains(f.Extensions, ext) }
