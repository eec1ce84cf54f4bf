package console

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var there = Names{
	Counters: []string{"camera/x", "camera/y", "camera/z", "cook/cook/ns", "cook/frame_ms", "cook/skip/output", "cook/skip/stamp", "odd name", "wind/x"},
	Graphs:   []string{"fps", "skips"},
}

func TestParse(t *testing.T) {
	graph := func(do, graph string, names ...string) Command {
		return Command{Ops: []Op{{Do: do, Graph: graph, Names: names}}}
	}
	for _, tc := range []struct {
		line string
		want Command
	}{
		{"", Command{}},
		{"  \t", Command{}},
		{"graph make fps", graph("make", "fps")},
		{`graph make "frame time"`, graph("make", "frame time")},
		{"graph add fps cook/cook/ns", graph("add", "fps", "cook/cook/ns")},
		{`graph add new "odd name" wind/x wind/x`, graph("add", "new", "odd name", "wind/x")},
		{"graph add fps cook/skip/*", graph("add", "fps", "cook/skip/output", "cook/skip/stamp")},
		{"graph add_vector camera", graph("add", "camera", "camera/x", "camera/y", "camera/z")},
		{"graph add_vector fps wind", graph("add", "fps", "wind/x")},
		{"graph range fps -20 20", Command{Ops: []Op{{Do: "range", Graph: "fps", Range: &[2]float64{-20, 20}}}}},
		{"graph range fps 0 33.5ms", Command{Ops: []Op{{Do: "range", Graph: "fps", Range: &[2]float64{0, 33.5}}}}},
		{"graph range fps auto", Command{Ops: []Op{{Do: "range", Graph: "fps"}}}},
		{"graph hide fps", graph("hide", "fps")},
		{"graph show fps", graph("show", "fps")},
		{"graph remove fps", graph("remove", "fps")},
		{"graph remove fps gone", graph("remove", "fps", "gone")},
		{"print cook/skip/stamp", Command{Print: []string{"cook/skip/stamp"}}},
		{"print c*y", Command{Print: []string{"camera/y"}}},
		{"when cook/frame_ms > 33 for 3 dump 2s", Command{When: &When{"cook/frame_ms", ">", 33, 3, 2 * time.Second}}},
		{"when cook/cook/ns <= 250us dump 500ms", Command{When: &When{"cook/cook/ns", "<=", .25, 1, 500 * time.Millisecond}}},
		{"when", Command{List: true}},
		{"when remove 2", Command{Remove: 2}},
		{"help", Command{Help: true}},
	} {
		got, err := Parse(tc.line, there)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q: %+v, %v; want %+v", tc.line, got, err, tc.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"grpah make fps", "there is no command grpah; did you mean graph?"},
		{"graph mkae fps", "there is no command of graph mkae; did you mean make?"},
		{"graph", "one of add, add_vector, hide, make, range, remove, show is missing at the end of the line; see help"},
		{"graph make", "the name of a graph is missing at the end of the line; see help"},
		{`graph make ""`, "the name of a graph has 1 to 256 bytes, not 0"},
		{"graph make fps x", "the line must end before x; see help"},
		{"graph add fps", "the name of a counter is missing at the end of the line; see help"},
		{"graph add fps cook/skip/stmap", "there is no counter cook/skip/stmap; did you mean cook/skip/stamp?"},
		{"graph add fps frame", "there is no counter frame; did you mean cook/frame_ms?"},
		{"graph add fps cok/*", "no counter matches cok/*"},
		{"graph add_vector camra", "there is no vector camra; did you mean camera?"},
		{"graph add_vector nothing", "there is no vector nothing, only camera, wind"},
		{"graph hide fsp", "there is no graph fsp; did you mean fps?"},
		{"graph remove all", "there is no graph all, only fps, skips"},
		{"graph range fps 20 -20", "a range from 20 to -20 is empty"},
		{"graph range fps nan 1", "nan is neither a number nor a duration such as 33ms"},
		{"graph range fps 1 2 3", "the line must end before 3; see help"},
		{"print", "the name of a counter is missing at the end of the line; see help"},
		{`print "odd`, `a quoted word has no end, or is not a valid string: "\"odd"`},
		{"when cook/frame_ms = 33 dump 2s", "want one of > >= < <= instead of ="},
		{"when cook/frame_ms > x dump 2s", "x is neither a number nor a duration such as 33ms"},
		{"when cook/frame_ms > 33 for 0 dump 2s", "0 is not a number of frames from 1 to 1000000"},
		{"when cook/frame_ms > 33 for 3 dmup 2s", `want "dump" instead of dmup; see help`},
		{"when cook/frame_ms > 33 dump 2h", "2h is not a duration from 100ms to 1m0s, such as 2s"},
		{"when cook/skip/* > 33 dump 2s", "cook/skip/* matches 2 counters, but a condition watches only one; name one counter"},
		{"when remove x", "x is not the number of a condition; when lists them"},
		{strings.Repeat("x", 5000), "the line has 5000 bytes; at most 4096 are read"},
	} {
		_, err := Parse(tc.line, there)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%.40q: %v; want %s", tc.line, err, tc.want)
		}
	}
}

