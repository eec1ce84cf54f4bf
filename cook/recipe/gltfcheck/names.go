package gltfcheck

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/recipe/data/jsontext"
)

// CheckNames refuses members that are called like one of glTF's but for their case.
// Parse takes "Nodes" for "nodes", as encoding/json does; who edits the text by its
// names, and every other reader, does not. The text must be valid JSON.
func CheckNames(text []byte) error {
	known := names()
	type level struct {
		foreign bool   // not glTF's own: extensions, extras, names that the author gives
		last    string // an object's last name, whose value an object or list here is
	}
	open := []level{{}}
	for i := 0; i < len(text); i++ {
		top := &open[len(open)-1]
		switch text[i] {
		case '{', '[':
			open = append(open, level{foreign: top.foreign || slices.Contains(foreign, top.last)})
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			start := i
			i = jsontext.StringEnd(text, i)
			if !isName(text[i+1:]) {
				continue
			}
			top.last = jsontext.DecodeString(text, start)
			if top.foreign || slices.Contains(known, top.last) {
				continue
			}
			for _, name := range known {
				if strings.EqualFold(name, top.last) {
					return jsontext.Errorf(text, start, "%q must be written %q", top.last, name)
				}
			}
		}
	}
	return nil
}

// foreign are the members whose own members are not called by glTF. A list under one of
// these names is as foreign as an object.
var foreign = []string{"extensions", "extras", "attributes", "targets"}

// isName reports whether a string was a name, by what comes behind it.
func isName(rest []byte) bool {
	for _, c := range rest {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c == ':'
	}
	return false
}

// names returns the names of all members that Parse reads, each once, and of those
// that are foreign.
var names = sync.OnceValue(func() []string {
	list := slices.Clone(foreign)
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				list = append(list, t.Field(i).Tag.Get("json"))
				walk(t.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[Document]())
	slices.Sort(list)
	return slices.Compact(list)
})
