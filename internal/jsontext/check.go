// Package jsontext checks JSON text and reports errors by line and column: syntax, and duplicate
// keys of an object. It also removes comments and white space. Unlike encoding/json, it stops when
// a context ends.
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

// whiteSpace is allowed between values.
const whiteSpace = " \t\r\n"

// Check returns an error that starts with the line and column of the mistake, both from 1; columns
// count characters.
func Check(text []byte) error { return CheckContext(context.Background(), text) }

// CheckContext is Check that ends with the context's error.
func CheckContext(ctx context.Context, text []byte) error {
	if len(bytes.TrimLeft(text, whiteSpace)) == 0 {
		return errors.New("the file is empty, want a JSON value")
	}
	if err := plaintext.CheckUTF8(text); err != nil {
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
	// Offset counts the bytes read, including the offending one; at the end of the text there is
	// none.
	at := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at--
	}
	at = min(max(at, 0), len(text))
	if strings.HasSuffix(syntax.Error(), "exceeded max depth") {
		return plaintext.Errorf(text, at, "nested deeper than 10000 levels")
	}
	return plaintext.Errorf(text, at, "%s", syntax.Error())
}

const (
	// maxNesting is the deepest nesting of objects and arrays in encoding/json.
	maxNesting = 10_000

	// maxAtOnce is the number of bytes checked without checking the context: some milliseconds of
	// work.
	maxAtOnce = 1 << 20
)

// valid is json.Valid that ends with the context.
func valid(ctx context.Context, text []byte) (bool, error) {
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
