// Package gltfcheck checks glTF 2.0 documents, as far as their text and the sizes of their
// buffers show:
//
//	shapes.go      what objects may hold, those of ratified extensions included
//	walk.go        compares a text with that, before anything is decoded
//	mend.go        faults that are put right: empty lists, undeclared extensions
//	buffers.go     buffers hold what they declare
//	views.go       views lie inside buffers, accessors inside views, aligned
//	compressed.go  views that are packed say how
//	layout.go      views hold data of one kind, and strides where they belong
//	indices.go     every index points at something; cameras and lights
//	primitives.go  attributes fit together and have formats that glTF allows
//	nodes.go       nodes form trees, scenes list roots, matrices can be taken apart
//	skins.go       joints have a common root and are where their meshes are
//	images.go      pictures have one place, and are of the types that they are declared
//	animations.go  keyframes fit what they move
//
// Code that has checked a document may follow its numbers without looking. What the
// buffers hold is not read.
package gltfcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Memory returns the most bytes that Parse needs for a text of so many, the text
// included.
func Memory(size int64) int64 {
	// The text; its strings once more or its numbers at 4.5 bytes for every
	// byte of theirs; the objects.
	return 64<<10 + 6*size + maxObjects(size)*objectCost
}

// objectCost is about what a decoded object needs at most, in bytes, the slack
// of growing lists included.
const objectCost = 320

// maxObjects bounds the objects of a document of the given size. Real ones
// have fewer by far; {},{},{} would need a hundred times its size in memory.
func maxObjects(size int64) int64 { return min(1024+size/12, 1<<22) }

// NoChunk is what Check is told of a document that is not part of a GLB file.
const NoChunk = -1

// Check reports the first few things that are wrong with the document, in one line.
// Chunk is the size of the GLB file's binary chunk, which is the first buffer if that
// has no URI. Size measures the file of a buffer; it is asked once for each. An ended
// context is an error.
func (d *Document) Check(ctx context.Context, chunk int64, size func(name string) (int64, error)) error {
	c := check{doc: d, chunk: chunk, size: size}
	if err := c.buffers(ctx); err != nil {
		return err
	}
	c.structure()
	d.Mended = append(d.Mended, c.mended...)
	return c.faults.err()
}

// Parse reads the text of a document and checks that it is JSON, made as glTF's objects
// are: members of the right types and lists of the right lengths, numbers in range,
// extensions where they belong. Check has to say whether it makes sense.
func Parse(text []byte) (*Document, error) {
	switch {
	case bytes.HasPrefix(text, []byte("glTF")):
		return nil, errors.New("binary glTF; name the file .glb, this recipe takes the JSON form")
	case bytes.HasPrefix(text, []byte(plaintext.ByteOrderMark)):
		return nil, errors.New("1:1: byte order mark, which glTF forbids; save the file without")
	}
	if err := jsontext.Check(text); err != nil {
		return nil, err
	}
	// Braces inside strings count as well: names hold few.
	if n, most := int64(bytes.Count(text, []byte{'{'})), maxObjects(int64(len(text))); n > most {
		return nil, fmt.Errorf("%d objects in %d bytes, want at most %d", n, len(text), most)
	}
	w := walk(text)
	w.checkWhole()
	if err := w.faults.err(); err != nil {
		if isVersion1(text) {
			return nil, errors.New("a document of glTF 1.0; export it as glTF 2.0")
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
	doc.declare(w)
	return doc, nil
}

// isVersion1 reports whether a document says that it is of glTF 1.0, in which lists are
// objects.
func isVersion1(text []byte) bool {
	var doc struct {
		Asset struct {
			Version json.RawMessage `json:"version"`
		} `json:"asset"`
	}
	err := json.Unmarshal(text, &doc)
	return err == nil && strings.HasPrefix(strings.Trim(string(doc.Asset.Version), `"`), "1")
}

// faults collects what is wrong and keeps the first few.
type faults struct {
	first []string
	more  int
}

const maxFaults = 3

func (f *faults) addFault(format string, args ...any) {
	if f.full() {
		f.more++
		return
	}
	f.first = append(f.first, fmt.Sprintf(format, args...))
}

// full reports whether further faults are only counted.
func (f *faults) full() bool { return len(f.first) == maxFaults }

// err returns one line, or nil if nothing is wrong.
func (f *faults) err() error {
	if len(f.first) == 0 {
		return nil
	}
	line := strings.Join(f.first, "; ")
	if f.more > 0 {
		line += fmt.Sprintf("; and %d more", f.more)
	}
	return errors.New(line)
}
