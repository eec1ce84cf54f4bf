package gltf

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A List is a list of the document whose elements are referenced by index.
type List uint8

// These are the lists of a document.
const (
	Scenes List = iota
	Nodes
	Meshes
	Skins
	Cameras
	Animations
	Materials
	Textures
	Samplers
	Images
	Accessors
	Lists // number of lists
)

var listKeys = [Lists]string{"scenes", "nodes", "meshes", "skins", "cameras", "animations", "materials", "textures", "samplers", "images", "accessors"}

// Key returns the name of the document's member that holds the list.
func (l List) Key() string { return listKeys[l] }

// Singular returns the noun for one element.
func (l List) Singular() string {
	if l == Meshes {
		return "mesh"
	}
	return strings.TrimSuffix(l.Key(), "s")
}

// ListOf returns the list with the given member name, such as "nodes".
func ListOf(key string) (l List, ok bool) {
	i := slices.Index(listKeys[:], key)
	return List(max(i, 0)), i >= 0
}

// References visits all members of a checked document that refer to elements of its lists,
// including those in known extensions. Recursion is limited by the depth of the shapes.
type References struct {
	// Visit returns the new index of an element. stays is false if the reference must be removed.
	// inTree is set if a parent node or a scene refers to a node.
	Visit func(of List, n int, inTree bool) (number int, stays bool)
	// Extensions collects the names of extensions that occur in objects. If it is nil, names are
	// not collected.
	Extensions map[string]bool
	// Unknown is the first unknown extension that contains an integer or a JSON pointer. Such an
	// extension may refer to any element.
	Unknown string
}

// Element visits the references in an element of a list. If nothing changes, it returns the same
// text.
func (r *References) Element(text json.RawMessage, of List) (json.RawMessage, error) {
	text, _, err := r.visitValue(text, allShapes().document.members[of.Key()].of)
	return text, err
}

// Member visits the references in a member of the document itself.
func (r *References) Member(m Member) (json.RawMessage, error) {
	text, _, err := r.visitMember(m, allShapes().document)
	return text, err
}

// visitValue visits a value. stays is false if the value must be removed from its object or list.
func (r *References) visitValue(text json.RawMessage, v *value) (_ json.RawMessage, stays bool, err error) {
	text = bytes.TrimSpace(text)
	if v == nil || len(text) == 0 {
		return text, true, nil
	}
	switch text[0] {
	case '{':
		for v.kind == aList {
			v = v.of
		}
		switch v.kind {
		case anObject:
			text, err = r.visitMembers(text, func(m Member) (json.RawMessage, bool, error) { return r.visitMember(m, v.shape) })
		case aTable:
			text, err = r.visitMembers(text, func(m Member) (json.RawMessage, bool, error) { return r.visitValue(m.Value, v.of) })
		}
		return text, true, err
	case '[':
		if v.kind == aList {
			v = v.of
		}
		return r.visitList(text, v)
	case '"':
		if v.pointer {
			text, err = r.visitPointer(text)
		}
		return text, true, err
	}
	for v.kind == aList {
		v = v.of
	}
	list, named := ListOf(v.names)
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || !named {
		return text, true, nil
	}
	number, stays := r.Visit(list, n, v.tree)
	if number != n {
		text = strconv.AppendInt(nil, int64(number), 10)
	}
	return text, stays, nil
}

// visitMembers visits the members of an object.
func (r *References) visitMembers(text json.RawMessage, visit func(Member) (json.RawMessage, bool, error)) (json.RawMessage, error) {
	o, err := ParseObject(text)
	if err != nil {
		return nil, err
	}
	kept, changed := o[:0], false
	for _, m := range o {
		was, stays := m.Value, false
		if m.Value, stays, err = visit(m); err != nil {
			return nil, err
		}
		changed = changed || !stays || !bytes.Equal(was, m.Value)
		if stays {
			kept = append(kept, m)
		}
	}
	if !changed {
		return text, nil
	}
	return kept.Text(), nil
}

// visitMember visits a member of an object with the given shape.
func (r *References) visitMember(m Member, s *shape) (_ json.RawMessage, stays bool, err error) {
	switch v := s.members[m.Key]; {
	case m.Key == "extensions":
		text, err := r.visitExtensions(m.Value, s)
		return text, true, err
	case m.Key == "extras":
		return m.Value, true, nil
	case v == nil && s.textured && strings.HasSuffix(m.Key, "Texture"):
		return r.visitValue(m.Value, allShapes().material.members["normalTexture"])
	default:
		return r.visitValue(m.Value, v)
	}
}

// visitList visits the elements of a list. It removes a list that loses its last element, because
// glTF forbids empty lists. Lists of lists contain no references.
func (r *References) visitList(text json.RawMessage, v *value) (_ json.RawMessage, stays bool, err error) {
	elements, err := ParseList(text)
	if err != nil {
		return nil, false, err
	}
	kept, changed := elements[:0], false
	for _, e := range elements {
		was, stays := e, true
		if len(e) > 0 && e[0] != '[' {
			if e, stays, err = r.visitValue(e, v); err != nil {
				return nil, false, err
			}
		}
		changed = changed || !stays || !bytes.Equal(was, e)
		if stays {
			kept = append(kept, e)
		}
	}
	if !changed {
		return text, true, nil
	}
	return ListText(kept), len(kept) > 0, nil
}

