package jsontext

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/assetcook/assetcook/internal/ctxio"
)

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
