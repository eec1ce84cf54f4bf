package hashing

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAdviceAgrees expects the package comment and docs/hashing.md to recommend the same functions,
// and not to recommend XXH3 for hash tables.
func TestAdviceAgrees(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/hashing.md")
	if err != nil {
		t.Fatal(err)
	}
	inComment, inPage := map[string]bool{}, map[string]bool{}
	tables := 0
	for line := range strings.Lines(file.Doc.Text()) {
		question, picks, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || question != "-" {
			continue
		}
		for _, name := range Names() {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(picks) {
				inComment[name] = true
			}
		}
		if strings.Contains(picks, "Table") || strings.Contains(picks, "key on disk") {
			tables++
			if strings.Contains(picks, "xxh") || !strings.Contains(picks, "rapidhash") {
				t.Errorf("doc.go: %s", line)
			}
		}
	}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z0-9-]+)`").FindAllStringSubmatch(cells[1], -1) {
			if _, ok := Lookup(m[1]); ok {
				inPage[m[1]] = true
			} else if m[1] != "ptrhash" {
				t.Errorf("docs/hashing.md recommends %s, which is not a function of the registry", m[1])
			}
		}
		if strings.Contains(cells[0], "Table") && strings.Contains(cells[1], "xxh") {
			t.Errorf("docs/hashing.md: %s", line)
		}
	}
	names := func(set map[string]bool) []string {
		return slices.DeleteFunc(Names(), func(name string) bool { return !set[name] })
	}
	if got, want := names(inComment), names(inPage); !slices.Equal(got, want) || len(want) < 8 || tables != 2 {
		t.Errorf("doc.go recommends %q in %d rows for tables, docs/hashing.md %q", got, tables, want)
	}
}
