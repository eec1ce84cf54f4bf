package smokerun

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sampleRecord returns a record with one step, which has a figure of each class.
func sampleRecord(commit string, cpu float64) *Record {
	s := Step{Name: "draw|<b>", Frames: 2, Items: []Item{{"wall.png", "abc", 5}}, Budgets: map[string]float64{CPUTime: 500}, Figures: []Figure{
		{Name: "draws", Class: Exact, Value: 12, Peak: 7, Spikes: 1},
		{Name: "memory/high", Class: LevelClass, Value: 10, Peak: 12, Steady: true},
		{Name: "queue/depth", Class: LevelClass, Value: 3, Peak: 4},
		{Name: AllocatedBytes, Class: AllocationsClass, Value: 1e8},
		{Name: instructionCount, Class: instructionsClass, Value: 1e9},
		{Name: CPUTime, Class: CPUClass, Value: cpu, Values: []float64{cpu, cpu}},
		{Name: "t/<script>", Class: TimeClass, Value: 1e6},
	}}
	s.Sort()
	return &Record{
		Format: formatVersion, Suite: "s", Sum: "1", At: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
		Build: Build{Commit: commit, Go: "go1", OS: "linux", Arch: "amd64"}, Machine: Machine{"cpu", 2}, Steps: []Step{s},
	}
}

func figure(r *Record, name string) *Figure {
	for i := range r.Steps[0].Figures {
		if f := &r.Steps[0].Figures[i]; f.Name == name {
			return f
		}
	}
	panic(name)
}

func TestRecordFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.json")
	want := sampleRecord("c", 100)
	if err := want.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if !bytes.Equal(a, b) {
		t.Errorf("read %s, wrote %s", b, a)
	}
	for text, want := range map[string]string{
		`{"format":9}`: "another version of cook wrote the record; measure again to write a new one",
		`{`:            "not a record of a smoke run",
		`{"format":1,"steps":[{"name":"a"},{"name":"a"}]}`:                             `two steps are called "a"`,
		`{"format":1,"steps":[{"name":"a","figures":[{"name":"x"},{"name":"x"}]}]}`:    `two figures "x"`,
		`{"format":1,"steps":[{"name":"a","figures":[{"name":"x","value":"a lot"}]}]}`: "not a record",
	} {
		os.WriteFile(name, []byte(text), 0o666)
		if _, err := ReadFile(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "r.json") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadFile(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestCompare(t *testing.T) {
	change := func(name string, edit func(f *Figure)) []Change {
		r := sampleRecord("b", 100)
		edit(figure(r, name))
		r.Steps[0].Sort()
		changes, err := Compare(sampleRecord("a", 100), r)
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	scale := func(by float64) func(*Figure) { return func(f *Figure) { f.Value *= by } }
	for _, c := range []struct {
		name  string
		edit  func(*Figure)
		want  int
		worse bool
	}{
		{"draws", func(f *Figure) { f.Value++ }, 1, true},
		{"draws", func(f *Figure) { f.Value-- }, 1, true},
		{"draws", func(f *Figure) { f.Class = UnsteadyClass }, 1, true},
		{"draws", func(f *Figure) { f.Name = "drawn" }, 2, true}, // The old figure is missing, and a new one exists.
		{"draws", func(f *Figure) { f.Peak, f.Spikes = 9, 9 }, 2, true},
		{"draws", func(f *Figure) { f.Peak = 6 }, 1, true},
		{"draws", func(f *Figure) { f.Spikes = 0 }, 1, true},
		{"draws", func(f *Figure) { f.Loose = true }, 1, true},
		{"memory/high", func(f *Figure) { f.Value, f.Peak = 20, 25 }, 2, true},
		{"memory/high", func(f *Figure) { f.Peak = 26 }, 1, true},
		{"memory/high", func(f *Figure) { f.Peak = 11 }, 1, false},
		{"memory/high", func(f *Figure) { f.Steady, f.Value = false, 99 }, 0, false},
		{"queue/depth", func(f *Figure) { f.Steady, f.Value = true, 99 }, 0, false},
		{AllocatedBytes, scale(1.0009), 0, false},
		{AllocatedBytes, scale(1.0011), 1, true},
		{AllocatedBytes, scale(0.5), 1, false},
		{instructionCount, scale(1.0009), 0, false},
		{instructionCount, scale(1.0011), 1, true},
		{CPUTime, scale(100), 0, false},
		{"t/<script>", scale(100), 0, false},
	} {
		changes := change(c.name, c.edit)
		if len(changes) != c.want {
			t.Errorf("%s: %d changes, want %d: %v", c.name, len(changes), c.want, changes)
		}
		for _, got := range changes {
			if got.Worse() != c.worse {
				t.Errorf("%s: worse is %v", got.String(), got.Worse())
			}
		}
	}
	// Differences within the random variation of hash tables are not changes.
	few := func(value float64) *Record {
		r := sampleRecord("a", 100)
		figure(r, AllocatedBytes).Value = value
		return r
	}
	for more, want := range map[float64]int{slackBytes: 0, slackBytes + 1: 1} {
		if changes, err := Compare(few(1000), few(1000+more)); err != nil || len(changes) != want {
			t.Errorf("%g bytes more: %v, %v", more, changes, err)
		}
	}
	r := sampleRecord("b", 100)
	r.Build.Go = "go2"
	figure(r, AllocatedBytes).Value = 9e9
	figure(r, "draws").Value = 1
	if changes, err := Compare(sampleRecord("a", 100), r); err != nil || len(changes) != 1 || changes[0].Figure != "draws" {
		t.Errorf("another compiler: %v, %v", changes, err)
	}
	r.Sum = "2"
	if _, err := Compare(sampleRecord("a", 100), r); !errors.Is(err, errOtherSuite) {
		t.Errorf("other inputs: %v", err)
	}
	r = sampleRecord("b", 100)
	r.Steps[0].Name = "other"
	if _, err := Compare(sampleRecord("a", 100), r); !errors.Is(err, errOtherSuite) {
		t.Errorf("other steps: %v", err)
	}
}

func TestCompareItems(t *testing.T) {
	was := []Item{{"a", "1", 0}, {"b", "1", 0}, {"c", "1", 0}}
	now := []Item{{"a", "1", 9}, {"b", "2", 0}, {"d", "1", 0}}
	got := compareItems(was, now)
	want := []ItemChange{{"b", "1", "2"}, {"c", "1", ""}, {"d", "", "1"}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("items changed: %v, want %v", got, want)
	}
}

func TestHistory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "h.jsonl")
	for i := range 24 {
		cpu := 100 + float64(i*7%5)/10
		if i >= 12 {
			cpu += 20
		}
		if i == 5 {
			cpu *= 10
		}
		r := sampleRecord(string(rune('a'+i)), cpu)
		if i >= 18 {
			figure(r, "draws").Value = 13
		}
		if i == 20 { // An incomplete line, as after a crash.
			f, _ := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			f.WriteString(`{"format":1,"sui`)
			f.Close()
		}
		if err := Append(name, r); err != nil {
			t.Fatal(err)
		}
	}
	h, skipped, err := ReadHistory(name, "s")
	if err != nil || len(h) != 24 || skipped != 1 {
		t.Fatalf("%d records, %d skipped, %v", len(h), skipped, err)
	}
	shifts := h.Shifts()
	if len(shifts) != 2 || shifts[0].At != 12 || shifts[0].Class != CPUClass || shifts[1].At != 18 || shifts[1].Figure != "draws" {
		t.Errorf("shifts %v", shifts)
	}
	page := new(bytes.Buffer)
	if err := h.WriteHTML(page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if strings.Contains(text, "%!") {
		t.Error("the page has fmt's marker of a wrong argument type")
	}
	for _, want := range []string{"<svg", "budget: ", ">m<", "<circle", "draw|&lt;b&gt;", "t/&lt;script&gt;", "</html>"} {
		if want != "</html>" && !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "<script") || strings.Contains(text, "NaN") || strings.Contains(text, "<b>\"") {
		t.Error("a name is not escaped, or a number is invalid")
	}
	if h, _, err := ReadHistory(name+"x", "s"); len(h) != 0 || err != nil {
		t.Errorf("no file: %v, %v", h, err)
	}
	if err := (History{}).WriteHTML(page); err != nil {
		t.Error(err)
	}
	if h, _, _ := ReadHistory(name, "other"); len(h) != 0 {
		t.Error("records of another suite")
	}
}

func TestMarkdown(t *testing.T) {
	r := sampleRecord("c", 100)
	items := make([]ItemChange, 30)
	for i := range items {
		items[i] = ItemChange{"a|b", "1", "2"}
	}
	changes := []Change{
		{Step: "x", Figure: Items, Class: Exact, Before: 1, After: 2, Items: items},
		{Step: "x", Figure: CPUTime, Class: CPUClass, Before: 1e6, After: 2e6, P: 0.001, Causes: []Cause{{"slow", 0, 1e6}}},
	}
	for range 25 {
		changes = append(changes, Change{Step: "x", Figure: "n", Class: Exact, Before: 1, After: math.NaN()})
	}
	out := new(bytes.Buffer)
	if err := WriteMarkdown(out, r, changes); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"27 figures worse than allowed", `a\|b: 1 -> 2`, "and 20 more", "| x | 16 more exact figures |",
		"| x | cpu/ns | 1ms | 2ms | +100.0 %, p 0.001 | slow +1ms |", "| n | 1 | none |", `draw\|&lt;b> | 100ns | 1000000000 | 95.4 MiB |`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n > 30 {
		t.Errorf("%d lines for 27 changes", n)
	}
}

func TestParseCachegrind(t *testing.T) {
	const text = "desc: I1 cache: 32768 B\ncmd: ./game 1 2\nevents: Ir\nfl=/src/a.go\nfn=main.draw\n10 100\n12 50\nfn=runtime.findRunnable\n1 7\nfn=runtime.memmove\n3 30\nfl=/src/b.go\nfn=main.draw\n1 5\nsummary: 192\n"
	figures, err := parseCachegrind(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range figures {
		got[f.Name] = f.Value
	}
	if got["code/main.draw"] != 155 || got["code/runtime.memmove"] != 30 || got["code/runtime.findRunnable"] != 7 || got[instructionCount] != 185 || len(got) != 4 {
		t.Errorf("read %v", got)
	}
	for _, torn := range []string{"", "fn=a\n1 2\n", "fn=a\n1 x\nsummary: 1\n", "summary: x\n"} {
		if _, err := parseCachegrind(strings.NewReader(torn)); err == nil {
			t.Errorf("%q was read", torn)
		}
	}
}

func FuzzRecord(f *testing.F) {
	text, _ := json.Marshal(sampleRecord("c", 100))
	f.Add(text)
	f.Add([]byte(`{"format":1,"steps":[{"name":"a","figures":[{"name":"x","class":"cpu","value":1e308}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parse(text)
		if err != nil {
			return
		}
		changes, err := Compare(r, r)
		if err != nil || len(changes) > 0 {
			t.Fatalf("differs from itself: %v, %v", changes, err)
		}
		if err := WriteMarkdown(new(bytes.Buffer), r, OverBudget(r)); err != nil {
			t.Fatal(err)
		}
		h := History{r, r, r, r, r, r}
		if err := h.WriteHTML(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}
