// Package jsoncheck judges JSON text: whether it is JSON at all, and where in it what
// is wrong stands.
package jsoncheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ByteOrderMark is what some editors put in front of UTF-8 text. JSON text has none
// (RFC 8259, section 8.1).
const ByteOrderMark = "\xef\xbb\xbf"

// Check returns an error that starts with the line and column of what is
// wrong with text, both from 1; columns count characters.
func Check(text []byte) error { return CheckContext(context.Background(), text) }

// CheckContext is Check that ends with the context's error.
func CheckContext(ctx context.Context, text []byte) error {
	if len(bytes.TrimLeft(text, " \t\r\n")) == 0 {
		return errors.New("the file is empty, want a JSON value")
	}
	if err := CheckUTF8(text); err != nil {
		return err
	}
	if ok, err := valid(ctx, text); err != nil {
		return err
	} else if !ok {
		// Unmarshal checks the whole text before it looks at its target.
		return syntaxError(text, json.Unmarshal(text, new(any)))
	}
	first, second, found, err := duplicateKey(ctx, text)
	if err != nil {
		return err
	}
	if found {
		return Errorf(text, second, "duplicate key %s, first at %s",
			showKey(text, second), Position(text, first))
	}
	return nil
}

func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	// Offset counts the bytes read, the offending one included; at the end of
	// the text there is none.
	at := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at--
	}
	at = min(max(at, 0), len(text))
	if strings.HasSuffix(syntax.Error(), "exceeded max depth") {
		return Errorf(text, at, "nested deeper than 10000 levels")
	}
	return Errorf(text, at, "%s", syntax.Error())
}

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

// Position says where the byte at an offset stands: line and column, both from 1.
func Position(text []byte, offset int) string {
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%d:%d", line, column)
}
