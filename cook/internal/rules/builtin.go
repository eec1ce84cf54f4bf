package rules

import (
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A row is one of the built-in rules, the weakest of all: by its extension, which is
// not case-sensitive, a file gets a recipe and perhaps an option.
type row struct {
	recipe string
	match  string // the pattern that says the same, for people
	hint   recipe.Hint
	holder *recipe.Recipe // whose outputs may contain the file; nil for none
}

// A table is the built-in rules, made from what recipes say of themselves. A recipe's
// rows are one without a hint, then one for each of its hints.
type table struct {
	rows   []row                   // the first is the fallback
	first  map[string]int          // a recipe's first row, by extension
	hinted []func(path string) int // for a recipe's first row, which of the rows behind it; nil for none
	// recognizes holds, by a recipe's first row, the function that reports whether a file is for
	// the recipe. A recipe without one takes all files with its extensions.
	recognizes map[int]func(head []byte) bool
	head       func(path string) ([]byte, error) // reads the first bytes of a source; may be nil
}

func newTable(recipes *recipe.Set) table {
	t := table{rows: []row{{recipe: recipe.Fallback, match: "**"}}, first: map[string]int{}, hinted: make([]func(string) int, 1), recognizes: map[int]func([]byte) bool{}}
	for _, name := range recipes.Names() {
		r, _ := recipes.Lookup(name)
		if len(r.Extensions) == 0 {
			continue
		}
		first := len(t.rows)
		if r.Recognizes != nil {
			t.recognizes[first] = r.Recognizes
		}
		var letters []string
		for _, ext := range r.Extensions {
			t.first[ext] = first
			letters = append(letters, ext[1:])
		}
		ending := "." + braces(letters)
		t.rows = append(t.rows, row{recipe: name, match: "*" + ending})
		for _, h := range r.Hints {
			t.rows = append(t.rows, row{recipe: name, match: fmt.Sprintf("*%s whose path says %v", ending, h.Value), hint: h})
		}
		for range t.rows[first:] {
			t.hinted = append(t.hinted, r.Hinted)
		}
	}
	for _, name := range recipes.Names() {
		r, _ := recipes.Lookup(name)
		for i := range r.Extracts {
			t.addHeld(&r, r.Extracts[i].Holds)
		}
	}
	return t
}

// addHeld adds the row of the files that outputs of a recipe may contain.
func (t *table) addHeld(r *recipe.Recipe, extensions []string) {
	var letters []string
	for _, ext := range extensions {
		if _, cooked := t.first[ext]; !cooked {
			t.first[ext] = len(t.rows)
			letters = append(letters, ext[1:])
		}
	}
	if len(letters) > 0 {
		t.rows = append(t.rows, row{recipe: recipe.Fallback, match: "*." + braces(letters), holder: r})
		t.hinted = append(t.hinted, nil)
	}
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

// findKey returns the row of a path. As for recipe.Ext, a name that only starts with
// a dot has no extension; unlike it, this makes no new string.
func (t *table) findKey(path string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
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
	if hinted := t.hinted[first]; hinted != nil {
		return first + 1 + hinted(path)
	}
	return first
}

// ReadHeads sets the function that reads the first recipe.HeadSize bytes of a source. Recipes
// recognize their sources by these bytes. Without the function they take all sources with their
// extensions.
func (s *Set) ReadHeads(head func(path string) ([]byte, error)) { s.builtin.head = head }

// foreign reports whether a file has the extension of a recipe but is not recognized by it.
func (s *Set) foreign(path string, row int) bool {
	recognizes := s.builtin.recognizes[row]
	if recognizes == nil || s.builtin.head == nil {
		return false
	}
	head, err := s.builtin.head(path)
	return err == nil && !recognizes(head)
}

// Unrecognized returns the recipe that has the extension of a source but does not recognize the
// source, "" for none. Such a source is copied unless a rule names a recipe.
func (s *Set) Unrecognized(path string) string {
	row := s.builtin.findKey(path)
	if !s.foreign(path, row) {
		return ""
	}
	return s.builtin.rows[row].recipe
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
