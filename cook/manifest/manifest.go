// Package manifest reads the manifest of an output directory. A manifest lists the artifacts of
// each source and target, with their sizes and BLAKE3 hashes.
//
// # Form
//
// The list is sorted by source and then by target, bytewise, and contains no times. Equal lists
// give equal files, even from different runs.
//
// A manifest of any size is one file, manifest.json, with one asset on each line:
//
//	{"assetcook":2,"assets":[
//	{"source":"a.png","target":"pc","outputs":[{"path":"a.ktx2","size":7,"blake3":"…"}]}
//	]}
//
// A project with manifest = "parts" has a manifest that is divided into parts. Each part is a file
// of the same form. Then manifest.json names the parts in order, with the first asset and the
// number of assets of each part:
//
//	{"assetcook":2,"parts":[
//	{"first":"a.png","first_target":"pc","path":"manifest.parts/<32 hex>.json","assets":1013}
//	]}
//
// If assets have IDs, the ID of the source follows the target:
//
//	{"source":"a.png","target":"pc","id":"d0f64a06-1bd3-54fd-96ea-44d6ff1ab0e4","outputs":[...]}
//
// Outputs may name the outputs of other assets, as models name textures. A list of these assets
// then comes before the outputs. The member "inner" marks an output that another output of the
// asset names, such as the page of an atlas. An image has a member "role". Most assets have none of
// these members:
//
//	{"source":"a.gltf","uses":[{"asset":"wood.png"}],"outputs":[...]}
//	{"source":"ui.sprites","outputs":[{"path":"ui.json",...},{"path":"ui.png",...,"inner":true,"role":"color"}]}
//
// An empty target is left out. If a name is not UTF-8, its field has U+FFFD for each invalid byte.
// A second field with the suffix _base64 then has all bytes of the name. Each value has only one
// valid spelling, and this package returns an error for any other.
//
// # Parts
//
// The name of a part is the first 16 bytes of the BLAKE3 hash of its content. Therefore a part
// never changes, and a reader can detect damage. A run first writes new parts, then replaces
// manifest.json by a rename, and then removes old parts. At every instant, manifest.json names
// complete parts. If a part is missing, a reader must read manifest.json again.
package manifest

import (
	"iter"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

const (
	// Name is the path of the first file to read, relative to the output directory.
	Name = manifest.Name
	// PartsDir is the directory of the parts, relative to the output directory.
	PartsDir = manifest.PartsDir
)

// ErrFormat is the cause of an error about a manifest whose format is newer than this package.
var ErrFormat = manifest.ErrFormat

// An Asset is a source that was cooked for a target. It has the fields
//
//	Source  string   // clean path with slashes, relative to the asset directory
//	Target  string   // UTF-8, may be empty
//	ID      string   // UUID that the source keeps through renames; "" if assets have no IDs
//	Uses    []string // sorted sources whose outputs these outputs name, such as textures
//	Outputs []Output // artifacts in the order of the recipe
type Asset = manifest.Asset

// An Output is an artifact. It has the fields
//
//	Path   string         // clean path with slashes, relative to the output directory
//	Size   int64          // bytes
//	BLAKE3 hashing.Digest // digest of the content
//	Role   string         // meaning of an image's pixels, such as "normal"; "" for other files
//	Inner  bool           // another output of the asset names this file, and programs load that output
type Output = manifest.Output

// Read yields all assets of a manifest in order. root is the content of manifest.json. load reads
// one part, given its path relative to the output directory. Read supports format 1 and the current
// format. It yields assets of a part only if the content of the part matches its name.
//
// An error comes last, with a zero Asset, and names the damaged file. The assets before the error
// are then not the whole list. Errors of load are wrapped, so that a caller can detect a missing
// part and read manifest.json again.
func Read(root []byte, load func(path string) ([]byte, error)) iter.Seq2[Asset, error] {
	return manifest.Read(root, load)
}
