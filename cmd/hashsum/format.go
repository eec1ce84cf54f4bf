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
	digest [64]byte // first fn.Size bytes, most significant first
	size   int64    // bytes of the file, or -1 if unknown

	// guessed means that only the number of digits suggests fn.
	guessed bool
	line    int // line number in the list, from 1
}

func (e *entry) sum() []byte { return e.digest[:e.fn.Size] }

// A style is the form of a sum on a line.
type style int

const (
	stylePlain style = iota // "digest  name", like sha256sum, b3sum and xxhsum
	styleTag                // "SHA256 (name) = digest", like the BSDs
	styleJSON               // one object
)

// A layout is a style and a line end.
type layout struct {
	style style
	// zero ends lines with NUL instead of newline, and writes names unchanged. Otherwise, a line
	// whose name contains a backslash, newline or carriage return begins with a backslash and
	// escapes them as `\\`, `\n`, `\r`, like coreutils. JSON always uses its own escapes.
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

// end is the byte after each line.
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

// appendJSON writes {"name","algorithm","digest","size"}. In a name that is not UTF-8 it replaces
// invalid bytes by U+FFFD, and adds the exact bytes as "name_base64".
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

// appendJSONString escapes all unprintable characters, more than JSON requires, so that no line
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
