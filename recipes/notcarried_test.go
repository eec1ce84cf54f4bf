package recipes_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/notcarried"
	"github.com/assetcook/assetcook/recipes"
)

// These are the possible fates of a part of a source.
const (
	kept      = notcarried.Kept
	warned    = notcarried.Warned
	noted     = notcarried.Noted
	refused   = notcarried.Refused
	noMeaning = notcarried.NoMeaning
)

// A fate says what happens to a part of a source.
type fate = notcarried.Fate

// A sourcePart is a row of docs/not-carried-over.md. It describes a part of a kind of source, and
// has an example of such a source.
type sourcePart struct {
	kind string // kind of source, which names the section of the page
	part string
	fate fate
	why  string // text after the fate in the page; may be empty

	name   string // file name of the source
	source string
	more   map[string]string // other files in the directory of the source
	rule   string            // options of a rule for the source
	// has lists texts that must occur, separated by bars. The texts must occur in the output if the
	// fate is kept, otherwise in the message.
	has string
}

// sourceParts are the rows of the page, by section. Each file notcarried_KIND_test.go of this
// directory adds its own rows.
var sourceParts [][]sourcePart

const partsPage = "../docs/not-carried-over.md"

// For each part of a source, a run must do what docs/not-carried-over.md says.
func TestPartsOfSourcesMeetTheirFate(t *testing.T) {
	dir := t.TempDir()
	assets := filepath.Join(dir, "assets")
	var rules strings.Builder
	paths := map[string]sourcePart{}
	number := 0
	for _, p := range slices.Concat(sourceParts...) {
		number++
		place := fmt.Sprintf("%03d", number)
		paths[place+"/"+p.name] = p
		files := map[string]string{p.name: p.source}
		maps.Copy(files, p.more)
		for name, text := range files {
			file := filepath.Join(assets, place, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if p.rule != "" {
			fmt.Fprintf(&rules, "[[rule]]\nmatch = \"/%s/%s\"\n%s\n", place, p.name, p.rule)
		}
	}
	if len(paths) < 60 {
		t.Fatalf("only %d parts", len(paths))
	}
	config := filepath.Join(dir, "rules.toml")
	if err := os.WriteFile(config, []byte(rules.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	said := messages{of: map[string][]string{}, failed: map[string]bool{}}
	p := cook.Project{Dir: assets, Out: filepath.Join(dir, "out"), Config: config, Cache: filepath.Join(dir, "cache"), Recipes: recipes.All(), Engine: "own"}
	if _, err := cook.Cook(t.Context(), p, cook.CookOptions{Observer: cook.Observers{&said}}); err != nil {
		t.Fatal(err)
	}
	for path, p := range paths {
		lines := strings.Join(said.of[path], "\n")
		output := outputsOf(t, filepath.Join(dir, "out", filepath.Dir(path)))
		var wrong string
		switch {
		case said.failed[path] != (p.fate == refused):
			wrong = "failed, or did not"
		case p.fate == kept && (lines != "" || !hasAll(output, p.has)):
			wrong = "is not kept"
		case p.fate == noMeaning && (lines != "" || output == ""):
			wrong = "has a message, or no output"
		case p.fate == noted && !hasAll(strings.Join(said.notes, "\n"), p.has):
			wrong = "is not noted"
		case (p.fate == warned || p.fate == refused) && !hasAll(lines, p.has):
			wrong = "has another message"
		case p.fate != noMeaning && p.has == "":
			wrong = "needs a text to look for"
		}
		if wrong != "" {
			t.Errorf("%s: %s (%s) %s: want %q, have %q", path, p.part, p.fate, wrong, p.has, lines)
		}
	}
}

// hasAll reports whether a text contains all texts of a list that are separated by bars.
func hasAll(text, list string) bool {
	for want := range strings.SplitSeq(list, "|") {
		if !strings.Contains(text, want) {
			return false
		}
	}
	return true
}

// messages collects the messages of a run, by source.
type messages struct {
	cook.Observers
	of     map[string][]string
	failed map[string]bool
	notes  []string
}

func (m *messages) Note(text string) { m.notes = append(m.notes, text) }

func (m *messages) Event(e cook.Event) {
	if e.Err == nil {
		return
	}
	m.of[e.Path] = append(m.of[e.Path], e.Err.Error())
	m.failed[e.Path] = m.failed[e.Path] || e.Outcome == cook.Failed
}

// outputsOf returns the bytes of all files of a directory.
func outputsOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	names, _ := filepath.Glob(dir + "/*") // no files if the source failed
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

// The page must have a table for each section, with all its rows.
func TestPageListsPartsOfSources(t *testing.T) {
	for _, section := range sourceParts {
		var rows []notcarried.Row
		for _, p := range section {
			if p.kind != section[0].kind {
				t.Errorf("%s is of %s, in the section %s", p.part, p.kind, section[0].kind)
			}
			rows = append(rows, notcarried.Row{Part: p.part, Fate: p.fate, Why: p.why})
		}
		notcarried.CheckTable(t, partsPage, section[0].kind, rows)
	}
	page, err := os.ReadFile(partsPage)
	if err != nil {
		t.Fatal(err)
	}
	const images = 1 // a test of internal/image/source checks this table
	if n := strings.Count(string(page), ": generated -->"); n != len(sourceParts)+images {
		t.Errorf("the page has %d tables, want %d", n, len(sourceParts)+images)
	}
}
