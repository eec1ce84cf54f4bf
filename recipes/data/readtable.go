package data

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/jsontext"
)

// Types of the cells in a column.
const (
	cellString = "string"
	cellNumber = "number"
	cellBool   = "bool"
	cellJSON   = "json"
)

// readTableRows reads rows of cells. With a header it returns a list of objects, otherwise a
// list of lists.
func (o *dataOptions) readTableRows(b *builder, source []byte, tabs bool) (*value, error) {
	d, err := o.findDialect(b.ctx, source, tabs)
	if err != nil {
		return nil, err
	}
	var from rows = newCommaRows(b.ctx, d)
	if tabs && d.separator == '\t' {
		from = &tabRows{ctx: b.ctx, rest: string(d.text), line: d.skipped}
	}
	b.decimalComma = o.Decimal == ","
	table, err := b.newValue(list, 1, 1)
	if err != nil {
		return nil, err
	}
	var names, holds []string
	if o.Header {
		if names, err = readHeader(from); err != nil {
			return nil, err
		}
		if holds, err = o.columnTypes(names); err != nil {
			return nil, err
		}
	}
	for {
		cells, err := from.next()
		if err == io.EOF {
			return table, nil
		}
		if err != nil {
			return nil, err
		}
		line, col := from.place(0)
		k := list
		if o.Header {
			k = object
		}
		row, err := b.newValue(k, line, col)
		if err != nil {
			return nil, err
		}
		row.keys = names // rows can share names, because keys are never modified in place
		for i, cell := range cells {
			what := cellString
			if o.Header {
				what = holds[i]
			}
			if i > 0 {
				line, col = from.place(i)
			}
			v, err := b.readCell(strings.Clone(cell), what, line, col)
			if err != nil {
				return nil, err
			}
			row.items = append(row.items, v)
		}
		table.items = append(table.items, row)
	}
}

// readHeader reads the column names.
func readHeader(from rows) ([]string, error) {
	cells, err := from.next()
	if err == io.EOF {
		return nil, errors.New("the file is empty; write a first row with the names of the columns")
	}
	if err != nil {
		return nil, err
	}
	names := slices.Clone(cells)
	first := map[string]int{}
	for i, name := range names {
		names[i] = strings.Clone(name)
		line, col := from.place(i)
		if name == "" {
			return nil, fmt.Errorf("%d:%d: column %d has no name; name it, or set header = false", line, col, i+1)
		}
		if other, twice := first[name]; twice {
			return nil, fmt.Errorf("%d:%d: columns %d and %d are both called %.60q", line, col, other+1, i+1, name)
		}
		first[name] = i
	}
	return names, nil
}

// columnTypes returns the cell type of each column.
func (o *dataOptions) columnTypes(names []string) ([]string, error) {
	holds := make([]string, len(names))
	for i, name := range names {
		if holds[i] = o.Columns[name]; holds[i] == "" {
			holds[i] = cellString
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("1:1: there is no column %.60q, which the option columns names", name)
		}
	}
	return holds, nil
}

// readCell reads one cell.
func (b *builder) readCell(s, what string, line, col int) (*value, error) {
	v, err := b.newValue(null, line, col)
	if err != nil {
		return nil, err
	}
	trimmed := strings.TrimSpace(s)
	switch {
	case what == cellString:
		v.kind, v.text = text, s
	case trimmed == "":
	case what == cellNumber && float().MatchString(b.decimalPoint(trimmed)):
		v.kind, v.text = number, jsonNumber(b.decimalPoint(trimmed))
	case what == cellNumber && !b.decimalComma && float().MatchString(strings.Replace(trimmed, ",", ".", 1)):
		return nil, v.valueErrorf(nil, `%.40q has a decimal comma; set decimal = ","`, trimmed)
	case what == cellBool && (trimmed == yes || trimmed == no):
		v.kind, v.text = boolean, trimmed
	case what == cellJSON:
		if err := jsontext.Check([]byte(trimmed)); err != nil {
			return nil, v.valueErrorf(nil, "in the cell: %v", err)
		}
		inner, err := readJSON(b, []byte(trimmed))
		if err != nil {
			return nil, v.valueErrorf(nil, "in the cell: %v", err)
		}
		return inner.placeAt(line, col), nil
	default:
		return nil, v.valueErrorf(nil, "%.40q is not a %s", trimmed, what)
	}
	return v, nil
}