func TestParseLater(t *testing.T) {
	names := Names{Later: true}
	for line, want := range map[string][]string{
		"graph add a b/c":      {"b/c"},
		"graph add_vector eye": {"eye/x", "eye/y", "eye/z"},
	} {
		got, err := Parse(line, names)
		if err != nil || !slices.Equal(got.Ops[0].Names, want) {
			t.Errorf("%q: %+v, %v; want %q", line, got, err, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, tc := range []struct {
		line string // text; the character | marks the cursor
		want []string
	}{
		{"|", commands},
		{"gr|", []string{"graph"}},
		{"graph |", verbs},
		{"graph a|dd fps", []string{"add", "add_vector"}},
		{"graph make f|", nil},
		{"graph hide |", []string{"fps", "skips"}},
		{"graph add fps c|", []string{"camera/", "cook/"}},
		{"graph add fps cook/|", []string{"cook/cook/ns", "cook/frame_ms", "cook/skip/"}},
		{"graph add fps cook/skip/|", []string{"cook/skip/output", "cook/skip/stamp"}},
		{"graph add fps cook/skip/stamp cook/skip/|", []string{"cook/skip/output"}},
		{"print stamp|", []string{"cook/skip/stamp"}},
		{"print odd|", []string{`"odd name"`}},
		{`print "odd n|`, []string{`"odd name"`}},
		{"graph add_vector |", []string{"fps", "skips", "camera", "wind"}},
		{"graph range fps |", []string{"auto"}},
		{"when r|", []string{"remove"}},
		{"when cook/frame_ms |", signs},
		{"when cook/frame_ms > 33 |", []string{"dump", "for"}},
		{"when cook/frame_ms > 33 for 3 |", []string{"dump"}},
		{"when cook/frame_ms > 33 for 3 dump 2|", []string{"2s"}},
		{"nothing |", nil},
	} {
		line, _, _ := strings.Cut(tc.line, "|")
		got := Complete(strings.Replace(tc.line, "|", "", 1), len(line), there)
		if !slices.Equal(got.Words, tc.want) {
			t.Errorf("%s: %q, want %q", tc.line, got.Words, tc.want)
		}
	}
}

// Completing each name one part at a time must offer every counter exactly once.
func TestCompleteReachesAll(t *testing.T) {
	var found []string
	var visit func(typed string)
	visit = func(typed string) {
		for _, word := range byPart(typed, there.Counters) {
			if strings.HasSuffix(word, "/") {
				visit(word)
			} else {
				found = append(found, word)
			}
		}
	}
	visit("")
	if !slices.Equal(found, there.Counters) {
		t.Errorf("found %q", found)
	}
}

func TestMatches(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "a", true}, {"a*c", "abc", true},
		{"a*c", "abcd", false}, {"*b*", "abc", true}, {"a*a", "a", false}, {"a*b*a", "aba", true}, {"a*bb*b", "abb", false},
	} {
		if got := matches(tc.pattern, tc.name); got != tc.want {
			t.Errorf("%q, %q: %v", tc.pattern, tc.name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{"graph add fps cook/skip/*", "when cook/frame_ms > 33ms for 3 dump 2s", `print "a\x00b`, "graph range fps -1e300 inf", "graph add_vector ☃"} {
		f.Add(line, 3)
	}
	f.Fuzz(func(t *testing.T, line string, at int) {
		for _, later := range []bool{false, true} {
			names := there
			names.Later = later
			c, err := Parse(line, names)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("an error of several lines: %q", err)
				}
				continue
			}
			if c.When != nil {
				again, err := Parse(c.When.String(), names)
				if err != nil || !reflect.DeepEqual(again, c) {
					t.Errorf("%s: %+v, %v; want %+v", c.When, again, err, c)
				}
			}
			for _, op := range c.Ops {
				if len(op.Names) > maxNames || len(op.Graph) > maxName || op.Range != nil && op.Range[0] >= op.Range[1] {
					t.Errorf("%q: %+v", line, op)
				}
			}
		}
		got := Complete(line, at, there)
		if got.From < 0 || got.From > got.To || got.To > len(line) || len(got.Words) > maxWords {
			t.Fatalf("%q at %d: %+v", line, at, got)
		}
		for _, word := range got.Words {
			// An inserted completion must be one word.
			if words, err := split(word); err != nil || len(words) != 1 {
				t.Errorf("%q at %d offers %q", line, at, word)
			}
		}
	})
}
