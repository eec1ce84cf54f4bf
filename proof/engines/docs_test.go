package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/proof/internal/results"
)

var updateDocs = flag.Bool("docs", false, "write the tables of docs/engines.md")

func TestTablesOfEnginesShowResults(t *testing.T) {
	const page = "../../docs/engines.md"
	all, err := results.Load("results.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range results.Engines {
		for _, name := range []string{e.Name, results.AnyIn(e.Name)} {
			if len(all[name]) == 0 {
				t.Errorf("results.json has no results of %s", name)
			}
		}
	}
	engine, unnamed, err := all.Tables()
	if err != nil {
		t.Fatal(err)
	}
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(was)
	for name, table := range map[string]string{"results": engine, "results of any": unnamed} {
		begin, end := "<!-- "+name+": generated -->\n", "<!-- "+name+": end -->\n"
		before, rest, ok1 := strings.Cut(text, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no lines %q and %q", page, begin, end)
		}
		text = before + begin + table + end + after
	}
	if text == string(was) {
		return
	}
	if !*updateDocs {
		t.Fatalf("the tables of %s differ from results.json; run go test ./proof/engines -docs", page)
	}
	if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The page of Ebitengine shows the loader that the browser tests, without a difference.
func TestPageOfEbitengineShowsTestedLoader(t *testing.T) {
	tested, err := os.ReadFile("ebitengine/internal/outputs/outputs.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/engines/ebitengine.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n```go\n"+string(tested)+"```\n") {
		t.Error("the code in docs/engines/ebitengine.md differs from ebitengine/internal/outputs/outputs.go")
	}
}
