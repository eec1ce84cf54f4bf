package jsontext

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/assetcook/assetcook/internal/ctxio"
)

const (
	// maxNesting is how deep objects and arrays may lie in one another in encoding/json.
	maxNesting = 10_000

	// maxAtOnce is how many bytes are checked without looking at the context: some
	// milliseconds' worth.
	maxAtOnce = 1 << 20
)

// valid is json.Valid, and ends with the context.
func valid(ctx context.Context, text []byte) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if len(text) <= maxAtOnce || ctx.Done() == nil {
		return json.Valid(text), nil
	}
	return validInPieces(ctx, text)
}

// validInPieces is for text of any length. It takes twice the time of json.Valid, and
// three times the memory of the text.
func validInPieces(ctx context.Context, text []byte) (bool, error) {
	dec := json.NewDecoder(ctxio.Reader(ctx, bytes.NewReader(text)))
	err := dec.Decode(new(ignored))
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	// Decode leaves alone what follows the value.
	return err == nil && len(bytes.TrimLeft(text[dec.InputOffset():], whiteSpace)) == 0, nil
}

// ignored is a value that is read and not kept.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }
