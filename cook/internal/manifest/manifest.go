// Package manifest reads and writes the list of artifacts in an output directory. The documentation
// of package cook/manifest, which only reads, has the form of its files.
//
// # Where parts begin
//
// Besides the first asset, a part begins with each source whose XXH3-64 has its
// low 10 bits zero. So the places are known from the sorted list alone and do
// not shift: an edit changes the part it falls in, at most the one before too,
// and the root. Counting to 1024 instead would move every later border when an
// asset comes in near the beginning. Only the source is hashed, and a source
// begins no second part, so the targets of a source stay together.
//
// Parts have 1024 assets of different sources on average and one in a hundred
// has over 4700. Names that were chosen for it can make a part as long as the
// list; that costs time, nothing else.
package manifest

import (
	"errors"
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

const (
	// Name is the file that a manifest is read from, below the output directory.
	Name = "manifest.json"
	// PartsDir is the directory of the parts, below the output directory.
	PartsDir = "manifest.parts"
)

// ErrFormat is the cause when a manifest is of a format that the operation does
// not take: for [Update] format 1, which earlier versions wrote; for all of
// them one of a later version.
var ErrFormat = errors.New("made by another version of cook; build the manifest anew")

// Asset is a source that was cooked for a target.
type Asset struct {
	Source  string   // slash-separated and clean, below the asset directory
	Target  string   // UTF-8, may be empty
	ID      string   `json:",omitempty"` // a UUID that the source keeps through renames; "" if assets have none
	Outputs []Output // in the order of the recipe
}

// Output is an artifact.
type Output struct {
	Path   string // slash-separated and clean, below the output directory
	Size   int64  // bytes
	BLAKE3 hashing.Digest
}

// File is a file of a manifest.
type File struct {
	Name string // slash-separated, below the output directory
	Data []byte
}

// Change sets the asset of a source and target, or removes it. Setting one that
// is not there adds it; removing one that is not there changes nothing.
type Change struct {
	Asset       // to remove it, source and target are enough
	Remove bool // rather than set
}

// load reads a file of a manifest by its name, as in [File].
type load = func(name string) ([]byte, error)

// key is what assets are sorted by.
type key struct{ source, target string }

func (a *Asset) key() key { return key{a.Source, a.Target} }

func (k key) compare(other key) int {
	if c := strings.Compare(k.source, other.source); c != 0 {
		return c
	}
	return strings.Compare(k.target, other.target)
}
