package inspect

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
)

// A query chooses and orders rows.
type query struct {
	words                   string // all of them are in the path or a reason, in whatever case
	outcome, recipe, target string // "" for any
	run                     string // the last one if "last", or RFC 3339 when it began
	by                      string
	down                    bool
}

func queryOf(v url.Values) query {
	return query{
		words: strings.ToLower(v.Get("q")), outcome: v.Get("outcome"), recipe: v.Get("recipe"), target: v.Get("target"), run: v.Get("run"),
		by: v.Get("sort"), down: v.Get("down") != "",
	}
}

// An order is the rows of a query, and their sums.
type order struct {
	of     query
	done   bool
	rows   []int32
	totals totals
}

type totals struct {
	In   int64         `json:"in"`
	Out  int64         `json:"out"`
	Took time.Duration `json:"cook_ns"`
}

// order returns the rows of a query. The last one is remembered: who scrolls asks for it
// again and again.
func (l *listing) order(q query) order {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked.done && l.asked.of == q {
		return l.asked
	}
	o := order{of: q, done: true}
	words := strings.Fields(q.words)
	began := l.last
	if q.run != "last" {
		began, _ = time.Parse(time.RFC3339Nano, q.run)
	}
	for i := range l.all {
		a := &l.all[i]
		if q.outcome != "" && string(a.Last.Outcome) != q.outcome || q.recipe != "" && a.Method.Recipe != q.recipe ||
			q.target != "" && a.Target != q.target || q.run != "" && !a.Last.At.Equal(began) ||
			slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(l.text[i], w) }) {
			continue
		}
		o.rows = append(o.rows, int32(i))
		o.totals.In += a.In
		o.totals.Out += a.Out()
		o.totals.Took += a.CookTime
	}
	if compare := columns[q.by]; compare != nil {
		slices.SortStableFunc(o.rows, func(i, j int32) int {
			c := compare(&l.all[i], &l.all[j])
			if q.down {
				return -c
			}
			return c
		})
	} else if q.down {
		slices.Reverse(o.rows)
	}
	l.asked = o
	return o
}

// columns are what rows can be ordered by; the list is in the order of paths.
var columns = map[string]func(a, b *survey.Asset) int{
	"recipe":  func(a, b *survey.Asset) int { return strings.Compare(a.Method.Recipe, b.Method.Recipe) },
	"outcome": func(a, b *survey.Asset) int { return strings.Compare(string(a.Last.Outcome), string(b.Last.Outcome)) },
	"why":     func(a, b *survey.Asset) int { return strings.Compare(why(a), why(b)) },
	"at":      func(a, b *survey.Asset) int { return a.Last.At.Compare(b.Last.At) },
	"in":      func(a, b *survey.Asset) int { return cmp.Compare(a.In, b.In) },
	"out":     func(a, b *survey.Asset) int { return cmp.Compare(a.Out(), b.Out()) },
	"ratio": func(a, b *survey.Asset) int {
		return cmp.Compare(float64(a.Out())*float64(max(1, b.In)), float64(b.Out())*float64(max(1, a.In)))
	},
	"cook_ns": func(a, b *survey.Asset) int { return cmp.Compare(a.CookTime, b.CookTime) },
}
