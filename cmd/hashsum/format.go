package main

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// An entry is one line of a list: the sum of one file.
type entry struct {
	fn     *function
	name   string   // any bytes but NUL; never empty
	digest [64]byte // the first fn.Size bytes, most significant first
	size   int64    // bytes of the file; -1 if unknown

	// guessed says that fn follows from the number of digits alone.
	guessed bool
	line    int // number of the line, from 1
}

func (e *entry) sum() []byte { return e.digest[:e.fn.Size] }

// A style is a form of a line.
type style int

const (
	stylePlain style = iota // "digest  name", like sha256sum, b3sum and xxhsum
	styleTag                // "SHA256 (name) = digest", like the BSDs
	styleJSON               // one object
)

// A layout is a style and the end of a line.
type layout struct {
	style style
	// zero ends lines with NUL instead of newline, and escapes nothing in names. Otherwise a line
	// with a backslash, newline or carriage return in the name begins with a backslash, and has
	// `\\`, `\n`, `\r` for them, like coreutils. JSON has its own escapes either way.
	zero bool
}

// append adds the line of e, without its end.
func (l layout) append(dst []byte, e *entry) []byte {
	if l.style == styleJSON {
		return appendJSON(dst, e)
	}
	escaped := !l.zero && needsEscape(e.name)
	if escaped {
		dst = append(dst, '\\')
	}
	if l.style == styleTag {
		dst = append(append(dst, e.fn.tag...), " ("...)
		dst = appendName(dst, e.name, escaped)
		return hex.AppendEncode(append(dst, ") = "...), e.sum())
	}
	dst = hex.AppendEncode(append(dst, e.fn.mark...), e.sum())
	return appendName(append(dst, "  "...), e.name, escaped)
}

// end returns the byte after each line.
func (l layout) end() byte {
	if l.zero {
		return 0
	}
	return '\n'
}

func needsEscape(name string) bool { return strings.ContainsAny(name, "\\\n\r") }

func appendName(dst []byte, name string, escaped bool) []byte {
	if !escaped {
		return append(dst, name...)
	}
	for i := range len(name) {
		switch c := name[i]; c {
		case '\\':
			dst = append(dst, `\\`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendJSON writes {"name","algorithm","digest","size"}. A name that is not UTF-8 has U+FFFD for
// bad bytes, and follows complete as "name_base64".
func appendJSON(dst []byte, e *entry) []byte {
	dst = appendJSONString(append(dst, `{"name":`...), e.name)
	if !utf8.ValidString(e.name) {
		dst = append(dst, `,"name_base64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, []byte(e.name))
		dst = append(dst, '"')
	}
	dst = append(append(dst, `,"algorithm":"`...), e.fn.Name...)
	dst = hex.AppendEncode(append(dst, `","digest":"`...), e.sum())
	dst = append(dst, '"')
	if e.size >= 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), e.size, 10)
	}
	return append(dst, '}')
}

// appendJSONString escapes everything that does not print, more than JSON needs, so that no line
// can control a terminal.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == utf8.RuneError:
			dst = append(dst, `\ufffd`...)
		case r >= ' ' && r < 0x7f || unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r <= 0xffff:
			dst = appendUnit(dst, r)
		default:
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, high), low)
		}
	}
	return append(dst, '"')
}

// appendUnit writes one UTF-16 code unit as \uxxxx.
func appendUnit(dst []byte, u rune) []byte {
	return hex.AppendEncode(append(dst, `\u`...), []byte{byte(u >> 8), byte(u)})
}