// nameless lists extensions that have no shape and contain no references.
var nameless = []string{"KHR_node_hoverability", "KHR_node_selectability", "KHR_xmp", "KHR_xmp_json_ld"}

// visitExtensions visits the extensions of an object.
func (r *References) visitExtensions(text json.RawMessage, s *shape) (json.RawMessage, error) {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return text, nil // only an object can contain references
	}
	return r.visitMembers(text, func(m Member) (json.RawMessage, bool, error) {
		if r.Extensions != nil {
			r.Extensions[m.Key] = true
		}
		inside := s.extensions[m.Key]
		if inside == nil {
			inside = s.unchecked[m.Key]
		}
		switch {
		case inside != nil:
		case slices.Contains(nameless, m.Key):
			return m.Value, true, nil
		case s == allShapes().material && (strings.HasPrefix(m.Key, "KHR_materials_") || strings.HasPrefix(m.Key, "MSFT_packing_")):
			inside = allShapes().surface
		default:
			if r.Unknown == "" && mayName(m.Value) {
				r.Unknown = m.Key
			}
			return m.Value, true, nil
		}
		value, _, err := r.visitValue(m.Value, &value{kind: anObject, shape: inside})
		return value, true, err
	})
}

// mayName reports whether a value contains, at any depth, an integer or a JSON pointer.
func mayName(text json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case json.Number:
			if n, err := strconv.ParseFloat(t.String(), 64); err == nil && n >= 0 && n == float64(int64(n)) {
				return true
			}
		case string:
			if strings.HasPrefix(t, "/") {
				return true
			}
		}
	}
}

// visitPointer updates the index in a JSON pointer to a part of an element, such as
// /nodes/3/rotation.
func (r *References) visitPointer(text json.RawMessage) (json.RawMessage, error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	parts := strings.Split(s, "/")
	if len(parts) < 3 || parts[0] != "" {
		return text, nil
	}
	l, isList := ListOf(parts[1])
	n, err := strconv.Atoi(parts[2])
	if !isList || err != nil || n < 0 {
		return text, nil
	}
	number, _ := r.Visit(l, n, false)
	if number == n {
		return text, nil
	}
	parts[2] = strconv.Itoa(number)
	return Quote(strings.Join(parts, "/")), nil
}

// Declare adds an extension to the document's lists of used and required extensions.
func (d *Document) Declare(name string, used, required bool) {
	if used && !slices.Contains(d.ExtensionsUsed, name) {
		d.ExtensionsUsed = append(d.ExtensionsUsed, name)
	}
	if required && !slices.Contains(d.ExtensionsRequired, name) {
		d.ExtensionsRequired = append(d.ExtensionsRequired, name)
	}
}

// Undeclare removes extensions from the document's lists.
func (d *Document) Undeclare(names ...string) {
	is := func(s string) bool { return slices.Contains(names, s) }
	d.ExtensionsUsed = slices.DeleteFunc(d.ExtensionsUsed, is)
	d.ExtensionsRequired = slices.DeleteFunc(d.ExtensionsRequired, is)
}

// WriteExtensions writes the lists of extensions to Root.
func (d *Document) WriteExtensions() {
	for _, l := range []struct {
		list  string
		names []string
	}{{"extensionsUsed", d.ExtensionsUsed}, {"extensionsRequired", d.ExtensionsRequired}} {
		quoted := make([]json.RawMessage, len(l.names))
		for i, name := range l.names {
			quoted[i] = Quote(name)
		}
		if len(quoted) > 0 {
			d.Root.Set(l.list, ListText(quoted))
		} else {
			d.Root.Delete(l.list)
		}
	}
}

// EachExtensionKey calls visit for every key, at any depth, inside the document's extensions. It
// stops when visit returns false. value is the first token of the key's value.
func (d *Document) EachExtensionKey(visit func(extension, key string, value json.Token) bool) {
	if !bytes.Contains(d.Text, []byte(`extensions"`)) && !bytes.Contains(d.Text, []byte(`\u`)) {
		return // the document has no extensions
	}
	decoder := json.NewDecoder(bytes.NewReader(d.Text))
	decoder.UseNumber()
	type level struct {
		list  bool
		value bool   // set if the next token is the value of key
		key   string // last key read
		of    string // extension that contains the value
		all   bool   // set if the keys of the object are names of extensions
	}
	var open []level
	for {
		t, err := decoder.Token()
		if err != nil {
			return
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		top := &level{list: true}
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		if key, ok := t.(string); ok && !top.list && !top.value {
			top.key, top.value = key, true
			continue
		}
		if !top.list && top.of != "" && !visit(top.of, top.key, t) {
			return
		}
		top.value = false
		if t == json.Delim('{') || t == json.Delim('[') {
			inside := level{list: t == json.Delim('['), of: top.of}
			switch {
			case top.all:
				inside.of = top.key
			case !top.list && top.key == "extensions" && !inside.list && top.of == "":
				inside.all = true
			}
			open = append(open, inside)
		}
	}
}
