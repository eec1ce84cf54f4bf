package overview

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
)

// TestSquarify checks that tiles fill their rectangle, in proportion to their values.
func TestSquarify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(1, 1_000_000), 1, 60).Draw(t, "values")
		slices.Sort(values)
		slices.Reverse(values)
		var nodes []*node
		total := 0.0
		for _, v := range values {
			nodes = append(nodes, &node{value: float64(v)})
			total += float64(v)
		}
		in := rect{10, 20, float64(rapid.IntRange(10, 1000).Draw(t, "w")), float64(rapid.IntRange(10, 1000).Draw(t, "h"))}
		for i, r := range squarify(nodes, total, in) {
			want := in.w * in.h * nodes[i].value / total
			if math.Abs(r.w*r.h-want) > 1e-6*in.w*in.h || r.x < in.x-1e-6 || r.y < in.y-1e-6 || r.x+r.w > in.x+in.w+1e-3 || r.y+r.h > in.y+in.h+1e-3 {
				t.Fatalf("tile %d of %v in %v: %v, want an area of %v", i, values, in, r, want)
			}
		}
	})
}

// TestTreeAddsUp opens some nodes. The value of each node must be the sum of its parts.
func TestTreeAddsUp(t *testing.T) {
	in := large(5000, 1)
	r := New(in)
	want := 0.0
	for i := range in.Assets {
		want += float64(in.Assets[i].Out())
	}
	for _, byRecipe := range []bool{false, true} {
		root := r.assetTree(byRecipe, func(a *survey.Asset) float64 { return float64(a.Out()) })
		root.openUp(200)
		var check func(n *node)
		check = func(n *node) {
			if !n.open {
				return
			}
			value, assets := 0.0, 0
			for _, c := range n.below {
				value += c.value
				assets += c.assets
				check(c)
			}
			if value != n.value || assets != n.assets {
				t.Errorf("%s: %v and %d, its parts %v and %d", n.path, n.value, n.assets, value, assets)
			}
		}
		check(root)
		tiles := root.layOutTiles(rect{0, 0, 1200, 440}, 0)
		if root.value != want || len(tiles) > 230 || !byRecipe && len(tiles) < 50 {
			t.Errorf("%v in %d tiles, want %v", root.value, len(tiles), want)
		}
	}
}

// TestSums checks that the sums of each table are the sums of all artifacts.
func TestSums(t *testing.T) {
	in := large(3000, 1)
	want := int64(0)
	for i := range in.Assets {
		want += in.Assets[i].Out()
	}
	r := New(in)
	for _, key := range []string{"assets", "folders", "recipes"} {
		table := r.Table(key)
		at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Key == "bytes_out" })
		if got := table.columnSums(table.Rows)[at]; got != want {
			t.Errorf("%s: %v, want %d", key, got, want)
		}
	}
}

