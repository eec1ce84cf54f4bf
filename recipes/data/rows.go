package data

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/ctxio"
)

// rows reads a table row by row. All rows have as many cells as the first. Empty lines are
// skipped.
type rows interface {
	// next returns the cells of the next row, or io.EOF. They are valid until the next call.
	next() ([]string, error)
	// place returns line and column of a cell of that row.
	place(i int) (line, col int)
}

// commaRows are rows of cells between commas or another separator, perhaps in quotes (RFC 4180).
type commaRows struct {
	*csv.Reader
	skipped int // lines before the first row
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
			return nil, fmt.Errorf("%d:%d: %d cells, the first row has %d; if there are lines before the header, set skip_lines", r.skipped+syntax.Line, syntax.Column, len(cells), r.FieldsPerRecord)
		}
		return nil, fmt.Errorf("%d:%d: %v", r.skipped+syntax.Line, syntax.Column, syntax.Err)
	}
	return cells, err
}

func (r commaRows) place(i int) (line, col int) {
	line, col = r.FieldPos(i)
	return r.skipped + line, col
}

// tabRows are rows of the exact texts between tabs: cells contain neither tabs nor line ends, and
// a quote is a quote (text/tab-separated-values of the IANA).
type tabRows struct {
	ctx   context.Context
	rest  string
	line  int // number of the row's line
	cells []string
	cols  []int // offset of each cell
	want  int   // cells of the first row
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
			return nil, fmt.Errorf("%d:1: %d cells, the first row has %d", r.line, len(r.cells), r.want)
		}
		return r.cells, nil
	}
	return nil, io.EOF
}

func (r *tabRows) place(i int) (line, col int) { return r.line, r.cols[i] }
