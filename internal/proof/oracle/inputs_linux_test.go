package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// A mutant is a script that reads files, tests whether files exist and lists directories. Its
// depfile omits some of these accesses.
type mutant struct {
	script  string
	forgets map[string][]string // the names that the depfile omits, by the kind of finding that verify must report
}

const mutantRule = `
[[rule]]
match = "*.sh"
command = ["sh", "{in}", "{out}", "{depfile}"]
outputs = ["{path}"]
[[rule]]
match = "*.open"
command = ["sh", "{in}", "{out}", "{depfile}"]
outputs = ["{path}"]
sandbox = false
`

// newMutant returns a random mutant. Its depfile omits each access with a given probability.
func newMutant(r *rand.Rand, forget float64) mutant {
	m := mutant{forgets: map[string][]string{}}
	var script strings.Builder
	told := []string{}
	does := func(kind, name, line string) {
		script.WriteString(line + "\n")
		if kind != "hidden listing" && r.Float64() >= forget {
			told = append(told, name)
		} else {
			m.forgets[kind] = append(m.forgets[kind], name)
		}
	}
	script.WriteString("exec 2>&-; echo made >\"$1\"\n")
	for i := range 4 {
		if r.IntN(2) == 0 {
			name := fmt.Sprintf("lib/f%d", i)
			does("hidden read", name, fmt.Sprintf([]string{
				"cat %s >>\"$1\"", "sh -c 'cat %s' >>\"$1\"", "read -r line <%s; echo $line >>\"$1\"", "(cd lib; cat ../%s) >>\"$1\"", "cat \"$PWD/%s\" | cat >>\"$1\"", "test -e %s",
			}[r.IntN(6)], name))
		}
		if r.IntN(4) == 0 {
			name := fmt.Sprintf("lib/none%d", i)
			does("hidden absence", name, fmt.Sprintf([]string{"test -e %s", "cat %s"}[r.IntN(2)], name))
		}
		if r.IntN(8) == 0 && forget > 0 {
			does("hidden listing", fmt.Sprintf("d%d/", i), fmt.Sprintf("ls d%d >>\"$1\"", i))
		}
	}
	if strings.Contains(script.String(), "(cd lib;") && len(told) == 0 { // a declared file in lib would imply that lib exists
		m.forgets["hidden listing"] = append(m.forgets["hidden listing"], "lib/")
	}
	fmt.Fprintf(&script, "echo \"out: %s\" >\"$2\"\n", strings.Join(told, " "))
	m.script = script.String()
	return m
}

// The test cooks programs whose depfiles omit accesses. cook verify must report exactly the omitted
// accesses, and nothing for a complete depfile.
func TestVerifyFindsWhatDepfilesMiss(t *testing.T) {
	if err := sandbox.Supported(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	run := Run{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "cache")}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(run.Dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("cook.toml", mutantRule)
	for i := range 4 {
		write(fmt.Sprintf("lib/f%d", i), fmt.Sprintf("%d\n", i))
		write(fmt.Sprintf("d%d/f", i), "in a directory\n")
	}
	const mutants = 90
	r := rand.New(rand.NewPCG(20, 2))
	want := map[string]map[string][]string{}
	for i := range mutants {
		m := newMutant(r, []float64{0, 0.3, 1}[i%3])
		name := fmt.Sprintf("m%03d%s", i, []string{".sh", ".open"}[r.IntN(2)])
		write(name, m.script)
		if len(m.forgets) > 0 {
			want[name] = m.forgets
		}
	}
	if sum, err := run.Cook(t.Context()); err != nil || sum.Failed.Assets > 0 {
		t.Fatalf("%v, %v", sum, err)
	}
	got := map[string]map[string][]string{}
	_, err := run.Check(t.Context(), Check{Sample: "all", Found: func(f cook.Finding) {
		if got[f.Path] == nil {
			got[f.Path] = map[string][]string{}
		}
		got[f.Path][string(f.Kind)] = f.Inputs
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if d := cmp.Diff(want[name], got[name]); d != "" {
			text, _ := os.ReadFile(filepath.Join(run.Dir, name))
			t.Errorf("%s: -want +got\n%s\n%s", name, d, text)
		}
		delete(got, name)
	}
	if len(got) > 0 || len(want) < mutants/3 {
		t.Errorf("%d mutants omit something; also found: %v", len(want), got)
	}
}
