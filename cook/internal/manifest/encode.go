package manifest

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// appendAsset appends the line of an asset, without the line separator.
func appendAsset(b []byte, a *Asset) []byte {
	b = append(b, '{')
	b = appendQuotedName(b, "source", a.Source)
	b = appendTarget(b, "target", a.Target)
	if a.ID != "" {
		b = append(b, `,"id":"`...)
		b = append(b, a.ID...)
		b = append(b, '"')
	}
	for i, used := range a.Uses {
		b = append(b, listBegins(i, `,"uses":[{`)...)
		b = appendQuotedName(b, "asset", used)
		b = append(b, '}')
	}
	if len(a.Uses) > 0 {
		b = append(b, ']')
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
		b = append(b, '"')
		if o.Inner {
			b = append(b, innerText...)
		}
		if o.Role != "" {
			b = append(b, roleText...)
			b = append(b, o.Role...)
			b = append(b, '"')
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// innerText is the JSON member of an output that another output names.
const innerText = `,"inner":true`

// roleText is the beginning of the JSON member with the role of an output.
const roleText = `,"role":"`

// listBegins returns the text before object i of a list. For object 0, this is the text in first.
func listBegins(i int, first string) string {
	if i == 0 {
		return first
	}
	return ",{"
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
	done := 0 // s[:done] is already in b
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

// isPlainText reports whether a byte represents itself in a JSON string.
func isPlainText(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// Build writes the files of a whole manifest: the parts in order, the root last. It holds one
// file at a time; write may keep the data that it receives. The assets must be sorted by source
// and target, without duplicates, and must have clean names. After an error, perhaps from
// write, some parts may have been written, but no root.
func Build(layout Layout, assets iter.Seq[Asset], write func(File) error) error {
	if err := standard(layout).buildManifest(assets, write); err != nil {
		return fmt.Errorf("build %s: %w", Name, err)
	}
	return nil
}

func (c cutting) buildManifest(assets iter.Seq[Asset], write func(File) error) error {
	var parts []part
	writePart := func(b *body) error {
		if b == nil {
			return nil
		}
		p, f := b.closePart()
		parts = append(parts, p)
		return write(f)
	}
	cut := cutter{cutting: c}
	err := eachAssetLine(assets, func(k key, line []byte) error { return writePart(cut.cutBefore(k, line)) })
	if err != nil {
		return err
	}
	if c.layout == Single {
		return write(wholeFile(cut.closeBody()))
	}
	if err := writePart(cut.closeBody()); err != nil {
		return err
	}
	return write(rootOf(parts))
}

// WriteSingle writes a manifest of a single file to w, line by line. The assets must be as for Build.
// A Build with the layout Single gives the same bytes, but holds them in memory.
func WriteSingle(w io.Writer, assets iter.Seq[Asset]) error {
	out := bufio.NewWriterSize(w, 64<<10)
	out.WriteString(opening)
	comma := false
	err := eachAssetLine(assets, func(_ key, line []byte) error {
		if comma {
			out.WriteByte(',')
		}
		comma = true
		out.WriteByte('\n')
		_, err := out.Write(line) // an error of the calls before is repeated here
		return err
	})
	if err != nil {
		return fmt.Errorf("build %s: %w", Name, err)
	}
	out.WriteString(closing)
	return out.Flush()
}

// eachAssetLine calls do with the line of each asset, without the line separator. It returns an error
// if the assets are invalid or out of order.
func eachAssetLine(assets iter.Seq[Asset], do func(k key, line []byte) error) error {
	var (
		last key
		some bool // set once the variable last is valid
		line []byte
	)
	for a := range assets {
		if err := a.checkAsset(); err != nil {
			return err
		}
		k := a.assetKey()
		if some && last.compare(k) >= 0 {
			return fmt.Errorf("source %q, target %q comes after source %q, target %q; sort the list and remove duplicates",
				k.source, k.target, last.source, last.target)
		}
		last, some = k, true
		line = appendAsset(line[:0], &a)
		if err := do(k, line); err != nil {
			return err
		}
	}
	return nil
}

// A cutting determines whether a manifest has parts, and where each part begins.
type cutting struct {
	layout Layout
	mask   uint64 // bits of a source's hash that must be 0 for the source to begin a part
}

// standard is the cutting of the format; tests use smaller ones.
func standard(layout Layout) cutting { return cutting{layout: layout, mask: 1<<10 - 1} }

func (c cutting) begins(source string) bool { return xxh3.HashString(source)&c.mask == 0 }

// part describes a part in the root.
type part struct {
	first  key
	name   string
	assets int64
}

// body is a file of assets that is being built.
type body struct {
	first  key
	assets int64
	data   []byte // lines without the closing line
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

// closePart closes a body and makes it a part.
func (b *body) closePart() (part, File) {
	data := append(b.data, closing...)
	name := partName(data)
	return part{first: b.first, name: name, assets: b.assets}, File{Name: name, Data: data}
}

// wholeFile makes a manifest of a single file. The body in b has all assets; b is nil if there are
// none.
func wholeFile(b *body) File {
	if b == nil {
		b = newBody(key{}, 0)
	}
	return File{Name: Name, Data: append(b.data, closing...)}
}

// rootOf builds the root that names the parts.
func rootOf(parts []part) File {
	data := []byte(partsOpening)
	var line []byte
	for i := range parts {
		line = appendPart(line[:0], &parts[i])
		data = appendListLine(data, line)
	}
	return File{Name: Name, Data: append(data, closing...)}
}

// cutter builds bodies from sorted assets.
type cutter struct {
	cutting
	open   *body  // nil if no body is open
	room   int    // size in bytes to reserve for the next body
	source string // source of the last asset in open
}

// cutBefore appends the line of the next asset. If that line begins a part, cutBefore
// returns the complete body before it, and otherwise nil.
func (c *cutter) cutBefore(k key, line []byte) *body {
	var complete *body
	if c.layout == Parts && c.open != nil && k.source != c.source && c.begins(k.source) {
		complete = c.closeBody()
	}
	if c.open == nil {
		c.open = newBody(k, c.room)
	}
	c.open.appendBodyLine(line)
	c.source = k.source
	return complete
}

// closeBody closes the open body and returns it, or nil if there is none. The next asset begins
// a new body.
func (c *cutter) closeBody() *body {
	b := c.open
	c.open = nil
	if b != nil {
		c.room = min(len(b.data)+len(b.data)/4, 1<<20)
	}
	return b
}
