package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
			{Title: "1 files", Notes: []string{"Nothing but a note."}},
		},
	}
	var b strings.Builder
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("wrote %d bytes of %d: %v", n, b.Len(), err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
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