// decimalPoint replaces a decimal comma with a point, if cells have decimal commas.
func (b *builder) decimalPoint(s string) string {
	if b.decimalComma && !strings.Contains(s, ".") {
		return strings.Replace(s, ",", ".", 1)
	}
	return s
}

// placeAt sets the position of a value, and of all values below it, to the position of a cell.
func (v *value) placeAt(line, col int) *value {
	v.line, v.col = int32(line), int32(col)
	for _, item := range v.items {
		item.placeAt(line, col)
	}
	return v
}

// rows is an iterator over the rows of a table. All rows have as many cells as the first. Empty
// lines are skipped.
type rows interface {
	// next returns the cells of the next row, or io.EOF. They are valid until the next call.
	next() ([]string, error)
	// place returns the line and column of the i-th cell in the last row.
	place(i int) (line, col int)
}

// commaRows reads cells separated by commas or another character, which may be quoted (RFC
// 4180).
type commaRows struct {
	*csv.Reader
	skipped int // number of lines before the first row
}

func newCommaRows(ctx context.Context, d dialect) commaRows {
	r := csv.NewReader(ctxio.Reader(ctx, bytes.NewReader(d.text)))
	r.ReuseRecord = true
	r.Comma = rune(d.separator)
	return commaRows{r, d.skipped}
}

func (r commaRows) next() ([]string, error) {
	cells, err := r.Read()
	if syntax := (*csv.ParseError)(nil); errors.As(err, &syntax) {
		if errors.Is(err, csv.ErrFieldCount) {
			return nil, fmt.Errorf("%d:%d: the row has %d cells, but the first row has %d; if lines come before the header, set skip_lines", r.skipped+syntax.Line, syntax.Column, len(cells), r.FieldsPerRecord)
		}
		return nil, fmt.Errorf("%d:%d: %v", r.skipped+syntax.Line, syntax.Column, syntax.Err)
	}
	return cells, err
}

func (r commaRows) place(i int) (line, col int) {
	line, col = r.FieldPos(i)
	return r.skipped + line, col
}

// tabRows reads cells that are the exact texts between tabs. Cells contain neither tabs nor line
// endings, and quotes have no special meaning (IANA's text/tab-separated-values).
type tabRows struct {
	ctx   context.Context
	rest  string
	line  int // line number of the last row
	cells []string
	cols  []int // offset of each cell in the text
	want  int   // number of cells in the first row
}

func (r *tabRows) next() ([]string, error) {
	for r.rest != "" {
		if r.line++; r.line%step == 0 {
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
		}
		var row string
		row, r.rest, _ = strings.Cut(r.rest, "\n")
		row = strings.TrimSuffix(row, "\r")
		if row == "" {
			continue
		}
		r.cells, r.cols = r.cells[:0], r.cols[:0]
		col := 1
		for cell := range strings.SplitSeq(row, "\t") {
			r.cells, r.cols = append(r.cells, cell), append(r.cols, col)
			col += utf8.RuneCountInString(cell) + 1
		}
		if r.want == 0 {
			r.want = len(r.cells)
		}
		if len(r.cells) != r.want {
			return nil, fmt.Errorf("%d:1: the row has %d cells, but the first row has %d; add or remove cells", r.line, len(r.cells), r.want)
		}
		return r.cells, nil
	}
	return nil, io.EOF
}

func (r *tabRows) place(i int) (line, col int) { return r.line, r.cols[i] }
