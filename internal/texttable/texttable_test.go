package texttable

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"text/tabwriter"

	"pgregory.net/rapid"
)

func TestColumnsAreAligned(t *testing.T) {
	for align, want := range map[Alignment]string{
		Left:          "a   bb   ccc\n12  345  d\n",
		Right:         "   a   bb  ccc\n  12  345    d\n",
		RightThenName: "   a   bb  ccc\n  12  345  d\n",
	} {
		var b bytes.Buffer
		table := New(&b, align)
		table.Row("a", "bb", "ccc")
		table.Row(12, 345, "d")
		if err := table.Flush(); err != nil || b.String() != want {
			t.Errorf("%d: %v\n%s\nwant\n%s", align, err, b.String(), want)
		}
	}
}

// The package aligns columns as text/tabwriter does.
func TestTableEqualsTabwriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		align := Alignment(rapid.IntRange(0, 2).Draw(t, "align"))
		rows := rapid.SliceOf(rapid.SliceOfN(rapid.StringMatching(`[a-zß→]{0,6}`), 0, 5)).Draw(t, "rows")
		var got, want bytes.Buffer
		table := New(&got, align)
		flags := tabwriter.AlignRight
		if align == Left {
			flags = 0
		}
		peer := tabwriter.NewWriter(&want, 0, 0, gap, ' ', flags)
		for _, row := range rows {
			cells := make([]any, len(row))
			for i, cell := range row {
				cells[i] = cell
				switch last := i == len(row)-1; {
				case !last || align == Right:
					fmt.Fprintf(peer, "%s\t", cell)
				case align == RightThenName:
					fmt.Fprintf(peer, "  %s", cell)
				default:
					fmt.Fprint(peer, cell)
				}
			}
			fmt.Fprintln(peer)
			table.Row(cells...)
		}
		peer.Flush()
		if err := table.Flush(); err != nil || got.String() != want.String() {
			t.Fatalf("%v\n%s\nwant\n%s", err, got.String(), want.String())
		}
	})
}

// errFull is the error of a writer that accepts nothing.
var errFull = errors.New("full")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func TestFlushReturnsWriteError(t *testing.T) {
	table := New(fullWriter{}, Left)
	table.Row("a", "b")
	if err := table.Flush(); !errors.Is(err, errFull) {
		t.Errorf("Flush returned %v, want %v", err, errFull)
	}
}

func TestTableIsWrittenAtOnce(t *testing.T) {
	var w countingWriter
	table := New(&w, Left)
	for i := range 1000 {
		table.Row(i, i)
	}
	if table.Flush(); w.calls != 1 {
		t.Errorf("1,000 rows took %d calls of Write, want 1", w.calls)
	}
}

type countingWriter struct{ calls int }

func (w *countingWriter) Write(b []byte) (int, error) {
	w.calls++
	return len(b), nil
}
