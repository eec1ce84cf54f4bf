// Package manifest reads the list of artifacts in an output directory: for each source and target,
// the artifacts with their sizes and BLAKE3.
//
// # Form
//
// The list is sorted by source and then by target, bytewise, and contains no times. Equal lists
// give equal files, whatever runs made them.
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
// If the outputs name the outputs of other assets, as models name textures, a list of these assets
// comes before the outputs. An output that another output of the asset names, such as the page of an
// atlas, has a member "inner". An image has a member "role". Most assets have none of them:
//
//	{"source":"a.gltf","uses":[{"asset":"wood.png"}],"outputs":[...]}
//	{"source":"ui.sprites","outputs":[{"path":"ui.json",...},{"path":"ui.png",...,"inner":true,"role":"color"}]}
//
// An empty target is left out. If a name is not UTF-8, its plain field has U+FFFD for each invalid
// byte, and a second field, whose name ends in _base64, has all bytes of the name. Everything has
// only one spelling: this package either reads what cook writes, or returns an error.
//
// # Parts
//
// The name of a part is the first 16 bytes of the BLAKE3 of its content. So a part never changes,
// and a reader detects damage. A run first puts new parts into place, then replaces manifest.json
// by a rename, and then removes old parts. At every instant, manifest.json names complete parts. If
// a part is missing, a reader must read manifest.json again.
package manifest

import (
	"iter"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

const (
	// Name is the path of the file that must be read first, below the output directory.
	Name = manifest.Name
	// PartsDir is the directory of the parts, below the output directory.
	PartsDir = manifest.PartsDir
)

// ErrFormat is the cause of an error if a later version of cook wrote the manifest in another
// format.
var ErrFormat = manifest.ErrFormat

// An Asset is a source that was cooked for a target. It has the fields
//
//	Source  string   // clean path with slashes, below the asset directory
//	Target  string   // UTF-8, may be empty
//	ID      string   // UUID that the source keeps through renames; "" if assets have none
//	Uses    []string // sources, sorted, whose outputs these outputs name, such as textures
//	Outputs []Output // artifacts in the order of the recipe
type Asset = manifest.Asset

// An Output is an artifact. It has the fields
//
//	Path   string         // clean, with slashes, below the output directory
//	Size   int64          // bytes
//	BLAKE3 hashing.Digest // digest of the content
//	Role   string         // meaning of the pixels of an image, such as "normal"; "" for other files
//	Inner  bool           // another output of the asset names this file, and programs load that one
type Output = manifest.Output

// Read yields all assets of a manifest in order. root is the content of manifest.json. load reads
// parts by their paths below the output directory, one at a time. Read supports the present format
// and format
// 1. It yields assets of a part only if the content of the part matches its name.
//
// If there is an error, it comes last, with a zero Asset, and names the damaged file. The assets
// before it are then not the whole list. The error wraps an error of load, so a caller can find out
// that a part is missing, and read manifest.json again.
func Read(root []byte, load func(path string) ([]byte, error)) iter.Seq2[Asset, error] {
	return manifest.Read(root, load)
}
