package gltf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Memory returns an upper bound on the bytes that Parse needs for a text of size bytes, including
// the text.
func Memory(size int64) int64 {
	// The sum covers the text, a copy of its strings, 4.5 bytes per byte of its numbers, and the
	// objects.
	return 64<<10 + 6*size + maxObjects(size)*objectCost
}

// objectCost is the approximate maximum size of a decoded object, including the unused capacity of
// growing lists.
const objectCost = 320

// maxObjects limits the number of objects in a document of the given size. Real documents have far
// fewer. A hostile text such as {},{},{} would need a hundred times its size in memory.
func maxObjects(size int64) int64 { return min(1024+size/12, 1<<22) }

// Parse decodes the text of a document. It checks that the text is JSON, and that objects match
// glTF's schema: types of members, lengths of lists, ranges of numbers, and objects that may have
// extensions. Check checks everything else.
func Parse(text []byte) (*Document, error) {
	switch {
	case bytes.HasPrefix(text, []byte("glTF")):
		return nil, errors.New("the file is binary glTF, but this recipe takes the JSON form; name the file .glb")
	case bytes.HasPrefix(text, []byte(plaintext.ByteOrderMark)):
		return nil, errors.New("1:1: glTF forbids a byte order mark; save the file without it")
	}
	if err := jsontext.Check(text); err != nil {
		return nil, err
	}
	// Braces in strings are counted, too. This is harmless, because names rarely contain braces.
	if n, most := int64(bytes.Count(text, []byte{'{'})), maxObjects(int64(len(text))); n > most {
		return nil, fmt.Errorf("there are %d objects in %d bytes, want at most %d", n, len(text), most)
	}
	w := walkDocument(text)
	w.checkWhole()
	if err := w.faults.faultsError(); err != nil {
		if isVersion1(text) {
			return nil, errors.New("the document is glTF 1.0; export the model as glTF 2.0")
		}
		return nil, err
	}
	doc := new(Document)
	doc.Text = w.decodable()
	if err := json.Unmarshal(doc.Text, doc); err != nil {
		return nil, err
	}
	for _, m := range []Mend{w.empty, w.alone} {
		if m.N > 0 {
			doc.Mended = append(doc.Mended, m)
		}
	}
	doc.completeExtensions(w)
	return doc, nil
}

// isVersion1 reports whether a document is glTF 1.0, where lists are objects.
func isVersion1(text []byte) bool {
	var doc struct {
		Asset struct {
			Version json.RawMessage `json:"version"`
		} `json:"asset"`
	}
	err := json.Unmarshal(text, &doc)
	return err == nil && strings.HasPrefix(strings.Trim(string(doc.Asset.Version), `"`), "1")
}

// Quantization is the extension that allows vertices with fewer bits. A document that uses it must
// list it as required.
const Quantization = "KHR_mesh_quantization"

// completeExtensions adds missing extensions to the document's lists of used and of required
// extensions.
func (d *Document) completeExtensions(w *walker) {
	undeclared := Mend{What: "an extension is missing in extensionsUsed", How: "the extension was added"}
	for _, name := range slices.Sorted(maps.Keys(w.named)) {
		if !slices.Contains(d.ExtensionsUsed, name) {
			undeclared.countMend(w.text, w.named[name])
			d.ExtensionsUsed = append(d.ExtensionsUsed, name)
		}
	}
	lists := Mend{What: "extensionsRequired lists an extension that extensionsUsed does not list", How: "made consistent"}
	for _, name := range d.ExtensionsRequired {
		if !slices.Contains(d.ExtensionsUsed, name) {
			lists.countMend(w.text, 0)
			d.ExtensionsUsed = append(d.ExtensionsUsed, name)
		}
	}
	if slices.Contains(d.ExtensionsUsed, Quantization) && !slices.Contains(d.ExtensionsRequired, Quantization) {
		lists.countMend(w.text, 0)
		d.ExtensionsRequired = append(d.ExtensionsRequired, Quantization)
	}
	double := Mend{What: "an extension is listed twice", How: "the second one was removed"}
	for _, list := range []*[]string{&d.ExtensionsUsed, &d.ExtensionsRequired} {
		if once := unique(*list); len(once) < len(*list) {
			double.countMend(w.text, 0)
			*list = once
		}
	}
	for _, m := range []Mend{undeclared, lists, double} {
		if m.N > 0 {
			d.Mended = append(d.Mended, m)
		}
	}
}

// unique returns a list without repeated elements.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}

// A Mend is one kind of repaired fault. It holds the fault, its remedy, its first location and its
// count.
type Mend struct {
	What, How, First string
	N                int
}

// countMend counts one more fault of this kind, at an offset of the text.
func (m *Mend) countMend(text []byte, at int) {
	if m.N == 0 {
		m.First = plaintext.Position(text, at)
	}
	m.N++
}

// String describes the fault in one line.
func (m Mend) String() string {
	if m.N == 1 {
		return fmt.Sprintf("%s: %s", m.First, m.What)
	}
	return fmt.Sprintf("%s: %s (%d times)", m.First, m.What, m.N)
}

// An edit replaces bytes of a text.
type edit struct {
	from, to int
	text     string
}

// emptyList reports whether the list at the current position has no elements.
func (w *walker) emptyList() bool {
	at := w.at
	defer func() { w.at = at }()
	w.at++
	w.skipSpace()
	return w.text[w.at] == ']'
}

// dropEmptyList removes a member whose name starts at offset from, and whose value is the empty
// list at the current position.
func (w *walker) dropEmptyList(from int) {
	w.empty.countMend(w.text, from)
	w.skipValue()
	to := w.at
	for w.skipSpace(); w.text[w.at] == ','; w.skipSpace() { // remove the comma after the member
		w.at++
		to = w.at
	}
	if w.text[w.at] == '}' { // remove the comma before the last member
		for {
			before := len(bytes.TrimRight(w.text[:from], " \t\r\n"))
			if n := len(w.edits); n > 0 && w.edits[n-1].to >= before {
				from = w.edits[n-1].from
				w.edits = w.edits[:n-1]
				continue
			}
			if w.text[before-1] == ',' {
				from = before - 1
			}
			break
		}
	}
	w.edits = append(w.edits, edit{from: from, to: to})
}

// decodable returns the text with the edits applied.
func (w *walker) decodable() []byte {
	if len(w.edits) == 0 {
		return w.text
	}
	var b []byte
	at := 0
	for _, e := range w.edits {
		b = append(append(b, w.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(b, w.text[at:]...)
}
