// Package data is the recipe that turns tables and settings into one form that a
// game reads fast: JSON without white space, CBOR (RFC 8949) or MessagePack.
//
// It reads JSON, JSON with comments and trailing commas (.jsonc), YAML 1.2, TOML
// 1.0 and tables separated by commas or tabs (.csv, .tsv). The extension tells
// which, or the option input.
//
// # What is kept
//
// Keys keep their order. A key that stands twice in an object is an error.
//
// Numbers keep their digits in JSON. In CBOR and MessagePack a whole number stays
// whole (CBOR has them of any size, MessagePack of 64 bits; a larger one is an
// error); what is written with a point or an exponent becomes the shortest float
// that holds the nearest binary64. With numbers = "exact" a number that no binary64
// is equal to becomes a decimal fraction (tag 4) in CBOR and an error in
// MessagePack. The floats of TOML keep their digits as well, though they must be
// within the range of a binary64, as its whole numbers within 64 bits. Infinities and NaN, which YAML and TOML have, are an error in JSON.
//
// YAML is read by its core schema: no, off and 012 are two strings and the number
// twelve. Aliases are replaced by what they stand for, the key << merges. Dates of
// TOML become strings of RFC 3339.
//
// Tables may have commas, semicolons, tabs or bars between their cells, line ends of CR,
// the first line sep=; of Excel, and be UTF-16 with a byte order mark. Where the rows can
// be read in two ways, the error has the option to set.
//
// The cells of a table are strings unless columns says otherwise. Lines without
// anything are no rows: in a table of one column, write "" for an empty cell. A line
// end in a quoted cell of a .csv becomes LF. A .tsv knows no quotes: its cells stand
// between tabs as they are.
//
// # Schemas
//
// The option schema names a JSON Schema in the asset tree; what it refers to lies
// there, too, and all of it are dependencies. Nothing is fetched, and $schema names
// one of the drafts 4, 6, 7, 2019-09 and 2020-12 or nothing, which means the last. What
// is refused: other dialects and vocabularies, references to the drafts' own schemas
// unless a copy of them lies in the asset folder, and patterns that RE2 does not know.
// format is checked in drafts 4 to 7 only, contentEncoding and the like in none. Numbers
// are compared by their digits, whatever their size. Leave $id out: with it, relative
// references start from there, which is outside the asset folder. An error names line
// and column of the value.
//
// # Limits
//
// Files have up to 256 MiB (TOML 4 MiB), 16 million values, and 1000 levels; schemas 1 MiB
// together. What aliases of YAML and names of columns blow up beyond reason is an error.
package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Data holds the options of the recipe.
type Data struct {
	Format    string            `toml:"format" enum:"json,cbor,msgpack" doc:"what is written"`
	Input     string            `toml:"input" enum:"auto,json,jsonc,yaml,toml,csv,tsv" doc:"what is read; auto goes by the extension"`
	Schema    string            `toml:"schema" doc:"JSON Schema that the data must satisfy: a path from the asset folder with a slash in front, as in \"/schemas/kart.json\", best without $id, which would move its relative references outside; empty for none"`
	SortKeys  bool              `toml:"sort_keys" doc:"sort the keys of objects by their bytes (in CBOR as its core deterministic encoding asks) instead of keeping their order"`
	Numbers   string            `toml:"numbers" enum:"nearest,exact" doc:"what CBOR and MessagePack hold of a number that is not exactly a binary64: the nearest one, or it is kept exactly (MessagePack: an error)"`
	Documents bool              `toml:"documents" doc:"a YAML file may hold several documents, the result is a list of them; false: one document"`
	Separator string            `toml:"separator" doc:"the character between the cells of a table: \",\", \";\", \"\\t\" or \"|\"; auto finds it and fails if it cannot be sure"`
	SkipLines int               `toml:"skip_lines" min:"0" max:"1000000" doc:"how many lines stand before a table, such as a title"`
	Decimal   string            `toml:"decimal" doc:"what stands before the decimals in columns of numbers: \".\" or \",\""`
	Header    bool              `toml:"header" doc:"the first row of a table names its columns and each other row becomes an object; false: each row becomes a list"`
	Columns   map[string]string `toml:"columns" doc:"what the cells of a table's columns hold, as in { mass = \"number\" }: string (the default), number, bool or json; an empty cell that is no string becomes null"`
}

