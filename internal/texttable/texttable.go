// Package texttable prints tables as lines of text with aligned columns.
//
//	t := texttable.New(w, texttable.RightThenName)
//	t.Row("files", "bytes", "kind")
//	t.Row(12, human.Bytes(n), "png")
//	err := t.Flush()
package texttable

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// An Alignment is the side where the cells of a column are aligned.
type Alignment int

const (
	Left          Alignment = iota // alignment of words
	Right                          // alignment of numbers
	RightThenName                  // aligns numbers to the right, except for a name at the end of each row
)

// gap is the number of spaces between columns.
const gap = 2

// A Table collects rows until Flush. Cells are aligned with the cells of the same column in the rows
// directly above and below, so a row with fewer cells separates two tables.
type Table struct {
	w     io.Writer
	align Alignment
	parts [][]byte // whole rows: each cell ends with cellEnd, and each row with a newline
}

// partSize is the size of a part of the text of a table. Parts are not copied as the table grows.
const partSize = 64 << 10

// cellEnd is the byte after each cell.
const cellEnd = 0

// New returns an empty table that prints to w.
func New(w io.Writer, align Alignment) *Table { return &Table{w: w, align: align} }

// Row adds a row. Cells are formatted as by [fmt.Print] and must not contain newlines or NUL bytes.
func (t *Table) Row(cells ...any) {
	last := len(t.parts) - 1
	switch {
	case last < 0:
		t.parts = append(t.parts, nil)
		last++
	case len(t.parts[last]) > partSize:
		t.parts = append(t.parts, make([]byte, 0, partSize+partSize/4))
		last++
	}
	text := t.parts[last]
	for _, cell := range cells {
		if s, ok := cell.(string); ok {
			text = append(text, s...)
		} else {
			text = fmt.Append(text, cell)
		}
		text = append(text, cellEnd)
	}
	t.parts[last] = append(text, '\n')
}

// Flush prints the rows, and returns the first error of the writer.
func (t *Table) Flush() error {
	out := bufio.NewWriterSize(t.w, 64<<10)
	widths := t.columnWidths()
	blocks := make([]int, len(widths)) // index in widths of the block of each column
	open := 0
	t.eachRow(func(cells [][]byte) {
		aligned := t.alignedCells(cells)
		for k := aligned; k < open; k++ {
			blocks[k]++
		}
		open = aligned
		for k, cell := range cells {
			if k == aligned {
				if t.align == RightThenName {
					out.WriteString("  ")
				}
				out.Write(cell)
				break
			}
			spaces := widths[k][blocks[k]] + gap - utf8.RuneCount(cell)
			if t.align == Left {
				out.Write(cell)
			}
			out.WriteString(strings.Repeat(" ", spaces))
			if t.align != Left {
				out.Write(cell)
			}
		}
		out.WriteByte('\n')
	})
	t.parts = nil
	return out.Flush()
}

// columnWidths returns the widths of the blocks of each column, in characters. A block of a column
// is a range of rows that all have an aligned cell in the column.
func (t *Table) columnWidths() (widths [][]int) {
	open := 0 // number of columns whose blocks include the previous row
	t.eachRow(func(cells [][]byte) {
		aligned := t.alignedCells(cells)
		for k, cell := range cells[:aligned] {
			if k == len(widths) {
				widths = append(widths, nil)
			}
			if k >= open {
				widths[k] = append(widths[k], 0)
			}
			last := &widths[k][len(widths[k])-1]
			*last = max(*last, utf8.RuneCount(cell))
		}
		open = aligned
	})
	return widths
}

// eachRow calls do with the cells of each row. The slice is valid until do returns.
func (t *Table) eachRow(do func(cells [][]byte)) {
	var cells [][]byte
	for _, part := range t.parts {
		for row := range bytes.Lines(part) {
			cells = cells[:0]
			for len(row) > 1 {
				end := bytes.IndexByte(row, cellEnd)
				cells = append(cells, row[:end])
				row = row[end+1:]
			}
			do(cells)
		}
	}
}

// alignedCells returns the number of cells of a row that are aligned. The last cell of a row is not,
// unless all are aligned to the right.
func (t *Table) alignedCells(cells [][]byte) int {
	if t.align == Right {
		return len(cells)
	}
	return max(0, len(cells)-1)
}
