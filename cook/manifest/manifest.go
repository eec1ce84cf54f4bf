// Package manifest reads the list of artifacts in an output directory: for each source and target the
// artifacts, with their sizes and BLAKE3.
//
// # Form
//
// The list is sorted by source and then by target, bytewise, and holds no times. Equal lists give
// equal files, whatever the history.
//
// A manifest of up to 4096 assets is one file, manifest.json, with one asset a line:
//
//	{"assetcook":2,"assets":[
//	{"source":"a.png","target":"pc","outputs":[{"path":"a.ktx2","size":7,"blake3":"…"}]}
//	]}
//
// A larger manifest is cut into parts, each a file of the same form. Then manifest.json names the
// parts in order, with the first asset of each and the number of its assets:
//
//	{"assetcook":2,"parts":[
//	{"first":"a.png","first_target":"pc","path":"manifest.parts/<32 hex>.json","assets":1013}
//	]}
//
// If assets have IDs, the ID of the source follows the target:
//
//	{"source":"a.png","target":"pc","id":"d0f64a06-1bd3-54fd-96ea-44d6ff1ab0e4","outputs":[...]}
//
// An empty target is left out. A name that is not UTF-8 has U+FFFD in its plain field for each byte
// that is not, and all its bytes in a second field whose name ends in _base64. Everything has one
// spelling: this package reads what cook writes, or returns an error.
//
// # Parts
//
// The name of a part is the first 16 bytes of the BLAKE3 of its content. So a part never changes,
// and a reader finds damage. A run first puts new parts into place, then replaces manifest.json by a
// rename, and then removes old parts: at every instant manifest.json names whole parts. A reader
// that misses a part reads manifest.json again.
package manifest

import (
	"iter"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

const (
	// Name is the file at which reading begins, below the output directory.
	Name = manifest.Name
	// PartsDir is the directory of the parts, below the output directory.
	PartsDir = manifest.PartsDir
)

// ErrFormat is the cause of an error if a later version of cook wrote the manifest.
var ErrFormat = manifest.ErrFormat

// An Asset is a source that was cooked for a target. It has the fields
//
//	Source  string   // clean path with slashes, below the asset directory
//	Target  string   // UTF-8, may be empty
//	ID      string   // UUID that the source keeps through renames; "" if assets have none
//	Outputs []Output // in the order of the recipe
type Asset = manifest.Asset

// An Output is an artifact. It has the fields
//
//	Path   string         // clean, with slashes, below the output directory
//	Size   int64          // bytes
//	BLAKE3 hashing.Digest // of the content
type Output = manifest.Output

// Read yields all assets of a manifest in order. root is the content of manifest.json; load reads
// parts by their paths below the output directory, one at a time. Read takes this format and format 1,
// and yields from a part only if its content fits its name.
//
// An error comes last, with a zero Asset, and names the damaged file. Then the assets before it are
// not the whole list. It wraps an error of load, so a caller that learns of a missing part can
// read manifest.json again.
func Read(root []byte, load func(path string) ([]byte, error)) iter.Seq2[Asset, error] {
	return manifest.Read(root, load)
}
