package rules

import (
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A row is one of the built-in rules, the weakest of all: by its extension, which is
// not case-sensitive, a file gets a recipe and perhaps an option.
type row struct {
	recipe string
	match  string // the pattern that says the same, for people
	hint   recipe.Hint
}

// A table is the built-in rules, made from what recipes say of themselves. A recipe's
// rows are one without a hint, then one for each of its hints.
type table struct {
	rows  []row          // the first is the fallback
	first map[string]int // a recipe's first row, by extension
	end   []int          // for a recipe's first row, the end of its rows
}

func newTable(recipes *recipe.Set) table {
	t := table{rows: []row{{recipe: recipe.Fallback, match: "**"}}, first: map[string]int{}, end: []int{1}}
	for _, name := range recipes.Names() {
		r, _ := recipes.Lookup(name)
		if len(r.Extensions) == 0 {
			continue
		}
		first := len(t.rows)
		var letters []string
		for _, ext := range r.Extensions {
			t.first[ext] = first
			letters = append(letters, ext[1:])
		}
		ending := "." + braces(letters)
		t.rows = append(t.rows, row{recipe: name, match: "*" + ending})
		for _, h := range r.Hints {
			t.rows = append(t.rows, row{recipe: name, match: "*" + braces(h.Suffixes) + ending, hint: h})
		}
		for range t.rows[first:] {
			t.end = append(t.end, len(t.rows))
		}
	}
	return t
}

// braces writes words as the alternatives of a pattern.
func braces(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return "{" + strings.Join(words, ",") + "}"
}

// maxExtension is longer than an extension of a recipe may be, in bytes.
const maxExtension = 64

// find returns the row of a file name. As for recipe.Ext, a name that only starts with
// a dot has no extension; unlike it, this makes no new string.
func (t *table) find(name string) int {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i > maxExtension {
		return 0
	}
	var lower [maxExtension]byte
	n := copy(lower[:], name[i:])
	for j, c := range lower[:n] {
		lower[j] = lowered(c)
	}
	first, ok := t.first[string(lower[:n])]
	if !ok {
		return 0
	}
	for at := first + 1; at < t.end[first]; at++ {
		if slices.ContainsFunc(t.rows[at].hint.Suffixes, func(s string) bool { return endsIn(name[:i], s) }) {
			return at
		}
	}
	return first
}

// endsIn reports whether a name ends in a suffix, which is in lower case.
func endsIn(name, suffix string) bool {
	if len(name) < len(suffix) {
		return false
	}
	name = name[len(name)-len(suffix):]
	for i := range len(name) {
		if lowered(name[i]) != suffix[i] {
			return false
		}
	}
	return true
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
