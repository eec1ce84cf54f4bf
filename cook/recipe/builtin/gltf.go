package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// GLTF checks a glTF 2.0 document (.gltf, the JSON form) and copies it as it
// is. It has no options.
//
// Checked are: the JSON itself; the version; that every index points at
// something; that buffers hold what they declare, views lie inside buffers and
// accessors inside views, aligned as the specification asks; that nodes form
// trees and scenes list roots. Extensions are not looked into.
//
// The files of buffers are dependencies. Those of images are
// not even looked for: a dependency is a file's content, and an image's
// content decides nothing here, so each edit of a texture would cook every
// model that shows it.
type GLTF struct{}

// Outputs implements recipe.Cooker.
func (*GLTF) Outputs() []string { return []string{"{path}"} }

// Estimate implements recipe.Estimator. Buffers in files of their own are not
// read, only measured.
func (*GLTF) Estimate(_ []byte, size int64) (int64, error) {
	// The text; its strings once more or its numbers at 4.5 bytes for every
	// byte of theirs; the objects.
	return 64<<10 + 6*size + maxObjects(size)*objectCost, nil
}

// objectCost is about what a decoded object needs at most, in bytes, the slack
// of growing lists included.
const objectCost = 320

// maxObjects bounds the objects of a document of the given size. Real ones
// have fewer by far; {},{},{} would need a hundred times its size in memory.
func maxObjects(size int64) int64 { return min(1024+size/12, 1<<22) }

// Cook implements recipe.Cooker.
func (*GLTF) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	doc, err := parseGLTF(text)
	if err != nil {
		return err
	}
	c := gltfCheck{doc: doc, size: func(name string) (int64, error) { return depSize(job, name) }}
	if err := c.buffers(ctx); err != nil {
		return err
	}
	c.structure()
	if err := c.faults.err(); err != nil {
		return err
	}
	return job.Write(0, text)
}

// depSize measures a dependency.
func depSize(job *recipe.Job, name string) (int64, error) {
	f, err := job.OpenDep(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: not a regular file", info.Name())
	}
	return info.Size(), nil
}

func parseGLTF(text []byte) (*gltfDocument, error) {
	switch {
	case bytes.HasPrefix(text, []byte("glTF")):
		return nil, errors.New("binary glTF; name the file .glb, this recipe takes the JSON form")
	case bytes.HasPrefix(text, []byte(utf8BOM)):
		return nil, errors.New("1:1: byte order mark, which glTF forbids; save the file without")
	}
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	// Braces inside strings count as well: names hold few.
	if n, most := int64(bytes.Count(text, []byte{'{'})), maxObjects(int64(len(text))); n > most {
		return nil, fmt.Errorf("%d objects in %d bytes, want at most %d", n, len(text), most)
	}
	if err := checkObjectLists(text); err != nil {
		return nil, err
	}
	doc := new(gltfDocument)
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, gltfTypeError(text, err)
	}
	return doc, nil
}

// gltfTypeError says in the document's words what encoding/json says in Go's.
func gltfTypeError(text []byte, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	at := min(max(int(wrong.Offset), 0), len(text))
	// Both can be as long as the text: a name, or a number of a million digits.
	return positioned(text, at, "%.100s: want %s, have %.40s", wrong.Field, jsonKind(wrong), wrong.Value)
}

func jsonKind(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case kind == "string":
		return "a string"
	case kind == "slice":
		return "a list"
	}
	return "an object"
}

// faults collects what is wrong and keeps the first few.
type faults struct {
	first []string
	more  int
}

const maxFaults = 3

func (f *faults) add(format string, args ...any) {
	if len(f.first) == maxFaults {
		f.more++
		return
	}
	f.first = append(f.first, fmt.Sprintf(format, args...))
}

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
