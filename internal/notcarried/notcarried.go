// Package notcarried keeps the tables of docs/not-carried-over.md up to date. There is a table for
// each kind of source. Each row says what happens to one part of such a source. Tests cook or
// decode a source with each part, and generate the table from their rows.
package notcarried

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A Fate is what happens to a part of a source.
type Fate string

// These are the possible fates.
const (
	Kept      Fate = "kept"
	Warned    Fate = "warned of"
	Noted     Fate = "noted once in a run"
	Refused   Fate = "refused"
	NoMeaning Fate = "left out, not needed"
)

// A Row is a row of a table.
type Row struct {
	Part string
	Fate Fate
	Why  string // text after the fate in the page; may be empty
}

var update = flag.Bool("update-parts", false, "rewrite tables of docs/not-carried-over.md")

// CheckTable checks that the page has a table with these rows for a kind of source. With the flag
// -update-parts, it rewrites the table.
func CheckTable(t *testing.T, page, kind string, rows []Row) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	start, end := "<!-- parts of "+kind+": generated -->\n", "<!-- parts of "+kind+": end -->\n"
	before, rest, found := strings.Cut(string(text), start)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no generated table for %s", page, kind)
	}
	table := "| part | result |\n|---|---|\n"
	for _, r := range rows {
		what := string(r.Fate)
		switch first, _, _ := strings.Cut(r.Why, " "); first {
		case "":
		case "as", "for", "if", "in", "unless":
			what += ", " + r.Why
		default:
			what += ": " + r.Why
		}
		table += fmt.Sprintf("| %s | %s |\n", r.Part, what)
	}
	made := before + start + table + end + after
	switch {
	case made == string(text):
	case *update:
		if err := os.WriteFile(page, []byte(made), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s in %s differs from the tests; run them with -update-parts", kind, page)
	}
}
