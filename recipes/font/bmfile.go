package font

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// The forms of a BMFont file.
const (
	bmText   = "text"
	bmXML    = "XML"
	bmBinary = "binary"
)

// bmFormOf returns the form of a BMFont that begins with head, or "" for another file.
func bmFormOf(head []byte) string {
	if bytes.HasPrefix(head, []byte("BMF")) && len(head) > 3 && head[3] < ' ' {
		return bmBinary
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(plaintext.ByteOrderMark)), " \t\r\n")
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	if tag, rest, ok := bytes.Cut(line, []byte{' '}); ok && string(tag) == "info" && bytes.IndexByte(rest, '=') >= 0 {
		return bmText
	}
	for bytes.HasPrefix(head, []byte("<?")) || bytes.HasPrefix(head, []byte("<!--")) {
		end := "?>"
		if head[1] == '!' {
			end = "-->"
		}
		_, after, ok := bytes.Cut(head, []byte(end))
		if !ok {
			return ""
		}
		head = bytes.TrimLeft(after, " \t\r\n")
	}
	if rest, ok := bytes.CutPrefix(head, []byte("<font")); ok && len(rest) > 0 && strings.IndexByte(" \t\r\n>", rest[0]) >= 0 {
		return bmXML
	}
	return ""
}

// maxPages is the maximum number of pages in the binary form.
const maxPages = 256

// A bmFile is a parsed BMFont.
type bmFile struct {
	form  string
	text  []byte
	pages []bmPage
	// charAt holds, for each page, the offset of its first character plus one. It is 0 for a page
	// without characters.
	charAt [maxPages]int
	// pagesSize is the offset of the size field of the binary pages block.
	pagesSize int
}

// A bmPage is a page of a font.
type bmPage struct {
	id         int
	name       string
	start, end int  // range of the name in the file, without quotes
	quote      byte // quote around the name; 0 if it is not quoted
}

// A bmAttribute is an attribute in a line of the text form, or in an element of the XML form.
type bmAttribute struct {
	key        string
	start, end int
	quote      byte
}

// parseBMFont parses and checks a font.
func parseBMFont(ctx context.Context, text []byte) (*bmFile, error) {
	f := &bmFile{form: bmFormOf(text), text: text}
	var err error
	switch f.form {
	case bmText:
		err = f.parseText(ctx)
	case bmXML:
		err = f.parseXML(ctx)
	case bmBinary:
		err = f.parseBinary()
	default:
		if len(text) == 0 {
			return nil, errors.New("the file is empty")
		}
		err = errors.New(`the file is not a BMFont, which begins with "info", "<font>" or "BMF"; copy it by a rule with recipe = "copy"`)
	}
	if err != nil {
		return nil, err
	}
	if len(f.pages) == 0 {
		return nil, errors.New("the font has no page; a BMFont names at least one image")
	}
	for id, at := range f.charAt {
		if at > 0 && f.pageByID(id) == nil {
			return nil, f.errorAt(at-1, "a character refers to page %d, which the font does not have; export the font again", id)
		}
	}
	return f, nil
}

func (f *bmFile) pageByID(id int) *bmPage {
	for i := range f.pages {
		if f.pages[i].id == id {
			return &f.pages[i]
		}
	}
	return nil
}

// place returns the line and column of an offset, or the offset itself in the binary form.
func (f *bmFile) place(offset int) string {
	if f.form == bmBinary {
		return fmt.Sprintf("byte %d", offset)
	}
	return plaintext.Position(f.text, offset)
}

func (f *bmFile) errorAt(offset int, format string, args ...any) error {
	return fmt.Errorf("%s: %s", f.place(offset), fmt.Sprintf(format, args...))
}

// addPage adds a page after checking it.
func (f *bmFile) addPage(p bmPage) error {
	switch {
	case p.name == "":
		return f.errorAt(p.start, "page %d has no file name", p.id)
	case len(p.name) > 4096 || strings.ContainsAny(p.name, "\x00\r\n"):
		return f.errorAt(p.start, "page %d: %.40q is not a file name", p.id, p.name)
	case f.pageByID(p.id) != nil:
		return f.errorAt(p.start, "page %d is listed twice; export the font again", p.id)
	}
	f.pages = append(f.pages, p)
	return nil
}

