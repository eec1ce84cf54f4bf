package inspect

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/webjson"
)

// A table is the list of all assets. It is read again after a run has changed it.
type table struct {
	out string

	mu   sync.Mutex
	seal string
	list *listing // nil until it was first read
}

// A listing has the assets of one state of the index. Only its field asked changes later.
type listing struct {
	Seal    string
	all     []survey.Asset
	text    []string // path and reasons of each asset, in lower case
	users   map[string][]string
	last    time.Time // start time of the last run
	choices choices
	made    func() map[string]bool // returns the set of artifact paths

	mu    sync.Mutex
	asked order
}

// choices has the number of assets for each value of each filter.
type choices struct {
	Outcomes []choice `json:"outcomes"`
	Recipes  []choice `json:"recipes"`
	Targets  []choice `json:"targets"`
}

type choice struct {
	Name   string `json:"name"`
	Assets int    `json:"assets"`
}

// currentListing returns the current list.
func (t *table) currentListing() (*listing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seal := survey.Seal(t.out)
	if t.list != nil && seal == t.seal && seal != "" {
		return t.list, nil
	}
	all, err := survey.List(t.out)
	if errors.Is(err, survey.ErrNotCooked) {
		all, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.list, t.seal = newListing(seal, all), seal
	return t.list, nil
}

func newListing(seal string, all []survey.Asset) *listing {
	l := &listing{Seal: seal, all: all, text: make([]string, len(all)), users: survey.Users(all)}
	outcomes, recipes, targets := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range all {
		a := &all[i]
		l.text[i] = strings.ToLower(a.Path + " " + reasonsText(a))
		outcomes[string(a.Last.Outcome)]++
		recipes[a.Method.Recipe]++
		targets[a.Target]++
		if a.Last.At.After(l.last) {
			l.last = a.Last.At
		}
	}
	l.made = sync.OnceValue(func() map[string]bool {
		made := make(map[string]bool, len(all))
		for i := range all {
			for _, o := range all[i].Outputs {
				made[o.Path] = true
			}
		}
		return made
	})
	l.choices = choices{sortedChoices(outcomes), sortedChoices(recipes), sortedChoices(targets)}
	return l
}

func sortedChoices(counts map[string]int) []choice {
	list := []choice{}
	for name, n := range counts {
		list = append(list, choice{name, n})
	}
	slices.SortFunc(list, func(a, b choice) int { return cmp.Or(cmp.Compare(b.Assets, a.Assets), strings.Compare(a.Name, b.Name)) })
	return list
}

// reasonsText returns the reasons why a run last worked on an asset.
func reasonsText(a *survey.Asset) string { return strings.Join(a.Last.Reasons, "; ") }

// A row is an asset in the table.
type row struct {
	Path    execute.Path  `json:"path"`
	Target  string        `json:"target,omitempty"`
	Recipe  string        `json:"recipe"`
	Outcome string        `json:"outcome"`
	At      *time.Time    `json:"at,omitempty"`
	In      int64         `json:"in"`
	Out     int64         `json:"out"`
	Took    time.Duration `json:"cook_ns"`
	Why     string        `json:"why,omitempty"`
	Warned  bool          `json:"warned,omitempty"`
	Failed  bool          `json:"failed,omitempty"`
}

func rowOf(a *survey.Asset) row {
	r := row{
		Path: execute.Path(a.Path), Target: a.Target, Recipe: a.Method.Recipe, Outcome: string(a.Last.Outcome), In: a.In, Out: a.Out(),
		Took: a.CookTime, Why: reasonsText(a), Warned: a.Warned, Failed: a.Failed,
	}
	if at := a.Last.At; !at.IsZero() && at.Unix() != 0 {
		r.At = &at
	}
	return r
}

// A page holds a range of the rows of a query.
type page struct {
	Seal    string  `json:"seal"`
	All     int     `json:"all"`
	Matched int     `json:"matched"`
	From    int     `json:"from"`
	Rows    []row   `json:"rows"`
	Sums    totals  `json:"sums"`
	Choices choices `json:"choices"`
}

// mostRows limits the number of rows in a page.
const mostRows = 500

func (p *project) answerRows(w http.ResponseWriter, req *http.Request) {
	list, err := p.table.currentListing()
	if err != nil {
		answerError(w, err)
		return
	}
	v := req.URL.Query()
	o := list.orderRows(queryOf(v))
	from, _ := strconv.Atoi(v.Get("from"))
	from = min(max(0, from), len(o.rows))
	n, _ := strconv.Atoi(v.Get("count"))
	n = min(max(0, n), mostRows, len(o.rows)-from)
	answer := page{Seal: list.Seal, All: len(list.all), Matched: len(o.rows), From: from, Rows: []row{}, Sums: o.totals, Choices: list.choices}
	for _, i := range o.rows[from : from+n] {
		answer.Rows = append(answer.Rows, rowOf(&list.all[i]))
	}
	webjson.Write(w, answer)
}

// An assetAnswer has everything that the table contains about one asset.
type assetAnswer struct {
	Row     row               `json:"row"`
	Seal    string            `json:"seal"`
	Reasons []string          `json:"reasons"`
	Options map[string]string `json:"options"`
	Outputs []output          `json:"outputs"`

	Dependencies []execute.Path `json:"dependencies"`
	Users        []execute.Path `json:"users"` // assets that read the source
	MoreUsers    int            `json:"more_users,omitempty"`

	Dir    string `json:"dir"`
	OutDir string `json:"out_dir"`
}

type output struct {
	Path execute.Path `json:"path"`
	Size int64        `json:"size"`
}

const mostUsers = 1000

func (p *project) answerAsset(w http.ResponseWriter, req *http.Request) {
	var name execute.Path
	name.UnmarshalText([]byte(req.URL.Query().Get("path")))
	list, a, err := p.table.findAssetOf(string(name), req.URL.Query().Get("target"))
	if err != nil {
		answerError(w, err)
		return
	}
	d := assetAnswer{
		Row: rowOf(a), Seal: list.Seal, Reasons: a.Last.Reasons, Options: a.Method.Options, Outputs: []output{},
		Dependencies: pathsOf(a.Dependencies), Dir: p.assets.Name(), OutDir: p.out,
	}
	users := list.users[a.Path]
	d.Users = pathsOf(users[:min(mostUsers, len(users))])
	d.MoreUsers = len(users) - len(d.Users)
	for _, o := range a.Outputs {
		d.Outputs = append(d.Outputs, output{execute.Path(o.Path), o.Size})
	}
	webjson.Write(w, d)
}

func pathsOf(names []string) []execute.Path {
	list := []execute.Path{}
	for _, n := range names {
		list = append(list, execute.Path(n))
	}
	return list
}

var errNoAsset = errors.New("no such asset in the output directory; it may have been removed since")

// findAssetOf returns the asset that a question names.
func (t *table) findAssetOf(name, target string) (*listing, *survey.Asset, error) {
	list, err := t.currentListing()
	if err != nil {
		return nil, nil, err
	}
	i, _ := list.findSource(name)
	for ; i < len(list.all) && list.all[i].Path == name; i++ {
		if list.all[i].Target == target {
			return list, &list.all[i], nil
		}
	}
	return nil, nil, errNoAsset
}

// findSource returns the first asset of a source, whatever its target.
func (l *listing) findSource(name string) (i int, ok bool) {
	return slices.BinarySearchFunc(l.all, name, func(a survey.Asset, name string) int { return strings.Compare(a.Path, name) })
}

// A query selects rows and their order.
type query struct {
	words                   string // words to find in the path or the reasons, ignoring case
	outcome, recipe, target string // "" matches any value
	run                     string // "last", or the start time of a run in RFC 3339; "" matches any run
	by                      string
	down                    bool
}

func queryOf(v url.Values) query {
	return query{
		words: strings.ToLower(v.Get("q")), outcome: v.Get("outcome"), recipe: v.Get("recipe"), target: v.Get("target"), run: v.Get("run"),
		by: v.Get("sort"), down: v.Get("down") != "",
	}
}

// An order holds the sorted rows of a query, and their total sizes and times.
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

// orderRows returns the sorted rows of a query. It keeps the last order, because scrolling requests
// the same order again and again.
func (l *listing) orderRows(q query) order {
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
	if compare := columnOrder(q.by); compare != nil {
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

// columnOrder returns the function that compares assets by a column, or nil: by default, rows are
// sorted by path.
func columnOrder(column string) func(a, b *survey.Asset) int {
	switch column {
	case "recipe":
		return func(a, b *survey.Asset) int { return strings.Compare(a.Method.Recipe, b.Method.Recipe) }
	case "outcome":
		return func(a, b *survey.Asset) int { return strings.Compare(string(a.Last.Outcome), string(b.Last.Outcome)) }
	case "why":
		return func(a, b *survey.Asset) int { return strings.Compare(reasonsText(a), reasonsText(b)) }
	case "at":
		return func(a, b *survey.Asset) int { return a.Last.At.Compare(b.Last.At) }
	case "in":
		return func(a, b *survey.Asset) int { return cmp.Compare(a.In, b.In) }
	case "out":
		return func(a, b *survey.Asset) int { return cmp.Compare(a.Out(), b.Out()) }
	case "ratio":
		return func(a, b *survey.Asset) int {
			return cmp.Compare(float64(a.Out())*float64(max(1, b.In)), float64(b.Out())*float64(max(1, a.In)))
		}
	case "cook_ns":
		return func(a, b *survey.Asset) int { return cmp.Compare(a.CookTime, b.CookTime) }
	}
	return nil
}
