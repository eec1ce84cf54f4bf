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

// A Kind is the type of the cells in a column. It determines their format. A cell is nil if its
// value is unknown.
type Kind uint8

const (
	Text    Kind = iota // cells of type string
	Name                // cells of type string with arbitrary bytes, such as paths
	Number              // cells of type int64
	Bytes               // cells of type int64, in bytes
	Time                // cells of type time.Duration
	Moment              // cells of type time.Time
	Percent             // cells of type float64, from 0 to 1
	Decibel             // cells of type float64, in dB
	Degree              // cells of type float64, in degrees
	Parts               // cells of type []Part, with the most important part first
)

// A Part is one asset in a cell that lists several assets.
type Part struct{ Path, Target, Figure string }

// showPart formats a part for people.
func (p *Part) showPart() string { return pathname.Show(p.Path) + " " + p.Figure }

// visibleLoss is the PSNR, in dB, below which a loss is visible.
const visibleLoss = 30

// isNumeric reports whether cells are aligned to the right.
func (k Kind) isNumeric() bool { return k != Text && k != Name && k != Moment && k != Parts }

// A Column is a column of a table. Its key names it in JSON and CSV.
type Column struct {
	Key, Title string
	Kind       Kind
	Sum        bool // whether the sum of the cells is meaningful
}

// A Table is a table of a report. JSON and CSV have all of its rows. HTML has the rows that fit,
// and the sum of the omitted rows.
type Table struct {
	Key, Title string
	Note       string // note for the reader, or ""
	Columns    []Column
	Rows       [][]any
}

// addTableRow adds a row.
func (t *Table) addTableRow(cells ...any) { t.Rows = append(t.Rows, cells) }

// column returns the index of the column with the given key.
func (t *Table) column(key string) int {
	for k := range t.Columns {
		if t.Columns[k].Key == key {
			return k
		}
	}
	panic("overview: table " + t.Key + " has no column " + key)
}

// cellAs returns a row's cell in the column with the given key, which must be of type T.
func cellAs[T any](t *Table, row []any, key string) T { return row[t.column(key)].(T) }

// columnSums returns a row of sums. Cells of columns that are not summed are nil.
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
	case []Part:
		text := cutText(v[0].showPart(), longestCell)
		if more := len(v) - 1; more > 0 {
			text += " and " + countOf(more, "more")
		}
		return text
	}
	return fmt.Sprint(cell)
}

// percent formats a share. It returns 0 % and 100 % only for shares of exactly 0 and 1.
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

// rawCell formats a cell for programs: sizes in bytes, durations in nanoseconds, shares from 0 to
// 1, times as RFC 3339. It does not shorten text. It quotes names that are not valid UTF-8.
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
	case []Part:
		var texts []string
		for i := range v {
			texts = append(texts, v[i].showPart())
		}
		return joinLines(texts)
	}
	return cell
}

// longestCell limits the length of a text in a cell, in bytes.
const longestCell = 200

// cutText shortens a text to the length in most, in bytes.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
