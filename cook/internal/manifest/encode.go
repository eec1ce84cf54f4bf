package manifest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// appendAsset appends the line of an asset, without the separator of lines.
func appendAsset(b []byte, a *Asset) []byte {
	b = append(b, '{')
	b = appendQuotedName(b, "source", a.Source)
	b = appendTarget(b, "target", a.Target)
	if a.ID != "" {
		b = append(b, `,"id":"`...)
		b = append(b, a.ID...)
		b = append(b, '"')
	}
	b = append(b, `,"outputs":[`...)
	for i := range a.Outputs {
		if i > 0 {
			b = append(b, ',')
		}
		o := &a.Outputs[i]
		b = append(b, '{')
		b = appendQuotedName(b, "path", o.Path)
		b = append(b, `,"size":`...)
		b = strconv.AppendInt(b, o.Size, 10)
		b = append(b, `,"blake3":"`...)
		b = hex.AppendEncode(b, o.BLAKE3[:])
		b = append(b, `"}`...)
	}
	return append(b, "]}"...)
}

// appendPart appends the line of a part in the root.
func appendPart(b []byte, p *part) []byte {
	b = append(b, '{')
	b = appendQuotedName(b, "first", p.first.source)
	b = appendTarget(b, "first_target", p.first.target)
	b = append(b, `,"path":`...)
	b = appendText(b, p.name)
	b = append(b, `,"assets":`...)
	b = strconv.AppendInt(b, p.assets, 10)
	return append(b, '}')
}

func appendTarget(b []byte, field, target string) []byte {
	if target == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, field...)
	b = append(b, `":`...)
	return appendText(b, target)
}

func appendQuotedName(b []byte, field, name string) []byte {
	b = append(b, '"')
	b = append(b, field...)
	b = append(b, `":`...)
	b = appendText(b, name)
	if utf8.ValidString(name) {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, field...)
	b = append(b, `_base64":"`...)
	b = base64.StdEncoding.AppendEncode(b, []byte(name))
	return append(b, '"')
}

// appendText appends s as encoding/json writes it with SetEscapeHTML(false).
func appendText(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		if isPlainText(s[i]) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b = append(b, s[done:i]...)
		i += size
		done = i
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
		}
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// isPlainText reports whether a byte is a character that stands for itself in JSON.
func isPlainText(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// Build writes the files of a whole manifest: the parts in order, the root
// last. It holds no more than a part, or 4096 assets, at a time; the data of a
// file is write's to keep. The assets must come sorted by source and target,
// each of these once, and with clean names. After an error, which may be
// write's, some parts may have been written, but no root.
func Build(assets iter.Seq[Asset], write func(File) error) error {
	if err := standard().buildParts(assets, write); err != nil {
		return fmt.Errorf("build %s: %w", Name, err)
	}
	return nil
}

func (c cutting) buildParts(assets iter.Seq[Asset], write func(File) error) error {
	var (
		parts []part
		held  []*body // complete ones; while one file may do they wait
		total int64
		last  key
		line  []byte
	)
	writeHeld := func() error {
		for _, b := range held {
			p, f := b.closePart()
			parts = append(parts, p)
			if err := write(f); err != nil {
				return err
			}
		}
		held = nil
		return nil
	}
	cut := cutter{cutting: c}
	for a := range assets {
		if err := a.checkAsset(); err != nil {
			return err
		}
		k := a.assetKey()
		if total > 0 && last.compare(k) >= 0 {
			return fmt.Errorf("source %q, target %q comes after source %q, target %q; the list must be sorted and without duplicates",
				k.source, k.target, last.source, last.target)
		}
		last = k
		total++
		line = appendAsset(line[:0], &a)
		if b := cut.cutBefore(k, line); b != nil {
			held = append(held, b)
		}
		if total > c.whole && held != nil {
			if err := writeHeld(); err != nil {
				return err
			}
		}
	}
	if b := cut.closeBody(); b != nil {
		held = append(held, b)
	}
	if total <= c.whole {
		return write(File{Name: Name, Data: joinBodies(held)})
	}
	if err := writeHeld(); err != nil {
		return err
	}
	return write(rootOf(parts))
}

// cutting decides which lists become several parts, and where a part begins.
type cutting struct {
	whole int64  // assets that a list may have to stay in one file
	mask  uint64 // hash bits that are 0 for the first source of a part
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
	data   []byte // lines without the closing
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

func (b *body) appendBodyLine(line []byte) {
	b.data = appendListLine(b.data, line)
	b.assets++
}

// closePart closes a body that is a part.
func (b *body) closePart() (part, File) {
	data := append(b.data, closing...)
	name := partName(data)
	return part{first: b.first, name: name, assets: b.assets}, File{Name: name, Data: data}
}

// joinBodies makes one file of consecutive bodies.
func joinBodies(bodies []*body) []byte {
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
	source string // source of the last asset in open
}

// cutBefore appends the line of the next asset. If that line begins a part, cutBefore
// returns the complete body before it, and otherwise nil.
func (c *cutter) cutBefore(k key, line []byte) *body {
	var complete *body
	if c.open != nil && k.source != c.source && c.begins(k.source) {
		complete = c.closeBody()
	}
	if c.open == nil {
		c.open = newBody(k, c.room)
	}
	c.open.appendBodyLine(line)
	c.source = k.source
	return complete
}

// closeBody returns the open body, or nil. The next asset begins another one.
func (c *cutter) closeBody() *body {
	b := c.open
	c.open = nil
	if b != nil {
		c.room = min(len(b.data)+len(b.data)/4, 1<<20)
	}
	return b
}
