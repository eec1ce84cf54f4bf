package rules

import "strings"

// A builtin is a row of the built-in table, the weakest of all rules. It goes by
// file names, not case-sensitive.
type builtin struct {
	recipe, match string
	// key and word are an option that the row sets if its recipe is the one that
	// cooks and has it; "" for none.
	key, word string
}

// A row is an index into the built-in table.
type row uint8

const (
	rowCopy row = iota // whatever has no row of its own
	rowImage
	rowNormal
	rowAudio
	rowMesh
	rowJSON
)

const pictures = "{bmp,gif,hdr,jpeg,jpg,png,qoi,tga,tif,tiff,webp}"

var builtins = [...]builtin{
	rowCopy:  {recipe: "copy", match: "**"},
	rowImage: {recipe: "image", match: "*." + pictures},
	// The recipe looks whether the content may be a normal map. A name that says so
	// is needed as well: few pictures tell with certainty what they are for.
	rowNormal: {recipe: "image", match: "*{_n,_nrm,_norm,_normal,_normals}." + pictures, key: "kind", word: "normal"},
	rowAudio:  {recipe: "audio", match: "*.{flac,wav}"},
	rowMesh:   {recipe: "mesh", match: "*.{glb,gltf,obj}"},
	rowJSON:   {recipe: "json", match: "*.json"},
}

// rowFor finds the row of a file name. As for recipe.Ext, a name that only
// starts with a dot has no extension; unlike it, this makes no new string.
func rowFor(name string) row {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i > len(".jpeg") {
		return rowCopy
	}
	var lower [len(".jpeg")]byte
	switch string(lowered(lower[:], name[i:])) {
	case ".bmp", ".gif", ".hdr", ".jpeg", ".jpg", ".png", ".qoi", ".tga", ".tif", ".tiff", ".webp":
		if isNormal(name[:i]) {
			return rowNormal
		}
		return rowImage
	case ".flac", ".wav":
		return rowAudio
	case ".glb", ".gltf", ".obj":
		return rowMesh
	case ".json":
		return rowJSON
	}
	return rowCopy
}

// isNormal reports whether a file name without its extension says that the picture
// is a normal map.
func isNormal(stem string) bool {
	i := strings.LastIndexByte(stem, '_')
	if i < 0 || len(stem)-i > len("_normals") {
		return false
	}
	var lower [len("_normals")]byte
	switch string(lowered(lower[:], stem[i:])) {
	case "_n", "_nrm", "_norm", "_normal", "_normals":
		return true
	}
	return false
}

// lowered copies a word into dst, which has room for it, in lower case.
func lowered(dst []byte, word string) []byte {
	n := copy(dst, word)
	for i, c := range dst[:n] {
		if 'A' <= c && c <= 'Z' {
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst[:n]
}

// builtin returns a row, or that of copy if the set lacks its recipe.
func (s *Set) builtin(r row) builtin {
	if _, ok := s.recipes.Lookup(builtins[r].recipe); !ok {
		r = rowCopy
	}
	return builtins[r]
}