// Recipe returns the recipe "data".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "data", Version: 5,
		New: func() recipe.Cooker {
			return &Data{Format: "json", Input: "auto", Numbers: "nearest", Separator: "auto", Decimal: ".", Header: true}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *Data) Outputs() []string { return []string{"{stem}." + o.Format} }

// Check implements recipe.Checker.
func (o *Data) Check() error {
	if o.Schema != "" && (!strings.HasPrefix(o.Schema, "/") || strings.HasSuffix(o.Schema, "/")) {
		return &recipe.OptionError{Key: "schema", Got: fmt.Sprintf("%q", o.Schema), Want: `a path from the asset folder such as "/schemas/kart.json"`}
	}
	if o.Separator != "auto" && (len(o.Separator) != 1 || !slices.Contains(separators, o.Separator[0])) {
		return &recipe.OptionError{Key: "separator", Got: fmt.Sprintf("%q", o.Separator), Want: `"auto", ",", ";", "\t" or "|"`}
	}
	if o.Decimal != "." && o.Decimal != "," {
		return &recipe.OptionError{Key: "decimal", Got: fmt.Sprintf("%q", o.Decimal), Want: `"." or ","`}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		what := o.Columns[name]
		if !slices.Contains([]string{cellString, cellNumber, cellBool, cellJSON}, what) {
			return &recipe.OptionError{Key: "columns", Got: fmt.Sprintf("%q", what), Want: `"string", "number", "bool" or "json" for each column`}
		}
	}
	if len(o.Columns) > 0 && !o.Header {
		return &recipe.OptionError{Key: "columns", Want: "header = true, which names the columns"}
	}
	return nil
}

// inputs are the extensions of each form, in lower case.
var inputs = map[string]string{
	".json": "json", ".jsonc": "jsonc", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".csv": "csv", ".tsv": "tsv",
}

// input tells what a source with an extension is.
func (o *Data) input(ext string) (string, error) {
	if o.Input != "auto" {
		return o.Input, nil
	}
	if in, ok := inputs[ext]; ok {
		return in, nil
	}
	return "", fmt.Errorf("the extension %q does not tell what this is; set input to json, jsonc, yaml, toml, csv or tsv", ext)
}

// Cook implements recipe.Cooker.
func (o *Data) Cook(ctx context.Context, job *recipe.Job) error {
	in, err := o.input(job.Ext())
	if err != nil {
		return err
	}
	if job.Size() > maxSource {
		return fmt.Errorf("%d bytes of %s are more than the %d that can be read; split the file", job.Size(), in, int64(maxSource))
	}
	text, err := job.Source()
	if err != nil {
		return err
	}
	root, err := o.readDocument(ctx, in, text)
	if err != nil {
		return err
	}
	if o.Schema != "" {
		if err := checkSchema(ctx, job, o.Schema, root); err != nil {
			return err
		}
	}
	if o.SortKeys && o.Format != "cbor" { // which sorts them as they are encoded
		if err := root.sortKeys(ctx); err != nil {
			return err
		}
	}
	out, err := o.encodeTree(writer{ctx: ctx, most: mostOutput(len(text))}, root)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	job.Hold("encoded data", len(out))
	return job.Write(0, out)
}

// readDocument makes a tree of values out of a file.
func (o *Data) readDocument(ctx context.Context, in string, text []byte) (*value, error) {
	text = bytes.TrimPrefix(text, []byte(plaintext.ByteOrderMark))
	b := &builder{ctx: ctx}
	switch in {
	case "json":
		return readPlainJSON(b, text)
	case "jsonc":
		return readJSONC(b, text)
	case "yaml":
		return readYAML(b, text, o.Documents)
	case "toml":
		return readTOML(b, text)
	case "csv":
		return o.readTable(b, text, false)
	case "tsv":
		return o.readTable(b, text, true)
	}
	return nil, fmt.Errorf("input %q is not known", in)
}

// encodeTree encodes a tree.
func (o *Data) encodeTree(w writer, root *value) ([]byte, error) {
	switch o.Format {
	case "json":
		return appendJSON(w, root)
	case "cbor":
		return appendCBOR(w, root, cborOptions{exact: o.Numbers == "exact", sorted: o.SortKeys})
	case "msgpack":
		return appendMessagePack(w, root, o.Numbers == "exact")
	}
	return nil, errors.New("format " + o.Format + " is not known")
}

// maxSource is the largest file that is read. Larger ones are not settings, and the
// tree of their values would need gigabytes.
const maxSource = 256 << 20