// addElement checks the attributes of a page or a character. It adds a page to the font.
func (f *bmFile) addElement(tag string, at int, attributes []bmAttribute) error {
	p := bmPage{start: -1}
	number := -1
	key := "id"
	if tag == "char" {
		key = "page"
	}
	for _, a := range attributes {
		value := string(f.text[a.start:a.end])
		switch {
		case a.key == key:
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n >= maxPages {
				return f.errorAt(a.start, "%s = %.40q in a %s is not a number from 0 to %d", key, value, tag, maxPages-1)
			}
			number = n
		case a.key == "file" && tag == "page":
			name, err := value, error(nil)
			if f.form == bmXML {
				name, err = f.unescapeXML(a.start, value)
			}
			if err != nil {
				return err
			}
			p = bmPage{name: name, start: a.start, end: a.end, quote: a.quote}
		}
	}
	if tag == "char" {
		if number >= 0 && f.charAt[number] == 0 {
			f.charAt[number] = at + 1
		}
		return nil
	}
	if number < 0 || p.start < 0 {
		return f.errorAt(at, "a page needs the attributes id and file; export the font again")
	}
	p.id = number
	return f.addPage(p)
}

// parseText parses the text form. Each line has a tag and attributes. parseText checks the tags
// "page" and "char", and skips the others.
func (f *bmFile) parseText(ctx context.Context) error {
	var attributes []bmAttribute
	at := 0
	if i := bytes.IndexByte(f.text, 0); i >= 0 {
		return f.errorAt(i, "the font has a zero byte, which the text form does not allow; export the font again")
	}
	for n := 0; at < len(f.text); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		end := len(f.text)
		if i := bytes.IndexByte(f.text[at:], '\n'); i >= 0 {
			end = at + i
		}
		start := skipBlanks(f.text[:end], at)
		word := skipName(f.text[:end], start)
		tag := string(f.text[start:word])
		at = end + 1
		if tag != "page" && tag != "char" {
			continue
		}
		var err error
		if attributes, err = f.textAttributes(attributes[:0], word, end); err == nil {
			err = f.addElement(tag, start, attributes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxAttributes limits the attributes of an element.
const maxAttributes = 64

// textAttributes appends the attributes between two offsets in a line.
func (f *bmFile) textAttributes(list []bmAttribute, at, end int) ([]bmAttribute, error) {
	line := f.text[:end]
	for at = skipBlanks(line, at); at < end; at = skipBlanks(line, at) {
		a := bmAttribute{start: skipName(line, at)}
		a.key = string(line[at:a.start])
		if a.key == "" || a.start == end || line[a.start] != '=' || len(list) == maxAttributes {
			return nil, f.errorAt(at, `this is not an attribute such as id=0 or file="name.png"`)
		}
		a.start++
		length := bytes.IndexAny(line[a.start:], " \t\r")
		if a.start < end && line[a.start] == '"' {
			a.quote = '"'
			a.start++
			if length = bytes.IndexByte(line[a.start:], '"'); length < 0 {
				return nil, f.errorAt(a.start-1, "the closing quote is missing in this line")
			}
		} else if length < 0 {
			length = end - a.start
		}
		a.end = a.start + length
		at = a.end
		if a.quote != 0 {
			at++
		}
		list = append(list, a)
	}
	return list, nil
}

func skipBlanks(text []byte, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	return at
}

// skipName returns the offset after the name of a tag or attribute.
func skipName(text []byte, at int) int {
	for at < len(text) {
		c := text[at]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && strings.IndexByte("_-.:", c) < 0 && c < 0x80 {
			break
		}
		at++
	}
	return at
}

// parseBinary parses the binary form, version 3: blocks with a type, a size and content.
func (f *bmFile) parseBinary() error {
	const (
		typePages, typeChars = 3, 4
		charSize, pageInChar = 20, 18
	)
	if f.text[3] != 3 {
		return fmt.Errorf("the binary form has version %d, want 3; export the font again with BMFont 1.10 or later", f.text[3])
	}
	for at := 4; at < len(f.text); {
		if len(f.text)-at < 5 {
			return f.errorAt(at, "the file ends in the header of a block; copy or export the font again")
		}
		kind, size := f.text[at], int64(binary.LittleEndian.Uint32(f.text[at+1:]))
		start := at + 5
		if size > int64(len(f.text)-start) {
			return f.errorAt(at, "a block of %d bytes is longer than the rest of the file; copy or export the font again", size)
		}
		block := f.text[start : start+int(size)]
		switch kind {
		case typePages:
			if f.pagesSize > 0 {
				return f.errorAt(at, "the file has a second block of pages; export the font again")
			}
			f.pagesSize = at + 1
			if err := f.binaryPages(start, block); err != nil {
				return err
			}
		case typeChars:
			if len(block)%charSize != 0 {
				return f.errorAt(at, "a block of characters has %d bytes, not a multiple of %d", size, charSize)
			}
			for i := 0; i < len(block); i += charSize {
				if id := block[i+pageInChar]; f.charAt[id] == 0 {
					f.charAt[id] = start + i + 1
				}
			}
		}
		at = start + len(block)
	}
	return nil
}

// binaryPages reads the page names. Each ends with a zero byte.
func (f *bmFile) binaryPages(start int, block []byte) error {
	for at := 0; at < len(block); {
		length := bytes.IndexByte(block[at:], 0)
		switch {
		case length < 0:
			return f.errorAt(start+at, "the zero byte after a page name is missing; export the font again")
		case len(f.pages) == maxPages:
			return f.errorAt(start+at, "the font has more than %d pages", maxPages)
		}
		p := bmPage{id: len(f.pages), name: string(block[at : at+length]), start: start + at, end: start + at + length}
		if err := f.addPage(p); err != nil {
			return err
		}
		at += length + 1
	}
	return nil
}

// withPageNames returns the content of the font with the given page names.
func (f *bmFile) withPageNames(names []string) ([]byte, error) {
	size := len(f.text)
	for _, name := range names {
		size += len(name)
	}
	out := make([]byte, 0, size)
	last := 0
	for i, p := range f.pages {
		name, err := f.encodePageName(p, names[i])
		if err != nil {
			return nil, err
		}
		out = append(append(out, f.text[last:p.start]...), name...)
		last = p.end
	}
	out = append(out, f.text[last:]...)
	if f.form == bmBinary {
		block := binary.LittleEndian.Uint32(f.text[f.pagesSize:]) + uint32(len(out)-len(f.text))
		binary.LittleEndian.PutUint32(out[f.pagesSize:], block)
		// Some readers compute the number of pages from the length of the first name.
		for i, p := range f.pages {
			if len(p.name) == len(f.pages[0].name) && len(names[i]) != len(names[0]) {
				return nil, f.errorAt(p.start, "the binary form needs page names of equal length, but %q and %q differ; cook them by one rule, or export the font as text or XML", names[0], names[i])
			}
		}
	}
	return out, nil
}

// encodePageName returns the bytes of a page name in the file. If the new name begins with the old
// name, the result begins with the old name's bytes.
func (f *bmFile) encodePageName(p bmPage, name string) (string, error) {
	written := string(f.text[p.start:p.end])
	switch {
	case name == p.name:
		return written, nil
	case f.form == bmXML:
		rest, longer := strings.CutPrefix(name, p.name)
		if !longer {
			written, rest = "", name
		}
		return written + strings.ReplaceAll(escaped(rest), "'", "&apos;"), nil
	case f.form == bmText && strings.ContainsAny(name, "\"\r\n"):
		return "", f.errorAt(p.start, "page %d: the text form cannot hold the name %q of its cooked image; rename the image", p.id, name)
	case f.form == bmText && p.quote == 0 && strings.ContainsAny(name, " \t"):
		return `"` + name + `"`, nil
	}
	return name, nil
}
