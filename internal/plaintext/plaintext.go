// Package plaintext holds the common code of recipes for text. It checks UTF-8, converts byte
// offsets to lines and columns, and reads the lines of lists.
package plaintext

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ByteOrderMark is the prefix that some editors add to UTF-8 text. JSON does not allow it (RFC
// 8259, section 8.1).
const ByteOrderMark = "\xef\xbb\xbf"

// CheckUTF8 returns an error that starts with the line and column of the first invalid byte, or nil
// if text is valid UTF-8.
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

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
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

// FromUTF16 converts UTF-16 text without a byte order mark to UTF-8. If the text contains half of a
// surrogate pair, the error starts with its line and column.
func FromUTF16(ctx context.Context, source []byte, order binary.ByteOrder) ([]byte, error) {
	if len(source)%2 != 0 {
		return nil, errors.New("1:1: the file has an odd number of bytes, so it is cut short or not UTF-16; save it as UTF-8")
	}
	out := make([]byte, 0, len(source))
	for i := 0; i < len(source); i += 2 {
		if i%(64<<10) < 4 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := rune(order.Uint16(source[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+4 <= len(source) {
				low = rune(order.Uint16(source[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return nil, fmt.Errorf("%s: a UTF-16 character is incomplete; save the file as UTF-8", Position(out, len(out)))
			}
			i += 2
		}
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

// OneLine returns the message of a library as one line, and shortens it.
func OneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300] + "..."
	}
	return s
}

// Errorf returns an error about the byte at an offset. The message starts with the Position.
func Errorf(text []byte, offset int, format string, args ...any) error {
	return fmt.Errorf("%s: %s", Position(text, offset), fmt.Sprintf(format, args...))
}

// Position returns the line and column of the byte at an offset, both counted from 1.
func Position(text []byte, offset int) string {
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%d:%d", line, column)
}

// IsList reports whether a text that starts with head looks like a list of patterns. At least half
// of its lines must contain a pattern character, end in a slash, or satisfy the function is. A text
// without lines counts as a list.
func IsList(head []byte, is func(line string) bool) bool {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 && i < len(head)-1 && !utf8.Valid(head) {
		head = head[:i] // the last character may be truncated
	}
	lines, err := List(head)
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	all, alike := 0, 0
	for _, line := range lines {
		all++
		if strings.ContainsAny(line, "*?") || isPair(line, "{", "}") || isPair(line, "[", "]") || strings.HasSuffix(line, "/") || is(line) {
			alike++
		}
	}
	return 2*alike >= all
}

// isPair reports whether a line has an opening mark and, after it, the closing mark. In texts that
// are no lists, blocks usually open and close on different lines.
func isPair(line, open, end string) bool {
	_, rest, ok := strings.Cut(line, open)
	return ok && strings.Contains(rest, end)
}

// List returns the lines of a list with their numbers, trimmed of spaces. It omits empty lines
// and lines that start with "#". The text must be UTF-8.
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

// PrivateKeyHead is the number of bytes at the start of a file that RefusePrivateKey needs.
const PrivateKeyHead = 512

// RefusePrivateKey returns an error if one of the first lines of a file starts a private key in
// PEM, PuTTY or OpenPGP format. Some programs write parameters or attributes before the key.
func RefusePrivateKey(head []byte) error {
	head = bytes.TrimPrefix(head[:min(len(head), PrivateKeyHead)], []byte(ByteOrderMark))
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if rest, ok := bytes.CutPrefix(line, []byte("-----BEGIN ")); ok && bytes.Contains(rest, []byte("PRIVATE KEY")) || bytes.HasPrefix(line, []byte("PuTTY-User-Key-File-")) {
			return errors.New("the file holds a private key; move the file out of the asset directory, or, to ship it, set private_keys = true in a rule for it")
		}
	}
	return nil
}
