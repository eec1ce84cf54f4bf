// Package data is the recipe that converts tables and settings to a form that a game reads fast:
// JSON without white space, CBOR (RFC 8949) or MessagePack.
//
// It reads JSON, JSON with comments and trailing commas (.jsonc), YAML 1.2, TOML 1.0 and tables
// separated by commas or tabs (.csv, .tsv). The extension determines the format, unless option
// input sets it.
//
// # Values
//
// Keys keep their order. A repeated key in an object is an error.
//
// Numbers keep their digits in JSON. In CBOR and MessagePack, an integer stays an integer. CBOR has
// integers of any size. MessagePack has 64-bit integers, and a larger integer is an error. A number
// with a point or an exponent becomes the shortest float that equals the nearest binary64. With
// numbers = "exact", a number that no binary64 equals becomes a decimal fraction (tag 4) in CBOR
// and an error in MessagePack. TOML floats keep their digits too, but must be in the range of a
// binary64. TOML integers must fit in 64 bits. Infinities and NaN, which YAML and TOML have, are an
// error in JSON.
//
// YAML is read by its core schema: no and off are strings, and 012 is the number twelve. Aliases
// are replaced by their anchors' values, and the key << merges objects. TOML dates become strings
// in RFC 3339 format.
//
// Tables may have commas, semicolons, tabs or bars between their cells, CR line endings, and
// Excel's first line sep=;. They may be UTF-16 with a byte order mark. If a table can be read in
// two ways, the error names the option to set.
//
// The cells of a table are strings unless option columns says otherwise. Empty lines are not rows.
// So in a table with one column, write "" for an empty cell. A line ending in a quoted cell of a
// .csv becomes LF. A .tsv has no quotes: its cells are the exact texts between tabs.
//
// # Schemas
//
// Option schema names a JSON Schema in the asset tree. Schemas that it refers to must also be in
// the asset tree, and all of them are dependencies. Nothing is downloaded. $schema names one of the
// drafts 4, 6, 7, 2019-09 and 2020-12; the default is 2020-12. The recipe refuses:
//
//   - other dialects and vocabularies
//   - references to the drafts' own schemas, unless the asset directory has a copy
//   - patterns that RE2 does not support
//
// format is checked only in drafts 4 to 7. contentEncoding and similar keywords are never checked.
// Numbers are compared by their digits, whatever their size. Do not use $id, because relative
// references would be resolved against it, outside of the asset directory. An error names the line
// and column of the value.
//
// # Limits
//
// A file has at most 256 MiB (TOML 4 MiB), 16 million values and 1000 levels. All schemas together
// have at most 1 MiB. YAML aliases or column names that expand to much more than the source are an
// error.
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

// dataOptions are the options of the recipe.
type dataOptions struct {
	Format    string            `toml:"format" enum:"json,cbor,msgpack" doc:"output format"`
	Input     string            `toml:"input" enum:"auto,json,jsonc,yaml,toml,csv,tsv" doc:"input format; auto decides by the extension"`
	Schema    string            `toml:"schema" doc:"JSON Schema for the data: a path from the asset directory with a leading slash, as in \"/schemas/kart.json\", preferably without $id, which changes the base of relative references; empty for none"`
	SortKeys  bool              `toml:"sort_keys" doc:"sort the keys of objects by their bytes (in CBOR by its core deterministic encoding) instead of keeping their order"`
	Numbers   string            `toml:"numbers" enum:"nearest,exact" doc:"how CBOR and MessagePack store a number that a 64-bit float cannot hold exactly: as the nearest float, or exactly (MessagePack: an error)"`
	Documents bool              `toml:"documents" doc:"a YAML file may have several documents, which become a list; false: one document"`
	Separator string            `toml:"separator" doc:"the character between the cells of a table: \",\", \";\", \"\\t\" or \"|\"; auto detects it, or fails if it is uncertain"`
	SkipLines int               `toml:"skip_lines" min:"0" max:"1000000" doc:"number of lines before the table to skip, such as a title"`
	Decimal   string            `toml:"decimal" doc:"the decimal separator in columns of numbers: \".\" or \",\""`
	Header    bool              `toml:"header" doc:"the first row of a table names its columns, and each other row becomes an object; false: each row becomes a list"`
	Columns   map[string]string `toml:"columns" doc:"the types of a table's columns, as in { mass = \"number\" }: string (the default), number, bool or json; an empty cell that is not a string becomes null"`
}

// Recipe returns the recipe "data".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "data", Version: 6,
		New: func() recipe.Cooker {
			return &dataOptions{Format: "json", Input: "auto", Numbers: "nearest", Separator: "auto", Decimal: ".", Header: true}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*dataOptions)
			return recipe.Traits{Check: o.checkOptions, Estimate: o.estimateMemory}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *dataOptions) Outputs() []string { return []string{"{stem}." + o.Format} }

