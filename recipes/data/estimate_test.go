package data

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/assetcook/assetcook/cook/recipe"
)

func TestMemoryStaysBelowTheEstimate(t *testing.T) {
	for _, tc := range []struct{ name, source string }{
		{"json", "[" + strings.Repeat("1,", 200_000) + "1]"},
		{"json", "[" + strings.Repeat("[],", 100_000) + "1]"},
		{"toml", "a = [" + strings.Repeat("1,", 200_000) + "1]"},
		{"toml", "a = [" + strings.Repeat("{a=1},", 50_000) + "]"},
		{"yaml", strings.Repeat("-\n", 200_000)},
		{"yaml", "a: &a [" + strings.Repeat("1,", 100) + "]\nb: [" + strings.Repeat("*a,", 900) + "]"},
		{"csv", "a,b,c,d,e,f,g,h\n" + strings.Repeat("1,1,1,1,1,1,1,1\n", 25_000)},
		{"csv", strings.Repeat("1\n", 200_000)},
		{"tsv", strings.Repeat("1\n", 200_000)},
		{"csv", strings.Repeat("h", 20) + strings.Repeat("\n1", 100_000)},
		{"csv", strings.Repeat("h", 300) + strings.Repeat("\n1", 10_000)},
		{"csv", "a,b,c,d,e,f,g,h\n" + strings.Repeat(",,,,,,,\n", 50_000)},
		{"tsv", "a\tb\n" + strings.Repeat("\t\n", 100_000)},
		{"csv", "a\n\"" + strings.Repeat("\x01", 400_000) + "\""},
		{"json", "\"" + strings.Repeat("x", 400_000) + "\""},
		{"json", "[" + strings.Repeat("\"\\u0001\\n\",", 40_000) + "1]"},
		{"json", "{" + keys(50_000) + "\"\":1}"},
		{"toml", "a = \"\"\"" + strings.Repeat("x", 400_000) + "\"\"\""},
		{"toml", tables(20_000)},
		{"jsonc", strings.Repeat("[", 900) + strings.Repeat("]", 900) + strings.Repeat("// x\n", 50_000)},
	} {
		name, source := tc.name, tc.source
		o := &dataOptions{Format: "json", Input: name, Header: true}
		estimate, err := o.estimateMemory([]byte(source), int64(len(source)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		root, err := o.parseText(&builder{ctx: t.Context()}, name, []byte(source))
		if err != nil {
			t.Fatal(name, err)
		}
		out, err := o.encodeTree(writer{ctx: t.Context(), most: mostOutput(len(source))}, root)
		if err != nil {
			t.Fatal(name, err)
		}
		runtime.KeepAlive(out)
		runtime.ReadMemStats(&after)
		all := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: %d bytes a byte of source in all, estimated %d: %.30q", name, all/int64(len(source)), estimate/int64(len(source)), source)
		if all > estimate {
			t.Errorf("%s: allocated %d bytes for a source of %d, estimated %d", name, all, len(source), estimate)
		}
		runtime.KeepAlive(root)
	}
	if _, err := (&dataOptions{Input: "json"}).estimateMemory(nil, maxSource+1); err == nil {
		t.Error("a file that is too large is accepted")
	}
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%x":1,`, i)
	}
	return b.String()
}

func tables(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[a%d.b.c]\n", i)
	}
	return b.String()
}

func TestEstimateOfTables(t *testing.T) {
	source := []byte("id,name,mass,speed,text\n" + strings.Repeat("1234,kart_pebble,12.5,100,\"a small, fast kart\"\n", 20_000))
	for input, most := range map[string]int64{"csv": 60, "auto": 200} {
		estimate, err := (&dataOptions{Input: input}).estimateMemory(source, int64(len(source)))
		if per := (estimate - 1<<20) / int64(len(source)); err != nil || per > most {
			t.Errorf("%s: %d bytes per source byte, want at most %d, %v", input, per, most, err)
		}
	}
	if _, err := (&dataOptions{Input: "csv"}).estimateMemory(source[:1000], int64(len(source))); !errors.Is(err, recipe.ErrShortHead) {
		t.Errorf("Estimate accepts the head of a table only: %v", err)
	}
}

// The estimate must cover the library's nodes of the most expensive YAML and the resulting values.
// The sum of all allocations is not informative, because most are soon garbage.
func TestYAMLStaysBelowTheEstimate(t *testing.T) {
	source := []byte("[" + strings.Repeat("[],", 50_000) + "1]")
	estimate, err := (&dataOptions{Input: "yaml"}).estimateMemory(source, int64(len(source)))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var doc yaml.Node
	if err := yaml.Unmarshal(source, &doc); err != nil {
		t.Fatal(err)
	}
	r := &yamlReader{builder: &builder{ctx: t.Context()}, layout: &yamlLayout{source: source}, spaces: -1, open: map[*yaml.Node]bool{}, room: aliasRoom}
	root, err := r.readYAMLValue(&doc)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > estimate || held < 40*int64(len(source)) {
		t.Errorf("%d bytes are held for a source of %d, estimated %d", held, len(source), estimate)
	}
	runtime.KeepAlive(root)
	runtime.KeepAlive(&doc)
}
