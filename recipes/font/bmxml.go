package font

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxElements limits the nesting of elements in the XML form, which needs three levels.
const maxElements = 32

// An openElement is an XML element whose end tag has not been read.
type openElement struct {
	name string
	at   int
}

// parseXML parses the XML form. It checks that tags and attributes are well formed, and refuses
// document type declarations, whose entities could expand without limit.
func (f *bmFile) parseXML(ctx context.Context) error {
	var open []openElement
	var attributes []bmAttribute
	for n, at := 0, 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		i := bytes.IndexByte(f.text[at:], '<')
		if i < 0 {
			break
		}
		start := at + i
		rest := f.text[start:]
		end, skipped := "", true
		switch {
		case bytes.HasPrefix(rest, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			end = "]]>"
		case bytes.HasPrefix(rest, []byte("<!")):
			return f.errorAt(start, "a BMFont cannot have a document type or other declaration; remove it")
		case bytes.HasPrefix(rest, []byte("</")):
			end = ">"
			skipped = false
		}
		if end != "" {
			length := bytes.Index(rest, []byte(end))
			if length < 0 {
				return f.errorAt(start, "the closing %s is missing after this", end)
			}
			at = start + length + len(end)
			if !skipped {
				name := string(bytes.TrimRight(rest[2:length], " \t\r\n"))
				if len(open) == 0 || open[len(open)-1].name != name {
					return f.errorAt(start, "the end tag %.40q has no start tag; remove it or add the start tag", name)
				}
				open = open[:len(open)-1]
			}
			continue
		}
		tag, list, after, empty, err := f.parseStartTag(attributes[:0], start)
		if err != nil {
			return err
		}
		attributes, at = list, after
		if !empty {
			if len(open) == maxElements {
				return f.errorAt(start, "elements are nested deeper than %d levels", maxElements)
			}
			open = append(open, openElement{tag, start})
		}
		if tag == "page" || tag == "char" {
			if err := f.addElement(tag, start, attributes); err != nil {
				return err
			}
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return f.errorAt(last.at, "the element %.40q has no end tag", last.name)
	}
	return nil
}

// parseStartTag parses the start tag at an offset. It returns the offset after the tag. empty
// reports whether the element has no end tag.
func (f *bmFile) parseStartTag(list []bmAttribute, start int) (tag string, _ []bmAttribute, after int, empty bool, err error) {
	at := skipName(f.text, start+1)
	tag = string(f.text[start+1 : at])
	if tag == "" {
		return "", nil, 0, false, f.errorAt(start, "the element name after < is missing")
	}
	for {
		at = skipBlanks(f.text, at)
		rest := f.text[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("/>")):
			return tag, list, at + 2, true, nil
		case bytes.HasPrefix(rest, []byte(">")):
			return tag, list, at + 1, false, nil
		}
		a := bmAttribute{start: skipName(f.text, at)}
		a.key = string(f.text[at:a.start])
		a.start = skipBlanks(f.text, a.start)
		if a.key == "" || len(list) == maxAttributes || a.start == len(f.text) || f.text[a.start] != '=' {
			return "", nil, 0, false, f.errorAt(at, "in the element %.40q, want an attribute such as id=\"0\" or > here", tag)
		}
		a.start = skipBlanks(f.text, a.start+1)
		if a.start == len(f.text) || f.text[a.start] != '"' && f.text[a.start] != '\'' {
			return "", nil, 0, false, f.errorAt(a.start, "the value of attribute %.40q is not in quotes", a.key)
		}
		a.quote = f.text[a.start]
		a.start++
		length := bytes.IndexByte(f.text[a.start:], a.quote)
		if length < 0 {
			return "", nil, 0, false, f.errorAt(a.start-1, "the closing quote is missing")
		}
		a.end = a.start + length
		if i := bytes.IndexByte(f.text[a.start:a.end], '<'); i >= 0 {
			return "", nil, 0, false, f.errorAt(a.start+i, "write &lt; instead of < in the value of attribute %.40q", a.key)
		}
		list = append(list, a)
		at = a.end + 1
	}
}

// xmlEntities are the predefined entities of XML.
var xmlEntities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// unescapeXML replaces the references in an attribute value. Errors name the offset of the value.
func (f *bmFile) unescapeXML(offset int, value string) (string, error) {
	var b strings.Builder
	for rest := value; ; {
		before, after, ok := strings.Cut(rest, "&")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		name, next, ok := strings.Cut(after, ";")
		char, known := xmlEntities[name]
		if number, is := strings.CutPrefix(name, "#"); is {
			base := 10
			if hex, is := strings.CutPrefix(number, "x"); is {
				number, base = hex, 16
			}
			n, err := strconv.ParseUint(number, base, 21)
			if known = err == nil && n > 0 && utf8.ValidRune(rune(n)); known {
				char = string(rune(n))
			}
		}
		if !ok || !known {
			return "", f.errorAt(offset+len(value)-len(after)-1, "this is not a character reference such as &amp; or &#38;")
		}
		b.WriteString(char)
		rest = next
	}
}