// checkOptions implements Traits.Check.
func (o *dataOptions) checkOptions() error {
	if o.Schema != "" && (!strings.HasPrefix(o.Schema, "/") || strings.HasSuffix(o.Schema, "/")) {
		return &recipe.OptionError{Key: "schema", Got: fmt.Sprintf("%q", o.Schema), Want: `a path from the asset directory such as "/schemas/kart.json"`}
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

// inputFormat returns the input format for a file extension in lower case.
func (o *dataOptions) inputFormat(ext string) (string, error) {
	if o.Input != "auto" {
		return o.Input, nil
	}
	switch ext {
	case ".json", ".jsonc", ".yaml", ".toml", ".csv", ".tsv":
		return ext[1:], nil
	case ".yml":
		return "yaml", nil
	}
	return "", fmt.Errorf("the extension %q does not determine the format; set input to json, jsonc, yaml, toml, csv or tsv", ext)
}

// Cook implements recipe.Cooker.
func (o *dataOptions) Cook(ctx context.Context, job *recipe.Job) error {
	in, err := o.inputFormat(job.Ext())
	if err != nil {
		return err
	}
	if job.Size() > maxSource {
		return fmt.Errorf("the file has %d bytes of %s, more than the limit of %d; split it", job.Size(), in, int64(maxSource))
	}
	text, err := job.Source()
	if err != nil {
		return err
	}
	b := &builder{ctx: ctx}
	root, err := o.parseText(b, in, text)
	if err != nil {
		return err
	}
	if b.otherKeys && o.Format != "json" {
		job.Warn("keys that are numbers, true, false or null become strings, as in JSON")
	}
	if o.Schema != "" {
		if err := checkSchema(ctx, job, o.Schema, root); err != nil {
			return err
		}
	}
	if o.SortKeys && o.Format != "cbor" { // the CBOR encoder sorts keys itself
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

// parseText parses a file of the format in into a tree of values.
func (o *dataOptions) parseText(b *builder, in string, text []byte) (*value, error) {
	text = bytes.TrimPrefix(text, []byte(plaintext.ByteOrderMark))
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
		return o.readTableRows(b, text, false)
	case "tsv":
		return o.readTableRows(b, text, true)
	}
	return nil, fmt.Errorf("the input format %q is unknown", in)
}

// encodeTree encodes a tree in the output format.
func (o *dataOptions) encodeTree(w writer, root *value) ([]byte, error) {
	switch o.Format {
	case "json":
		return appendJSON(w, root)
	case "cbor":
		return appendCBOR(w, root, cborOptions{exact: o.Numbers == "exact", sorted: o.SortKeys})
	case "msgpack":
		return appendMessagePack(w, root, o.Numbers == "exact")
	}
	return nil, errors.New("format " + o.Format + " is unknown")
}

// maxSource limits the size of a source in bytes. The values of larger files would need gigabytes.
const maxSource = 256 << 20

// Maximum memory for a source, in bytes per unit. The values were measured with lists of one-digit
// numbers and of empty lists, with tables of short and of empty cells, and with long strings.
const (
	textBytes  = 16  // bytes per source byte, for the file, the text and the output
	valueBytes = 340 // bytes per character of JSON or TOML that may precede a value
	yamlBytes  = 650 // bytes per character of YAML that may precede a value
	rowBytes   = 300 // bytes per line in a table
	cellBytes  = 170 // bytes per separator in a table
	growth     = 5   // bytes per output byte, because the output buffer grows

	aliasBytes   = 100      // bytes per value that aliases add
	plainBytes   = 40       // bytes per source byte for comparing items, with a schema
	schemasBytes = 80 << 20 // bytes for all schemas together
)

// estimateMemory implements Traits.Estimate. The format depends on the file name, which is
// unknown here, and the number of values depends on the whole file. So the estimate assumes the
// most expensive format, YAML.
func (o *dataOptions) estimateMemory(head []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, fmt.Errorf("the file has %d bytes, more than the limit of %d; split it", size, int64(maxSource))
	}
	if int64(len(head)) < size {
		return 0, recipe.ErrShortHead
	}
	m := countMarks(head)
	need := 1<<20 + textBytes*size
	written := size + 6*m.escaped
	switch o.Input {
	case "csv", "tsv":
		need += rowBytes*m.lines + cellBytes*m.commas
		if len(o.Columns) > 0 { // some columns may hold JSON
			need += valueBytes * m.marks
		}
	case "json", "jsonc", "toml":
		need += valueBytes * (m.marks + m.commas)
	default:
		need += yamlBytes * (m.marks + m.commas + m.lines)
	}
	if o.Input == "auto" || o.Input == "csv" || o.Input == "tsv" {
		written += m.lines*(m.first+8) + 4*m.commas // each row repeats the column names
	}
	most := int64(mostOutput(int(size)))
	if m.aliases > 0 && (o.Input == "auto" || o.Input == "yaml") {
		written = most
		need += aliasBytes * (size + aliasRoom)
	}
	need += growth * min(most, written)
	if o.Schema != "" {
		need += schemasBytes + plainBytes*size
	}
	return need, nil
}

// marks holds counts of the characters in a source that affect the memory estimate.
type marks struct {
	lines, commas, marks int64 // number of commas and tabs, and of other characters that may precede a value
	escaped              int64 // number of characters that JSON escapes
	aliases              int64
	first                int64 // length of the first line in bytes
}

func countMarks(source []byte) (m marks) {
	m.first = int64(len(source))
	if i := bytes.IndexByte(source, '\n'); i >= 0 {
		m.first = int64(i)
	}
	m.lines = 1
	for _, c := range source {
		switch c {
		case '\n', '\r':
			m.lines++
		case ',', '\t':
			m.commas++
		case '[', '{', ':', '-', '=', '.', '?':
			m.marks++
		case '*':
			m.aliases++
		case '"', '\\':
			m.escaped++
		default:
			if c < ' ' {
				m.escaped++
			}
		}
	}
	return m
}
