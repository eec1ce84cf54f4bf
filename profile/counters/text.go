package counters

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/assetcook/assetcook/internal/texttable"
)

// text returns the exact number of a counter, float or gauge. It returns "" for a timer.
func (s Sample) text() string {
	switch s.Kind {
	case KindCounter:
		return strconv.FormatInt(s.Int, 10)
	case KindFloat, KindGauge:
		return number(s.Float)
	}
	return ""
}

// number returns the shortest text that parses as f. It uses an exponent only for very large or
// small values.
func number(f float64) string {
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// WriteTable writes the snapshot as text to read: first the numbers, then the timers with durations
// rounded to three digits. It returns only errors of w.
func (s Snapshot) WriteTable(w io.Writer) error {
	table := texttable.New(w, texttable.Left)
	timers := false
	for _, sample := range s {
		if sample.Kind == KindTimer {
			timers = true
			continue
		}
		table.Row(printable(sample.Name), sample.text())
	}
	if err := table.Flush(); err != nil || !timers {
		return err
	}
	table.Row("timer", "calls", "total", "own", "mean", "min", "max")
	for _, sample := range s {
		if t := sample.Timer; sample.Kind == KindTimer {
			table.Row(printable(sample.Name), t.Calls, rounded(t.Total), rounded(t.Own), rounded(t.Mean()), rounded(t.Min), rounded(t.Max))
		}
	}
	return table.Flush()
}

// rounded rounds a duration to about three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d.Abs() >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}

// printable returns a name as it is, or quoted if it would break the layout of a table.
func printable(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// WriteCSV writes a header and a record for each sample. A timer fills only the fields after value;
// other samples fill only value. Durations are in nanoseconds. It returns only errors of w.
func (s Snapshot) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"name", "kind", "value", "calls", "total_ns", "own_ns", "min_ns", "max_ns"})
	for _, sample := range s {
		record := []string{sample.Name, sample.Kind.String(), sample.text(), "", "", "", "", ""}
		if t := sample.Timer; sample.Kind == KindTimer {
			for i, n := range [...]int64{t.Calls, int64(t.Total), int64(t.Own), int64(t.Min), int64(t.Max)} {
				record[3+i] = strconv.FormatInt(n, 10)
			}
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// MarshalJSON returns one object with a field for each name, in order. A timer is an object with
// the fields calls, total_ns, own_ns, min_ns and max_ns. Other values are numbers. NaN and
// infinities are the strings "NaN", "+Inf" and "-Inf", because JSON has no such numbers. The error
// is always nil.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, sample := range s {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(sample.Name) // Marshaling a string never fails.
		b = append(append(b, name...), ':')
		switch t := sample.Timer; {
		case sample.Kind == KindTimer:
			b = fmt.Appendf(b, `{"calls":%d,"total_ns":%d,"own_ns":%d,"min_ns":%d,"max_ns":%d}`,
				t.Calls, int64(t.Total), int64(t.Own), int64(t.Min), int64(t.Max))
		case math.IsNaN(sample.Float) || math.IsInf(sample.Float, 0):
			b = strconv.AppendQuote(b, sample.text())
		default:
			b = append(b, sample.text()...)
		}
	}
	return append(b, '}'), nil
}

// String returns the current snapshot as JSON, as expvar.Var requires:
//
//	expvar.Publish("cook", set)
func (s *Set) String() string {
	b, _ := s.Snapshot().MarshalJSON()
	return string(b)
}
