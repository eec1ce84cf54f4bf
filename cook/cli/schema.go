package cli

import (
	"context"
	"io"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

const schemaText = `usage: cook schema

Prints a JSON Schema (draft-07) of cook.toml: all keys, the recipes, and the options of
each with what they mean, their values and bounds. Editors with Taplo or Even Better TOML
complete and check by it what has a line such as

	#:schema ../cook.schema.json

at its start, with the path from the file to the schema.

Example:
	cook schema > cook.schema.json
`

func (c command) runSchema(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	words, code, ok := parse(newFlags("schema", schemaText), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 {
		wrong(stderr, "schema takes no words, have %q", words)
		return exitUsage
	}
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return fail(ctx, stderr, &cook.ConfigError{Err: err})
	}
	text, err := rules.Schema(set)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	stdout.Write(text) // checked by run
	return exitOK
}
