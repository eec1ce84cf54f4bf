package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// file is one file of the asset tree.
type file struct {
	path string // slash-separated, relative to the asset directory
	data []byte
}

// tree collects the files. Its first error sticks, so that the lists of assets
// can be read as lists.
type tree struct {
	files []file
	err   error
}

// assets generates the whole tree in memory, about three megabytes.
func assets() ([]file, error) {
	var t tree
	addTerrain(&t)
	addFoliage(&t)
	addKartArt(&t)
	addSky(&t)
	addInterface(&t)
	addFont(&t)
	addModels(&t)
	addAudio(&t)
	addData(&t)
	addLevels(&t)
	addLanguages(&t)
	addShaders(&t)
	addScripts(&t)
	addText(&t)
	return t.files, t.err
}

// add appends a finished file.
func (t *tree) add(path string, data []byte) {
	t.files = append(t.files, file{path, data})
}

// addText appends a text file.
func (t *tree) addText(path, text string) {
	t.add(path, []byte(text))
}

// encode appends what the given encoder writes.
func (t *tree) encode(path string, write func(io.Writer) error) {
	var b bytes.Buffer
	if err := write(&b); err != nil && t.err == nil {
		t.err = fmt.Errorf("encode %s: %w", path, err)
	}
	t.add(path, b.Bytes())
}

// addJSON appends v as JSON that is indented as a person would leave it.
func (t *tree) addJSON(path string, v any) {
	t.encode(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}
