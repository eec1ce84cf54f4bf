// Package manifest reads and writes the list of what was cooked: which
// artifacts each source became for each target, with their sizes and BLAKE3.
//
// # Form
//
// The list is sorted by source and then by target, bytewise, and holds no
// times. Equal lists give equal files, whatever the history: a manifest that
// was updated a thousand times is, byte for byte, the one that is built from
// scratch.
//
// A manifest of up to 4096 assets is one file, manifest.json, with one asset a
// line:
//
//	{"assetcook":2,"assets":[
//	{"source":"a.png","target":"pc","outputs":[{"path":"a.ktx2","size":7,"blake3":"…"}]}
//	]}
//
// A larger one is cut into parts, each a file of that same form, and
// manifest.json names them in order, with the first asset of each and how many
// it has:
//
//	{"assetcook":2,"parts":[
//	{"first":"a.png","first_target":"pc","path":"manifest.parts/<32 hex>.json","assets":1013}
//	]}
//
// If assets have IDs, that of the source stands behind the target:
//
//	{"source":"a.png","target":"pc","id":"d0f64a06-1bd3-54fd-96ea-44d6ff1ab0e4","outputs":[...]}
//
// The target is left out where it is empty. A name that is not UTF-8 has U+FFFD
// in its plain field for each byte that is not, and all its bytes in one of the
// same name with _base64 behind it. There is one spelling of everything: what
// this package reads is what it would write, or an error.
//
// # Parts
//
// A part is named by the first 16 bytes of the BLAKE3 of its bytes, so it never
// changes, and a reader can tell a damaged one. A writer puts new parts
// into place first, replaces the root by a rename, and removes the parts that
// are no longer named last: at every instant the root names whole parts. A
// reader that finds a part gone reads the root again.
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
	// Name is the file that a manifest is read from, below the output folder.
	Name = "manifest.json"
	// PartsDir is the folder of the parts, below the output folder.
	PartsDir = "manifest.parts"
)

// ErrFormat is the cause when a manifest is of a format that the operation does
// not take: for [Update] format 1, which earlier versions wrote; for all of
// them one of a later version.
var ErrFormat = errors.New("made by another version of cook; build the manifest anew")

// Asset is a source that was cooked for a target.
type Asset struct {
	Source  string   // slash-separated and clean, below the asset folder
	Target  string   // UTF-8, may be empty
	ID      string   `json:",omitempty"` // a UUID that the source keeps through renames; "" if assets have none
	Outputs []Output // in the order of the recipe
}

// Output is an artifact.
type Output struct {
	Path   string // slash-separated and clean, below the output folder
	Size   int64  // bytes
	BLAKE3 hashing.Digest
}

// File is a file of a manifest.
type File struct {
	Name string // slash-separated, below the output folder
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
