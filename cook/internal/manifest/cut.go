package manifest

import (
	"bytes"

	"github.com/zeebo/xxh3"
)

// cutting says which lists are cut, and where.
type cutting struct {
	whole int64  // assets that a list may have to stay in one file
	mask  uint64 // of the bits that are zero in the hash of a source that begins a part
}

// standard is the cutting of the format; tests use smaller ones.
func standard() cutting { return cutting{whole: 4096, mask: 1<<10 - 1} }

func (c cutting) begins(source string) bool { return xxh3.HashString(source)&c.mask == 0 }

// part is the description of a part in the root.
type part struct {
	first  key
	name   string
	assets int64
}

// body is a file of assets that is being written.
type body struct {
	first  key
	assets int64
	data   []byte // without the closing
}

func newBody(first key, room int) *body {
	return &body{first: first, data: append(make([]byte, 0, room), opening...)}
}

// appendListLine appends a line of a list: an asset in a part, or a part in the root.
func appendListLine(list, line []byte) []byte {
	if list[len(list)-1] != '[' {
		list = append(list, ',')
	}
	list = append(list, '\n')
	return append(list, line...)
}

func (b *body) appendLine(line []byte) {
	b.data = appendListLine(b.data, line)
	b.assets++
}

// closePart closes a body that is a part.
func (b *body) closePart() (part, File) {
	data := append(b.data, closing...)
	name := partName(data)
	return part{first: b.first, name: name, assets: b.assets}, File{Name: name, Data: data}
}

// join makes one file of consecutive bodies.
func join(bodies []*body) []byte {
	data := []byte(opening)
	for _, b := range bodies {
		if lines := bytes.TrimPrefix(b.data, []byte(opening)); len(lines) > 0 {
			data = appendListLine(data, lines[1:]) // the newline is add's
		}
	}
	return append(data, closing...)
}

// rootOf makes the root that names the parts.
func rootOf(parts []part) File {
	data := []byte(partsOpening)
	var line []byte
	for i := range parts {
		line = appendPart(line[:0], &parts[i])
		data = appendListLine(data, line)
	}
	return File{Name: Name, Data: append(data, closing...)}
}

// cutter makes bodies of sorted assets.
type cutter struct {
	cutting
	open   *body  // nil: none
	room   int    // bytes that the next body is to have room for
	source string // of the last asset in open
}

// cutBefore appends the line of the next asset. If that line begins a part, cutBefore
// returns the complete body before it, and otherwise nil.
func (c *cutter) cutBefore(k key, line []byte) *body {
	var complete *body
	if c.open != nil && k.source != c.source && c.begins(k.source) {
		complete = c.flush()
	}
	if c.open == nil {
		c.open = newBody(k, c.room)
	}
	c.open.appendLine(line)
	c.source = k.source
	return complete
}

// flush returns the open body, or nil. The next asset begins another one.
func (c *cutter) flush() *body {
	b := c.open
	c.open = nil
	if b != nil {
		c.room = min(len(b.data)+len(b.data)/4, 1<<20)
	}
	return b
}
