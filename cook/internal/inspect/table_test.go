package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/survey"
)

// Whatever the order and the filter, the rows of a query equal a sorted scan of all assets.
func TestOrder(t *testing.T) {
	at := time.Unix(1e9, 0)
	methods := []*survey.Method{{Recipe: "copy"}, {Recipe: "json"}, {Recipe: "image"}}
	rapid.Check(t, func(t *rapid.T) {
		var all []survey.Asset
		for i := range rapid.IntRange(0, 30).Draw(t, "assets") {
			a := survey.Asset{
				Path: fmt.Sprintf("%s/%02d", rapid.SampledFrom([]string{"a", "Ab", "bC"}).Draw(t, "folder"), i), Target: rapid.SampledFrom([]string{"", "pc"}).Draw(t, "target"),
				Method: rapid.SampledFrom(methods).Draw(t, "method"), In: int64(rapid.IntRange(0, 3).Draw(t, "in")), CookTime: time.Duration(rapid.IntRange(0, 3).Draw(t, "took")),
			}
			a.Outputs = []survey.Output{{Size: int64(rapid.IntRange(0, 3).Draw(t, "out"))}}
			a.Last.Outcome = rapid.SampledFrom([]execute.Outcome{execute.Cooked, execute.Restored}).Draw(t, "outcome")
			a.Last.Reasons = rapid.SliceOfN(rapid.SampledFrom([]string{"new", "content changed: ab"}), 0, 2).Draw(t, "reasons")
			a.Last.At = at.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "run")))
			all = append(all, a)
		}
		slices.SortFunc(all, func(a, b survey.Asset) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Target, b.Target))
		})
		l := newListing("seal", all)
		for range 5 {
			q := query{
				words: strings.ToLower(rapid.SampledFrom([]string{"", "a", "ab 1", "c 2 b", "NEW", "new; content"}).Draw(t, "words")), outcome: rapid.SampledFrom([]string{"", "cooked"}).Draw(t, "outcome"),
				recipe: rapid.SampledFrom([]string{"", "json"}).Draw(t, "recipe"), target: rapid.SampledFrom([]string{"", "pc"}).Draw(t, "target"),
				run: rapid.SampledFrom([]string{"", "last", at.Format(time.RFC3339Nano)}).Draw(t, "run"),
				by:  rapid.SampledFrom([]string{"", "recipe", "outcome", "why", "at", "in", "out", "ratio", "cook_ns", "nonsense"}).Draw(t, "by"), down: rapid.Bool().Draw(t, "down"),
			}
			var want []int32
			var sums totals
			var last time.Time
			for i := range all {
				if all[i].Last.At.After(last) {
					last = all[i].Last.At
				}
			}
			for i := range all {
				a := &all[i]
				fits := (q.outcome == "" || a.Last.Outcome == execute.Cooked) && (q.recipe == "" || a.Method.Recipe == "json") && (q.target == "" || a.Target == "pc") &&
					(q.run == "" || q.run == "last" && a.Last.At.Equal(last) || q.run != "last" && a.Last.At.Equal(at))
				for w := range strings.FieldsSeq(q.words) {
					fits = fits && strings.Contains(strings.ToLower(a.Path+" "+strings.Join(a.Last.Reasons, "; ")), w)
				}
				if fits {
					want = append(want, int32(i))
					sums.In, sums.Out, sums.Took = sums.In+a.In, sums.Out+a.Out(), sums.Took+a.CookTime
				}
			}
			got := l.orderRows(q)
			if got.totals != sums {
				t.Fatalf("sums %+v, want %+v", got.totals, sums)
			}
			if set := slices.Sorted(slices.Values(got.rows)); !slices.Equal(set, want) {
				t.Fatalf("%+v: rows %v, want %v", q, set, want)
			}
			for i := 1; i < len(got.rows); i++ {
				a, b := &all[got.rows[i-1]], &all[got.rows[i]]
				if q.down {
					a, b = b, a
				}
				compare := columnOrder(q.by)
				if compare == nil {
					compare = func(a, b *survey.Asset) int { return strings.Compare(a.Path, b.Path) }
				}
				if compare(a, b) > 0 {
					t.Fatalf("%+v: row %d is out of order", q, i)
				}
			}
		}
	})
}

// The users of a file are the assets that read it. Each asset is listed once.
func TestUsers(t *testing.T) {
	method := &survey.Method{Recipe: "mesh"}
	l := newListing("", []survey.Asset{
		{Path: "a", Target: "pc", Method: method, Inputs: survey.Inputs{Dependencies: []string{"x", "y"}}}, {Path: "a", Target: "ps", Method: method, Inputs: survey.Inputs{Dependencies: []string{"x"}}},
		{Path: "b", Method: method, Inputs: survey.Inputs{Dependencies: []string{"x"}}, Outputs: []survey.Output{{Path: "b.1"}, {Path: "b.2"}}},
		{Path: "pak", Method: method, Inputs: survey.Inputs{Takes: []string{"b.1", "b.2"}}},
	})
	if got := fmt.Sprint(l.users); got != "map[b:[pak] x:[a b] y:[a]]" {
		t.Error(got)
	}
}
