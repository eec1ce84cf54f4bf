package gltfcheck

import (
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe/data/jsontext"
)

// objectLists are the lists of objects that Document decodes: those of the
// document, and those of their elements.
var objectLists = [2][]string{
	{
		"scenes", "nodes", "meshes", "materials", "textures", "images", "samplers", "cameras",
		"skins", "animations", "accessors", "bufferViews", "buffers",
	},
	{"primitives", "targets", "channels", "samplers"},
}

// checkObjectLists refuses elements that are no objects in lists of them. So
// would encoding/json, but it first makes a zero object of each: a list of
// nothing but "0," would take a hundred times its size. The text must be valid
// JSON.
func checkObjectLists(text []byte) error {
	// level is an open object or list. It is known if it is decoded as one of
	// Document's objects or lists of objects. Key is the offset of an
	// object's last string, or of a known list's name.
	type level struct {
		list, known bool
		key         int
	}
	open := []level{{list: true, known: true}} // as if the document were in a list
	element := true                            // a known list's next element, or its end, is due
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		if element && c != '{' && c != ']' {
			if len(open) == 1 {
				return jsontext.Errorf(text, i, "want an object")
			}
			return jsontext.Errorf(text, i, "%s: want a list of objects", jsontext.DecodeString(text, open[len(open)-1].key))
		}
		element = false
		top := &open[len(open)-1]
		switch c {
		case '"':
			if !top.list {
				top.key = i
			}
			i = jsontext.StringEnd(text, i)
		case '{':
			open = append(open, level{known: top.list && top.known})
		case '[':
			element = top.known && !top.list && isObjectList(jsontext.DecodeString(text, top.key), len(open)-1)
			open = append(open, level{list: true, known: element, key: top.key})
		case ',':
			element = top.list && top.known
		case '}', ']':
			open = open[:len(open)-1]
		}
	}
	return nil
}

// isObjectList matches names as encoding/json does, whatever their case.
func isObjectList(name string, depth int) bool {
	return slices.ContainsFunc(objectLists[min(depth-1, 1)], func(s string) bool { return strings.EqualFold(s, name) })
}
