package rules

import "strings"

// A builtin is a row of the built-in table, the weakest of all rules. It goes by
// extension, not case-sensitive. It does not guess from names what a texture is
// for: a normal map cooked as a colour is a bug that nobody sees.
type builtin struct{ recipe, match string }

// A row is an index into the built-in table.
type row uint8

const (
	rowCopy row = iota // whatever has no row of its own
	rowImage
	rowJSON
	rowGLTF
)

var builtins = [...]builtin{
	rowCopy:  {"copy", "**"},
	rowImage: {"image", "*.{bmp,gif,jpeg,jpg,png,tga,tif,tiff,webp}"},
	rowJSON:  {"json", "*.json"},
	rowGLTF:  {"gltf", "*.gltf"},
}

// rowFor finds the row of a file name. As for recipe.Ext, a name that only
// starts with a dot has no extension; unlike it, this makes no new string.
func rowFor(name string) row {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i > len(".jpeg") {
		return rowCopy
	}
	var lower [len(".jpeg")]byte
	n := copy(lower[:], name[i:])
	for j, c := range lower[:n] {
		if 'A' <= c && c <= 'Z' {
			lower[j] = c + 'a' - 'A'
		}
	}
	switch string(lower[:n]) {
	case ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tga", ".tif", ".tiff", ".webp":
		return rowImage
	case ".json":
		return rowJSON
	case ".gltf":
		return rowGLTF
	}
	return rowCopy
}

// builtin returns a row, or that of copy if the set lacks its recipe.
func (s *Set) builtin(r row) builtin {
	if _, ok := s.recipes.Lookup(builtins[r].recipe); !ok {
		r = rowCopy
	}
	return builtins[r]
}
