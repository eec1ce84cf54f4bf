// Package plaintext has what all recipes that read text need: whether it is UTF-8, the line
// and column of a byte in it, and the lines of lists.
package plaintext

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// ByteOrderMark is what some editors put in front of UTF-8 text. JSON text has none
// (RFC 8259, section 8.1).
const ByteOrderMark = "\xef\xbb\xbf"

// CheckUTF8 returns an error that starts with the line and column of the first byte
// that is not UTF-8.
func CheckUTF8(text []byte) error {
	i := invalidUTF8(text)
	if i < 0 {
		return nil
	}
	hint := ""
	if i == 0 && (text[0] == 0xff || text[0] == 0xfe) {
		hint = "; save the file as UTF-8, not UTF-16"
	}
	return Errorf(text, i, "byte 0x%02x is not UTF-8%s", text[i], hint)
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// Errorf is an error about the byte at an offset. It starts with its Position.
func Errorf(text []byte, offset int, format string, args ...any) error {
	return fmt.Errorf("%s: %s", Position(text, offset), fmt.Sprintf(format, args...))
}

// Position returns the line and column of the byte at an offset, both from 1.
func Position(text []byte, offset int) string {
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%d:%d", line, column)
}

// IsList reports whether a text that begins with head looks like a list of patterns: at least
// half of its lines have a pattern character, end in a slash, or satisfy is. A text without
// lines is a list.
func IsList(head []byte, is func(line string) bool) bool {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 && i < len(head)-1 && !utf8.Valid(head) {
		head = head[:i] // a rune may be cut off
	}
	lines, err := List(head)
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	all, alike := 0, 0
	for _, line := range lines {
		all++
		if strings.ContainsAny(line, "*?[{") || strings.HasSuffix(line, "/") || is(line) {
			alike++
		}
	}
	return 2*alike >= all
}

// List returns the lines of a list with their numbers, without spaces around them. It leaves out
// empty lines and lines that begin with "#". The text must be UTF-8.
func List(text []byte) (iter.Seq2[int, string], error) {
	if err := CheckUTF8(text); err != nil {
		return nil, err
	}
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(strings.TrimPrefix(string(text), ByteOrderMark)) {
			number++
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(number, line) {
				return
			}
		}
	}, nil
}

// PrivateKeyHead is the number of bytes that RefusePrivateKey needs from the start of a file.
const PrivateKeyHead = 512

// RefusePrivateKey returns an error if one of the first lines of a file begins a private key in
// PEM, PuTTY or OpenPGP format. Some programs write parameters or attributes before the key.
func RefusePrivateKey(head []byte) error {
	head = bytes.TrimPrefix(head[:min(len(head), PrivateKeyHead)], []byte(ByteOrderMark))
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if rest, ok := bytes.CutPrefix(line, []byte("-----BEGIN ")); ok && bytes.Contains(rest, []byte("PRIVATE KEY")) || bytes.HasPrefix(line, []byte("PuTTY-User-Key-File-")) {
			return errors.New("the file holds a private key; move it out of the asset directory, or write private_keys = true into a rule for it if it is to be shipped")
		}
	}
	return nil
}
