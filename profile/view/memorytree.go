package view

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/memory"
)

// Limits of queries.
const (
	mostNodes = 5000
	mostSteps = 200
	mostText  = 2000 // bytes of a name
)

// A selection chooses rows: by their names, and by the tree node above them.
type selection struct {
	filter memory.Filter
	by     []memory.Part
	path   []memory.Step
}

// parseSelection reads worker, group, name, scope, empty, by and path. A path has one value for
// each step, "kind:name".
func parseSelection(q url.Values) (s selection, err error) {
	for name, values := range q {
		for _, text := range values {
			if len(text) > mostText {
				return s, fmt.Errorf("%.20s has %d bytes; at most %d are allowed", name, len(text), mostText)
			}
		}
	}
	s.filter = memory.Filter{Worker: q.Get("worker"), Group: q.Get("group"), Name: q.Get("name"), Scope: q.Get("scope"), Empty: q.Get("empty") == "1"}
	s.by = []memory.Part{"worker", "group", "name", "scope"}
	if text := q.Get("by"); text != "" {
		if s.by, err = memory.ParseParts(text); err != nil {
			return s, err
		}
	}
	if len(q["path"]) > mostSteps {
		return s, fmt.Errorf("the path has %d steps; at most %d are allowed", len(q["path"]), mostSteps)
	}
	for _, step := range q["path"] {
		kind, name, ok := strings.Cut(step, ":")
		if !ok {
			return s, fmt.Errorf("%.40q is not a step of a path; a step is kind:name", step)
		}
		s.path = append(s.path, memory.Step{Kind: memory.Part(kind), Name: name})
	}
	return s, nil
}

// takes reports whether the selection includes a key.
func (s selection) takes(k memory.Key) bool {
	if !s.filter.Takes(k) {
		return false
	}
	path := k.Path(nil, s.by)
	return len(path) >= len(s.path) && slices.Equal(path[:len(s.path)], s.path)
}

// number reads a number of a query, or returns otherwise if the query has none.
func number(q url.Values, name string, otherwise, least, most int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s is %.40q; it must be %d to %d", name, text, least, most)
	}
	return n, nil
}

// memoryTree serves the memory tree, or a subtree below a path, as JSON.
func (v *View) memoryTree(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	sel, err := parseSelection(q)
	if err != nil {
		webjson.Fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	most, err := number(q, "most", 2000, 1, mostNodes)
	if err != nil {
		webjson.Fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	skip, err := number(q, "skip", 0, 0, 1<<30)
	if err != nil {
		webjson.Fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	order := memory.Order(q.Get("order"))
	if order == "" {
		order = "bytes"
	}
	if !slices.Contains(memory.Orders, order) {
		webjson.Fail(w, http.StatusBadRequest, "unknown order %.40q; the orders are %v", order, memory.Orders)
		return
	}
	now, _, err := v.memory.rows(q.Get("snap"))
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	var tree *memory.Node
	if base := q.Get("base"); base == "" {
		tree = now.Tree(sel.filter, sel.by...)
	} else {
		was, _, err := v.memory.rows(base)
		if err != nil {
			webjson.Fail(w, http.StatusNotFound, "%v", err)
			return
		}
		tree = now.TreeSince(was, sel.filter, sel.by...)
	}
	if tree = tree.Find(sel.path); tree == nil {
		webjson.Fail(w, http.StatusNotFound, "this part of the tree no longer exists")
		return
	}
	tree.Prune(most, skip, order)
	tree.Arrange(order, q.Get("reverse") == "1")
	webjson.Write(w, tree)
}
