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

// These are limits for queries.
const (
	mostNodes = 5000
	mostSteps = 200
	mostText  = 2000 // number of bytes in a name
)

// parseQuery reads worker, group, name, scope, empty, by and path. The path parameter occurs once
// for each step, as "kind:name".
func parseQuery(q url.Values) (s memory.Query, err error) {
	for name, values := range q {
		for _, text := range values {
			if len(text) > mostText {
				return s, fmt.Errorf("%.20s has %d bytes; at most %d are allowed", name, len(text), mostText)
			}
		}
	}
	s = memory.Query{Worker: q.Get("worker"), Group: q.Get("group"), Name: q.Get("name"), Scope: q.Get("scope"), Empty: q.Get("empty") == "1"}
	s.By = []memory.Part{"worker", "group", "name", "scope"}
	if text := q.Get("by"); text != "" {
		if s.By, err = memory.ParseParts(text); err != nil {
			return s, err
		}
	}
	if len(q["path"]) > mostSteps {
		return s, fmt.Errorf("the path has %d steps; at most %d are allowed", len(q["path"]), mostSteps)
	}
	for _, step := range q["path"] {
		kind, name, ok := strings.Cut(step, ":")
		if !ok {
			return s, fmt.Errorf("%.40q is not a step of a path; want kind:name", step)
		}
		s.Path = append(s.Path, memory.Step{Kind: memory.Part(kind), Name: name})
	}
	return s, nil
}

// number reads a numeric parameter of a query. If the query does not have the parameter, the result
// is the fallback value in otherwise.
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

// memoryTree serves the memory tree, or the subtree at a path, as JSON.
func (v *View) memoryTree(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	sel, err := parseQuery(q)
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
	order := treeOrder(q.Get("order"))
	if order == "" {
		order = orderBytes
	}
	if !slices.Contains(treeOrders, order) {
		webjson.Fail(w, http.StatusBadRequest, "unknown order %.40q; the orders are %v", order, treeOrders)
		return
	}
	now, _, err := v.memory.rows(q.Get("snap"))
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	if base := q.Get("base"); base != "" {
		if sel.Since, _, err = v.memory.rows(base); err != nil {
			webjson.Fail(w, http.StatusNotFound, "%v", err)
			return
		}
	}
	tree := now.Tree(sel)
	if tree == nil {
		webjson.Fail(w, http.StatusNotFound, "this part of the tree no longer exists")
		return
	}
	pruneTree(tree, most, skip, order)
	sortNodes(tree, order, q.Get("reverse") == "1")
	webjson.Write(w, tree)
}
