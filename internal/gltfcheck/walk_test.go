package gltfcheck

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMend checks that what is left of a mended document is JSON that needs no mending,
// and that nothing else of it is gone.
func FuzzMend(f *testing.F) {
	for _, text := range []string{
		`{"nodes":[{"children":[],"name":"a"},{"a":[],"children":[ ] }],"meshes":[],"skins":[]}`,
		`{"scene":1e0,"nodes":[{"children":[1.0,2],"weights":[]}], "textures" : [ ] , "images":[] }`,
		`{"images":[],"asset":{"version":"2.0"},"skins":[],"extras":{"skins":[]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid(doc.Text) {
			t.Fatalf("%s became %s", text, doc.Text)
		}
		again, err := Parse(doc.Text)
		if err != nil {
			t.Fatalf("%s: %v", doc.Text, err)
		}
		if !bytes.Equal(again.Text, doc.Text) {
			t.Fatalf("%s became %s, which became %s", text, doc.Text, again.Text)
		}
	})
}
