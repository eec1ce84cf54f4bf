package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/chart"
)

func TestReport(t *testing.T) {
	r := Report{
		Command: "go run ./bench/nullrun -files 12345",
		Date:    "2026-11-21",
		Machine: []Fact{{"processor", "Some | CPU"}, {"cores", "2"}},
		Sections: []Section{
			{Title: "not wanted"},
			{
				Title: "12,345 files",
				Rows: []Outcome{
					{Row: "nothing changed", Entries: []Entry{
						{Name: "cook", Wall: 61_234 * time.Microsecond, CPU: 1500 * time.Millisecond, MaxRSS: 23 << 20, Ratio: &Quartiles{1.9, 2.096, 12.34}},
						{Name: "statknown (C)", Wall: 29 * time.Millisecond, CPU: 50 * time.Microsecond, MaxRSS: 3 << 19, AtMost: true, Reference: true},
						{Name: "go-task", Missing: "not installed"},
					}},
					{Row: "all touched", Entries: []Entry{{Name: "cook", Wall: 2 * time.Minute}}},
					{Row: "one file", Err: errors.New("did something\nelse")},
				},
				Notes: []string{"A note.", "Another."},
			},
			{Title: "1 files", Files: 1, Notes: []string{"Nothing but a note."}},
		},
	}
	golden(t, "report.md", written(t, &r))
}

func written(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("wrote %d bytes of %d: %v", n, b.Len(), err)
	}
	return b.String()
}

var update = flag.Bool("update", false, "write testdata anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-update writes it): -want +got\n%s", name, diff)
	}
}

// sizes returns a report with three unsorted tree sizes and some missing results.
func sizes() *Report {
	cook := func(wall time.Duration, rss int64) Entry { return Entry{Name: "cook", Wall: wall, MaxRSS: rss} }
	limit := func(wall time.Duration) Entry {
		return Entry{Name: "statknown <C>", Wall: wall, MaxRSS: 5 << 20, AtMost: true, Reference: true}
	}
	return &Report{Command: "nullrun", Date: "2026-11-22", Sections: []Section{
		{Title: "no tree", Rows: []Outcome{{Row: "start-up", Entries: []Entry{cook(time.Millisecond, 9<<20)}}}},
		{Title: "100,000 files", Files: 100_000, Rows: []Outcome{
			{Row: "nothing changed", Entries: []Entry{cook(190*time.Millisecond, 27<<20), limit(160 * time.Millisecond)}},
			{Row: "why", Entries: []Entry{cook(11*time.Millisecond, 30<<20)}},
		}},
		{Title: "10,000 files", Files: 10_000, Rows: []Outcome{
			{Row: "nothing changed", Entries: []Entry{cook(20*time.Millisecond, 12<<20), limit(17 * time.Millisecond), {Name: "make", Missing: "not installed"}}},
			{Row: "why", Entries: []Entry{cook(10*time.Millisecond, 30<<20)}},
			{Row: "cold", Entries: []Entry{cook(2*time.Second, 80<<20)}},
		}},
		{Title: "1,000,000 files", Files: 1_000_000, Rows: []Outcome{
			{Row: "nothing changed", Err: errors.New("did something else")},
			{Row: "cold", Entries: []Entry{cook(200*time.Second, 2<<30)}},
		}},
	}}
}

func TestGrowth(t *testing.T) {
	_, growth, ok := strings.Cut(written(t, sizes()), "## Growth\n")
	if !ok {
		t.Fatal("no growth")
	}
	golden(t, "growth.md", growth)
	one := sizes()
	one.Sections = one.Sections[:2]
	if strings.Contains(written(t, one), "Growth") {
		t.Error("one size grows")
	}
}

func TestPicture(t *testing.T) {
	page, err := sizes().picture()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sizes.svg", string(page))
	d := xml.NewDecoder(bytes.NewReader(page))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Contains(page, []byte("NaN")) || bytes.Contains(page, []byte("Inf")) {
		t.Error("a position is not a number")
	}
	crowd := sizes()
	row := &crowd.Sections[1].Rows[1]
	for i := range chart.MaxLines {
		row.Entries = append(row.Entries, Entry{Name: fmt.Sprint(i), Wall: 1})
	}
	if _, err := crowd.picture(); err == nil || !strings.Contains(err.Error(), "why: ") {
		t.Errorf("too many contestants: %v", err)
	}
}

func TestDecade(t *testing.T) {
	units := []string{"ns", "µs", "ms", "s"}
	for v, want := range map[float64]string{1e-9: "1 ns", 1e-7: "100 ns", 1e-6: "1 µs", 0.1: "100 ms", 1: "1 s", 1000: "1000 s"} {
		if got := decade(v, units, 1e-9); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
	if got := decade(100, []string{"MiB"}, 1); got != "100 MiB" {
		t.Error(got)
	}
}

func TestFigures(t *testing.T) {
	for want, got := range map[string]string{
		"0.00":      digits(0),
		"0.07":      digits(0.0651),
		"9.99":      digits(9.994),
		"10.0":      digits(9.996),
		"99.9":      digits(99.94),
		"100":       digits(99.96),
		"12346":     digits(12345.6),
		"999 ms":    duration(999 * time.Millisecond),
		"1.00 s":    duration(time.Second),
		"1.50 MiB":  mebibytes(3 << 19),
		"999":       thousands(999),
		"1,000":     thousands(1000),
		"1,000,000": thousands(1_000_000),
		`a \| b c`:  cell("a | b\n c"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
