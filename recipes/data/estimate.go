package data

import (
	"bytes"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
)

// What a source costs at most until all is written, in bytes, measured with lists of
// one-digit numbers and of empty lists, with tables of short and of empty cells, and
// with long strings.
const (
	textBytes  = 16  // for each byte: it is read, kept and written
	valueBytes = 340 // for each mark that a value of JSON or TOML may stand behind
	yamlBytes  = 650 // and of YAML
	rowBytes   = 300 // for each line of a table
	cellBytes  = 170 // for each of its separators
	growth     = 5   // for each byte that is written, as what is written into grows

	aliasBytes   = 100      // for each value that an alias stands for
	plainBytes   = 40       // for each byte more if there is a schema, to compare items
	schemasBytes = 80 << 20 // for the schemas themselves
)

// Estimate implements recipe.Estimator. Only the name of a file tells what it is, and
// only all of it how many values it has: then the dearest form counts, YAML.
func (o *Data) Estimate(head []byte, size int64) (int64, error) {
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

// Marks are what values stand behind.
type marks struct {
	lines, commas, marks int64 // commas and tabs, others
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
