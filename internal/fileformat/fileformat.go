// Package fileformat recognizes kinds of files by their first bytes.
package fileformat

import (
	"errors"
	"io"
	"slices"
)

// HeadSize is the number of bytes at the start of a file that are usually enough to detect its
// format.
const HeadSize = 64 << 10

// ErrShortHead is the error of a function that needs more bytes of a file than it was given.
var ErrShortHead = errors.New("the source is too short to detect its format")

// A Format is a kind of file.
type Format struct {
	Name       string   // name with its article, such as "a PNG image"
	Extensions []string // file extensions with dots, in lower case
	Magic      []string // prefixes of files of this format; a dot matches any byte
	Loose      bool     // set if some files of this format start with none of the prefixes
	// Verify returns a line that describes damage anywhere in a file, or "". It is called for files
	// that are copied. It must accept files of other formats. It may be nil.
	Verify func(file io.ReaderAt, size int64) string
}

// Starts returns the length of the longest prefix in Magic that head starts with, or 0 if there is
// none.
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
