package builtin

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// JSON checks that the source is one JSON value (RFC 8259) in UTF-8 without duplicate keys, and drops
// the white space. Numbers, strings and the order of keys stay unchanged.
//
// A source that is called .jsonc may have comments and commas before a bracket, which are
// dropped. A byte order mark at the start is accepted. Nesting is limited to the 10,000
// levels of encoding/json.
type JSON struct {
	Minify bool `toml:"minify" doc:"drop white space and byte order mark; false copies the file as it is once it is checked"`
}

// Outputs implements recipe.Cooker.
func (*JSON) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate.
func (*JSON) estimateMemory(_ []byte, size int64) (int64, error) {
	// The text, again without comments, its compact form, three times the text to check it in pieces, and at
	// worst (a key every five bytes, the list of keys being copied as it grows) 3.6
	// times the text.
	return 64<<10 + 10*size, nil
}

// Cook implements recipe.Cooker.
func (j *JSON) Cook(ctx context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	text := bytes.TrimPrefix(data, []byte(plaintext.ByteOrderMark))
	if job.Ext() == ".jsonc" {
		if text, err = jsontext.WithoutComments(ctx, text); err != nil {
			return err
		}
	}
	if err := jsontext.CheckContext(ctx, text); err != nil {
		if ctx.Err() == nil && jsontext.OnlyComments(ctx, text) {
			err = fmt.Errorf(`%w; comments and commas before a bracket are read if the file is called .jsonc, or with recipe = "data", input = "jsonc"`, err)
		}
		return err
	}
	if !j.Minify {
		return job.Write(0, data)
	}
	compact, err := jsontext.Compact(ctx, text)
	if err != nil {
		return err
	}
	return job.Write(0, compact)
}
