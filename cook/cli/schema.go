package cli

import (
	"context"
	"flag"
	"io"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

const schemaText = `usage: cook schema [-events]

Prints a JSON Schema (draft-07) of cook.toml: all keys, the recipes, and the options of
each with what they mean, their values and bounds. Editors with Taplo or Even Better TOML
complete and check by it what has a line such as

	#:schema ../cook.schema.json

at its start, with the path from the file to the schema. With -events, it is the schema
(2020-12) of the lines that -json prints.

Example:
	cook schema > cook.schema.json
`

func schemaFlags(events *bool) *flag.FlagSet {
	fs := newFlags("schema", schemaText)
	fs.BoolVar(events, "events", false, "print the schema of the lines that -json prints instead")
	return fs
}

func (c command) runSchema(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var events bool
	words, code, ok := parse(schemaFlags(&events), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 {
		wrong(stderr, "schema takes no words, have %q", words)
		return exitUsage
	}
	schema := c.rulesSchema
	if events {
		schema = report.Schema
	}
	text, err := schema()
	if err != nil {
		return fail(ctx, stderr, err)
	}
	stdout.Write(text) // checked by run
	return exitOK
}

func (c command) rulesSchema() ([]byte, error) {
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	return rules.Schema(set)
}
