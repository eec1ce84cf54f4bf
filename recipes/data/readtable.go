package data

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/jsontext"
)

// The types of cells of a column.
const (
	cellString = "string"
	cellNumber = "number"
	cellBool   = "bool"
	cellJSON   = "json"
)

// readTable reads rows of cells: with a header into a list of objects, otherwise into a list of
// lists.
func (o *Data) readTable(b *builder, source []byte, tabs bool) (*value, error) {
	d, err := o.dialect(source, tabs)
	if err != nil {
		return nil, err
	}
	var from rows = newCommaRows(b.ctx, d)
	if tabs && d.separator == '\t' {
		from = &tabRows{ctx: b.ctx, rest: string(d.text), line: d.skipped}
	}
	b.decimalComma = o.Decimal == ","
	table, err := b.make(list, 1, 1)
	if err != nil {
		return nil, err
	}
	var names, holds []string
	if o.Header {
		if names, err = header(from); err != nil {
			return nil, err
		}
		if holds, err = o.holds(names); err != nil {
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
		row, err := b.make(k, line, col)
		if err != nil {
			return nil, err
		}
		row.keys = names // shared, because keys are never changed in place
		for i, cell := range cells {
			what := cellString
			if o.Header {
				what = holds[i]
			}
			if i > 0 {
				line, col = from.place(i)
			}
			v, err := b.cell(strings.Clone(cell), what, line, col)
			if err != nil {
				return nil, err
			}
			row.items = append(row.items, v)
		}
		table.items = append(table.items, row)
	}
}

// header reads the names of the columns.
func header(from rows) ([]string, error) {
	cells, err := from.next()
	if err == io.EOF {
		return nil, errors.New("the file is empty, want a row that names the columns")
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

// holds returns the type of the cells of each column.
func (o *Data) holds(names []string) ([]string, error) {
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

// cell reads one cell.
func (b *builder) cell(s, what string, line, col int) (*value, error) {
	v, err := b.make(null, line, col)
	if err != nil {
		return nil, err
	}
	trimmed := strings.TrimSpace(s)
	switch {
	case what == cellString:
		v.kind, v.text = text, s
	case trimmed == "":
	case what == cellNumber && float().MatchString(b.decimal(trimmed)):
		v.kind, v.text = number, jsonNumber(b.decimal(trimmed))
	case what == cellNumber && !b.decimalComma && float().MatchString(strings.Replace(trimmed, ",", ".", 1)):
		return nil, v.errorf(nil, `%.40q has a decimal comma; set decimal = ","`, trimmed)
	case what == cellBool && (trimmed == yes || trimmed == no):
		v.kind, v.text = boolean, trimmed
	case what == cellJSON:
		if err := jsontext.Check([]byte(trimmed)); err != nil {
			return nil, v.errorf(nil, "in the cell: %v", err)
		}
		inner, err := readJSON(b, []byte(trimmed))
		if err != nil {
			return nil, v.errorf(nil, "in the cell: %v", err)
		}
		return inner.placed(line, col), nil
	default:
		return nil, v.errorf(nil, "%.40q is no %s", trimmed, what)
	}
	return v, nil
}

// decimal replaces a decimal comma by a point, if commas are decimal.
func (b *builder) decimal(s string) string {
	if b.decimalComma && !strings.Contains(s, ".") {
		return strings.Replace(s, ",", ".", 1)
	}
	return s
}

// placed sets the position of a value and of all values below it to their cell's position.
func (v *value) placed(line, col int) *value {
	v.line, v.col = int32(line), int32(col)
	for _, item := range v.items {
		item.placed(line, col)
	}
	return v
}