// TestBound checks which bottleneck the report names.
func TestBound(t *testing.T) {
	second := time.Second
	for _, tt := range []struct {
		want   string
		took   time.Duration
		detail *execute.Detail
	}{
		{"Unknown", second, nil},
		{"Cores: 4 workers were busy 100.0 %", 11 * second, &execute.Detail{Workers: 4, Took: 10 * second, Busy: 40 * second}},
		{"Memory: 4 workers waited 50.0 %", 11 * second, &execute.Detail{Workers: 4, Took: 10 * second, Busy: 40 * second, Waited: 20 * second}},
		{"One long asset: big.png took 9s, and for the last 8s nothing else was left; the workers were idle 60.0 %", 11 * second,
			&execute.Detail{Workers: 4, Took: 10 * second, Busy: 16 * second, Idle: 24 * second, Alone: 8 * second}},
		{"Cores: 4 workers were busy 100.0 %", 11 * second, // idle cores helped with the long asset
			&execute.Detail{Workers: 4, Took: 10 * second, Busy: 16 * second, Idle: 24 * second, Helped: 24 * second, Alone: 8 * second}},
		{"One long asset: big.png took 9s; there was nothing else to do", 11 * second, &execute.Detail{Workers: 2, Took: 10 * second, Busy: 10 * second, Idle: 10 * second, Alone: 10 * second}},
		{"Files: cooking took 10s of 30s; stage scan took 15s", 30 * second, &execute.Detail{Workers: 4, Took: 10 * second, Busy: 40 * second}},
	} {
		if tt.detail != nil {
			tt.detail.Spans = []execute.Span{{End: second, Path: "small.png"}, {Worker: 1, Begin: second, End: 10 * second, Path: "big.png"}}
		}
		p := &stats.Past{Took: tt.took, Detail: tt.detail, Stages: []stats.Stage{{Name: "scan", Took: 15 * second}, {Name: "cook", Took: 20 * second}}}
		if got := Bound(p); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
	if Bound(nil) == "" {
		t.Error("no answer for no run")
	}
}

// TestGrowth checks that size changes of the last day are added up.
func TestGrowth(t *testing.T) {
	end := time.Unix(1_800_000_000, 0)
	at := func(hours int, sizes ...execute.Size) stats.Past {
		return stats.Past{At: end.Add(time.Duration(-hours) * time.Hour), Detail: &execute.Detail{Sizes: sizes}}
	}
	runs := []stats.Past{
		at(30, execute.Size{Path: "old", Before: -1, After: 1000}),
		at(20, execute.Size{Path: "a", Before: 10, After: 50}, execute.Size{Path: "b", Before: -1, After: 7}, execute.Size{Path: "c", Before: 30, After: -1}),
		{At: end.Add(-15 * time.Hour)},
		at(10, execute.Size{Path: "a", Before: 50, After: 20}, execute.Size{Path: "b", Before: 7, After: -1}),
		at(0, execute.Size{Path: "a", Before: 20, After: 15}, execute.Size{Path: "a", Target: "phone", Before: 1, After: 2}),
	}
	runs[3].Detail.Rest = execute.Rest{Assets: 12, Before: 100, After: 90}
	r := New(Input{Runs: runs})
	day := r.Table("growth_day")
	want := [][]any{
		{"c", "", int64(30), int64(0), int64(-30), "gone"},
		{"a", "", int64(10), int64(15), int64(5), ""},
		{"a", "phone", int64(1), int64(2), int64(1), ""},
		{"(12 smaller changes of other assets)", "", int64(100), int64(90), int64(-10), ""},
	}
	if !slices.EqualFunc(day.Rows, want, func(a, b []any) bool { return slices.Equal(a, b) }) || grown(day) != -34 {
		t.Errorf("%v, grown by %d", day.Rows, grown(day))
	}
	if day.Title != "Growth since yesterday" || !strings.Contains(day.Note, "4 cooks") || !strings.Contains(day.Note, "no details of 1") {
		t.Errorf("%s: %s", day.Title, day.Note)
	}
	if last := r.Table("growth_run"); len(last.Rows) != 2 || grown(last) != -4 {
		t.Errorf("%v", last.Rows)
	}
}

// TestWarnings checks that warnings are counted by cause, until a later run works on their asset.
func TestWarnings(t *testing.T) {
	in := large(6, 2)
	in.Runs[0].Detail = &execute.Detail{Warnings: []execute.Warning{{Path: execute.Path(in.Assets[0].Path), Text: "has 12 pixels of \"x\""}}}
	in.Runs[1].Detail.Warnings = []execute.Warning{
		{Path: execute.Path(in.Assets[1].Path), Text: "has 3 pixels of \"y\""}, {Path: execute.Path(in.Assets[2].Path), Text: "has 400 pixels of \"zz\""},
		{Path: execute.Path(in.Assets[3].Path), Text: "is odd"},
	}
	in.Runs[1].Detail.Unlisted = 5
	in.Assets[3].Warned, in.Assets[4].Warned = true, true
	w := New(in).Table("warnings")
	if len(w.Rows) != 3 || w.Rows[0][1] != int64(2) || w.Rows[0][2] != in.Assets[1].Path || w.Rows[0][3] != in.Assets[2].Path || !strings.Contains(w.Note, "5 warnings") {
		t.Errorf("%v, %s", w.Rows, w.Note)
	}
}

// TestSteps checks that spikes and lasting changes in the figures of runs are found.
func TestSteps(t *testing.T) {
	in := large(1, 120)
	for i := range in.Runs {
		in.Runs[i].Took = time.Second + time.Duration(i%3)*time.Millisecond
		if i >= 60 {
			in.Runs[i].Counts["cook/found/bytes_out"] = 2e9
		} else {
			in.Runs[i].Counts["cook/found/bytes_out"] = 1e9
		}
	}
	in.Runs[33].Took = time.Minute
	r := New(in)
	for _, s := range r.series {
		switch s.Key {
		case "took_ns":
			if s.spikes() != 1 || !s.spike(33) {
				t.Errorf("%d spikes", s.spikes())
			}
		case "bytes_out":
			if len(s.Steps) != 1 || s.Steps[0] != (Step{60, 1e9, 2e9}) {
				t.Errorf("%+v", s.Steps)
			}
		}
	}
	if rows := r.Table("steps").Rows; !slices.ContainsFunc(rows, func(row []any) bool { return row[0] == "bytes cooked" && row[1] == int64(61) }) {
		t.Errorf("%v", rows)
	}
}

// TestUsedBy checks that the row of an asset names the assets that use it.
func TestUsedBy(t *testing.T) {
	in := large(50, 1)
	for i := 1; i < 50; i++ {
		in.Assets[i].Dependencies = []string{in.Assets[0].Path}
	}
	r := New(in)
	for _, row := range r.Table("assets").Rows {
		if row[0] == in.Assets[0].Path {
			if got := row[9].(string); !strings.HasPrefix(got, in.Assets[1].Path+"; ") || !strings.HasSuffix(got, " and 46 more") {
				t.Error(got)
			}
		}
	}
}

// TestMarkdownCellsHoldAnyName checks that no name can end a cell, a row or the table.
func TestMarkdownCellsHoldAnyName(t *testing.T) {
	for _, name := range []string{"a|b.png", "a\nb", "<img src=x>", "`a`", "[a](b)", "@somebody", "**a**", "\\|"} {
		table := Table{Title: "T", Columns: []Column{{Key: "path", Title: "path", Kind: Text}, {Key: "n", Title: "n", Kind: Number}, {Key: "none", Title: "none", Kind: Text}}}
		table.addTableRow(name, int64(7), nil)
		table.addTableRow("second", int64(8), nil)
		var b strings.Builder
		table.writeMarkdown(&b, 1)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) != 7 || lines[2] != "| path | n |" || lines[3] != "|---|---:|" || lines[6] != "and 1 more" {
			t.Errorf("%q makes\n%s", name, b.String())
			continue
		}
		bare := strings.NewReplacer(`\\`, "", `\|`, "", `\<`, "", "\\`", "", `\[`, "", `\]`, "", `\@`, "", `\*`, "").Replace(lines[4])
		if strings.Count(bare, "|") != 3 || strings.ContainsAny(bare, "<`[]@*") {
			t.Errorf("%q makes %s", name, lines[4])
		}
	}
}
