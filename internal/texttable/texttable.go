// Package texttable prints tables as lines of text with aligned columns.
//
//	t := texttable.New(w, texttable.RightThenName)
//	t.Row("files", "bytes", "kind")
//	t.Row(12, human.Bytes(n), "png")
//	err := t.Flush()
package texttable

import (
	"fmt"
	"io"
	"text/tabwriter"
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

// A Table collects rows until Flush.
type Table struct {
	out   *tabwriter.Writer
	align Alignment
}

// New returns an empty table that prints to w.
func New(w io.Writer, align Alignment) *Table {
	flags := uint(0)
	if align != Left {
		flags = tabwriter.AlignRight
	}
	return &Table{tabwriter.NewWriter(w, 0, 0, gap, ' ', flags), align}
}

// Row adds a row. Cells are formatted as by [fmt.Print] and must not contain tabs or newlines.
func (t *Table) Row(cells ...any) {
	for i, cell := range cells {
		switch last := i == len(cells)-1; {
		case !last || t.align == Right:
			fmt.Fprintf(t.out, "%v\t", cell)
		case t.align == RightThenName:
			fmt.Fprintf(t.out, "  %v", cell)
		default:
			fmt.Fprint(t.out, cell)
		}
	}
	fmt.Fprintln(t.out)
}

// Flush prints the rows, and returns the first error of the writer.
func (t *Table) Flush() error { return t.out.Flush() }
