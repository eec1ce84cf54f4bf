package gltf

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Declare enters an extension in the document's lists of extensions.
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

// WriteExtensions enters the lists of extensions in Root.
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

// EachExtensionKey calls visit for every key, however deep, inside the document's
// extensions, until visit returns false. value is the first token of the key's value.
func (d *Document) EachExtensionKey(visit func(extension, key string, value json.Token) bool) {
	if !bytes.Contains(d.Text, []byte(`extensions"`)) && !bytes.Contains(d.Text, []byte(`\u`)) {
		return // and it need not be taken apart
	}
	decoder := json.NewDecoder(bytes.NewReader(d.Text))
	decoder.UseNumber()
	type level struct {
		list  bool
		value bool   // an object's next token is the value of key
		key   string // the last one
		of    string // the extension that the value is part of
		all   bool   // the value is an object of extensions
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
