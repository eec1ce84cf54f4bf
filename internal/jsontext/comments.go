// Package jsontext checks JSON text for syntax errors and for duplicate keys of an object. Errors
// have a line and a column. The package also removes comments and white space. Unlike
// encoding/json, it stops when a context is canceled.
package jsontext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// WithoutComments converts JSON with comments (/* and two slashes, as in C) and trailing commas to
// plain JSON. It replaces both by spaces, so that every byte keeps its offset. It only reports
// errors in comments; Check reports all others. In invalid text, a string ends at the end of its
// line.
func WithoutComments(ctx context.Context, text []byte) ([]byte, error) {
	if err := plaintext.CheckUTF8(text); err != nil {
		return nil, err
	}
	out := bytes.Clone(text)
	var (
		comma = -1    // index of the last comma if no value follows it yet; otherwise -1
		last  byte    // last byte that is not white space
		look  = chunk // offset of the next check of the context
	)
	for i := 0; i < len(out); i++ {
		if i >= look {
			if look = i + chunk; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		switch c := out[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '/':
			end, err := commentEnd(text, i)
			if err != nil {
				return nil, err
			}
			if end > i {
				blankOut(out[i:end])
				i = end - 1
				continue
			}
		case ',':
			comma = -1
			if last != 0 && strings.IndexByte("[{,:", last) < 0 {
				comma = i
			}
			last = c
			continue
		case ']', '}':
			if comma >= 0 {
				out[comma] = ' '
			}
		case '"':
			i = stringEnd(out, i)
		}
		comma, last = -1, '"'
		if i < len(out) {
			last = out[i]
		}
	}
	return out, nil
}

// OnlyComments reports whether text is valid JSON except for parts that WithoutComments removes.
func OnlyComments(ctx context.Context, text []byte) bool {
	plain, err := WithoutComments(ctx, text)
	return err == nil && !bytes.Equal(plain, text) && CheckContext(ctx, plain) == nil
}

// chunk is the number of bytes between two checks of the context.
const chunk = 64 << 10

// blankOut replaces all characters except line endings by spaces.
func blankOut(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// commentEnd returns the offset after the comment that starts at i. It returns i if no comment
// starts there.
func commentEnd(text []byte, i int) (int, error) {
	switch {
	case bytes.HasPrefix(text[i:], []byte("//")):
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n, nil
		}
		return len(text), nil
	case bytes.HasPrefix(text[i:], []byte("/*")):
		if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
			return i + n + 4, nil
		}
		return 0, plaintext.Errorf(text, i, "the comment has no end")
	}
	return i, nil
}

// stringEnd is like StringEnd, for text that may be invalid: a string also ends at the end of its
// line or of the text.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// Compact removes white space between values from valid JSON text, like json.Compact. It returns an
// error only if the context is canceled.
func Compact(ctx context.Context, text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	look := 0
	for i := 0; i < len(text); i++ {
		if i >= look {
			if look = i + chunk; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := StringEnd(text, i)
			out = append(out, text[i:end+1]...)
			i = end
		default:
			out = append(out, c)
		}
	}
	return out, nil
}

// whiteSpace lists the characters allowed between values.
const whiteSpace = " \t\r\n"

// Check returns an error for invalid text. The error starts with the line and column of the first
// mistake, both counted from 1. Columns count characters.
func Check(text []byte) error { return CheckContext(context.Background(), text) }

// CheckContext is like Check, but stops with the context's error if ctx is canceled.
func CheckContext(ctx context.Context, text []byte) error {
	if len(bytes.TrimLeft(text, whiteSpace)) == 0 {
		return errors.New("the file is empty; it must hold a JSON value")
	}
	if err := plaintext.CheckUTF8(text); err != nil {
		return err
	}
	if ok, err := isValid(ctx, text); err != nil {
		return err
	} else if !ok {
		// Unmarshal checks the whole text before it examines its target.
		return syntaxError(text, json.Unmarshal(text, new(any)))
	}
	first, second, found, err := duplicateKey(ctx, text)
	if err != nil {
		return err
	}
	if found {
		return plaintext.Errorf(text, second, "duplicate key %s, first at %s",
			showKey(text, second), plaintext.Position(text, first))
	}
	return nil
}

func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	// Offset counts the bytes read, including the invalid byte. If the text ends unexpectedly, no
	// byte is invalid.
	at := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at--
	}
	at = min(max(at, 0), len(text))
	if strings.HasSuffix(syntax.Error(), "exceeded max depth") {
		return plaintext.Errorf(text, at, "the value is nested deeper than 10000 levels")
	}
	return plaintext.Errorf(text, at, "%s", syntax.Error())
}

const (
	// maxNesting is the maximum depth of objects and arrays in encoding/json.
	maxNesting = 10_000

	// maxAtOnce is the number of bytes between two checks of the context: some milliseconds of
	// work.
	maxAtOnce = 1 << 20
)

// isValid is like json.Valid, but stops when the context is canceled.
func isValid(ctx context.Context, text []byte) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if len(text) <= maxAtOnce || ctx.Done() == nil {
		return json.Valid(text), nil
	}
	return validInPieces(ctx, text)
}

// validInPieces checks text of any length. It takes twice the time of json.Valid, and three times
// the memory of the text.
func validInPieces(ctx context.Context, text []byte) (bool, error) {
	dec := json.NewDecoder(ctxio.Reader(ctx, bytes.NewReader(text)))
	err := dec.Decode(new(ignored))
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	// Decode does not check the bytes after the value.
	return err == nil && len(bytes.TrimLeft(text[dec.InputOffset():], whiteSpace)) == 0, nil
}

// ignored is a value that is not stored.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }
