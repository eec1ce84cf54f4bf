package overview

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Kind is the type of the cells of a column, and decides their format. Any cell may be nil for an
// unknown value.
type Kind uint8

const (
	Text    Kind = iota // string
	Name                // string of any bytes, such as a path
	Number              // int64
	Bytes               // int64
	Time                // time.Duration
	Moment              // time.Time
	Percent             // float64; 1 is 100 %
	Decibel             // float64
)

// isNumeric reports whether cells are aligned to the right.
func (k Kind) isNumeric() bool { return k != Text && k != Name && k != Moment }

// A Column is a column of a table. Its key names it in JSON and CSV.
type Column struct {
	Key, Title string
	Kind       Kind
	Sum        bool // the sum of the cells means something
}

// A Table is one table of a report. It is the same in HTML, JSON and CSV, except that HTML shows
// the rows that fit and the sum of the others.
type Table struct {
	Key, Title string
	Note       string // a note for the reader, "" for none
	Columns    []Column
	Rows       [][]any
}

// addTableRow adds a row.
func (t *Table) addTableRow(cells ...any) { t.Rows = append(t.Rows, cells) }

// column returns the index of the column with a key.
func (t *Table) column(key string) int {
	for k := range t.Columns {
		if t.Columns[k].Key == key {
			return k
		}
	}
	panic("overview: table " + t.Key + " has no column " + key)
}

// cellAs returns a row's cell in the column with a key. The cell holds a T.
func cellAs[T any](t *Table, row []any, key string) T { return row[t.column(key)].(T) }

// columnSums adds up the columns with sums. Other cells are nil.
func (t *Table) columnSums(rows [][]any) []any {
	all := make([]any, len(t.Columns))
	for k, c := range t.Columns {
		if !c.Sum {
			continue
		}
		var n int64
		for _, r := range rows {
			switch v := r[k].(type) {
			case int64:
				n += v
			case time.Duration:
				n += int64(v)
			}
		}
		all[k] = n
		if c.Kind == Time {
			all[k] = time.Duration(n)
		}
	}
	return all
}

// showCell formats a cell for people.
func (k Kind) showCell(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		if k == Name {
			return pathname.Show(v)
		}
		return cutText(pathname.Escape(v), longestCell)
	case int64:
		switch {
		case k == Bytes && v < 0:
			return "-" + human.Bytes(-v)
		case k == Bytes:
			return human.Bytes(v)
		}
		return strconv.FormatInt(v, 10)
	case time.Duration:
		return human.Duration(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05")
	case float64:
		if k == Percent {
			return percent(v)
		}
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return fmt.Sprint(cell)
}

// percent formats a share. Only nothing is 0 %, and only all is 100 %.
func percent(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v > 0 && v < 0.001:
		return "<0.1 %"
	case v < 1 && v > 0.999:
		return ">99.9 %"
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
}

// rawCell formats a cell for programs: numbers in bytes, nanoseconds and shares, times as RFC 3339.
// Texts and names are complete and valid UTF-8; other names are quoted as Go strings.
func (k Kind) rawCell(cell any) any {
	switch v := cell.(type) {
	case string:
		if k == Name && !utf8.ValidString(v) {
			return strconv.Quote(v)
		}
		return strings.ToValidUTF8(v, "\ufffd")
	case time.Duration:
		return int64(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return math.Round(v*1e6) / 1e6
	}
	return cell
}

// longestCell bounds the bytes of a text in a cell.
const longestCell = 200

// cutText shortens a text to most bytes.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
