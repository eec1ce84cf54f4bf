package setup

import (
	"context"
	"flag"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/recipeset"
)

const schemaText = `usage: cook schema [-events]

Prints a JSON Schema (draft-07) of cook.toml: all keys, the recipes, and the options of
each with what they mean, their values and bounds. Editors with Taplo or Even Better TOML
use it to complete and check files that begin with a line such as

	#:schema ../cook.schema.json

with the path from the file to the schema. With -events, prints the schema (2020-12) of the
lines that -json prints.

Example:
	cook schema > cook.schema.json
`

// Schema is the verb "cook schema".
var Schema = cmdline.Verb{
	Name: "schema", Synopsis: "schema [-events]", Summary: "print a JSON Schema of cook.toml, for editors", Text: schemaText,
	New: cmdline.HandlerOf((*schemaOptions).schemaFlags, (*schemaOptions).runSchema),
}

type schemaOptions struct{ events bool }

func (r *schemaOptions) schemaFlags(fs *flag.FlagSet) {
	fs.BoolVar(&r.events, "events", false, "print the schema of the lines that -json prints instead")
}

func (r *schemaOptions) runSchema(ctx context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 0 {
		return c.Wrong("schema takes no arguments, have %q", words)
	}
	schema := func() ([]byte, error) { return rulesSchema(c.Recipes) }
	if r.events {
		schema = report.Schema
	}
	text, err := schema()
	if err != nil {
		return c.Fail(ctx, err)
	}
	c.Stdout.Write(text)
	return frontend.OK
}

func rulesSchema(recipes []recipe.Recipe) ([]byte, error) {
	set, err := recipeset.New(recipes...)
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	return rules.Schema(set)
}
