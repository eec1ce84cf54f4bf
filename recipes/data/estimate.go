package data

import (
	"bytes"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
)

// The maximal memory of a source in bytes, measured with lists of one-digit numbers and of empty
// lists, with tables of short and of empty cells, and with long strings.
const (
	textBytes  = 16  // per source byte: read, kept and written
	valueBytes = 340 // per mark that may precede a value in JSON or TOML
	yamlBytes  = 650 // the same for YAML
	rowBytes   = 300 // per line of a table
	cellBytes  = 170 // per separator of a table
	growth     = 5   // per output byte, because the output buffer grows

	aliasBytes   = 100      // per value behind an alias
	plainBytes   = 40       // per byte with a schema, to compare items
	schemasBytes = 80 << 20 // for the schemas
)

// estimateMemory implements Traits.Estimate. The format depends on the file name, which is unknown
// here, and the number of values on the whole file. So it assumes the most expensive format,
// YAML.
func (o *Data) estimateMemory(head []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, fmt.Errorf("%d bytes are more than the %d that can be read; split the file", size, int64(maxSource))
	}
	if int64(len(head)) < size {
		return 0, recipe.ErrShortHead
	}
	m := count(head)
	need := 1<<20 + textBytes*size
	written := size + 6*m.escaped
	switch o.Input {
	case "csv", "tsv":
		need += rowBytes*m.lines + cellBytes*m.commas
		if len(o.Columns) > 0 { // some may hold JSON
			need += valueBytes * m.marks
		}
	case "json", "jsonc", "toml":
		need += valueBytes * (m.marks + m.commas)
	default:
		need += yamlBytes * (m.marks + m.commas + m.lines)
	}
	if o.Input == "auto" || o.Input == "csv" || o.Input == "tsv" {
		written += m.lines*(m.first+8) + 4*m.commas // each row has the names
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

// marks counts the characters that may precede a value.
type marks struct {
	lines, commas, marks int64 // commas and tabs; other marks
	escaped              int64 // characters that JSON escapes
	aliases              int64
	first                int64 // bytes of the first line
}

func count(source []byte) (m marks) {
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
