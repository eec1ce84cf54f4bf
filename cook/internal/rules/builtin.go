package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A row is a built-in rule. Every other rule overrides it. It assigns a recipe, and perhaps an
// option, to files with an extension in upper or lower case.
type row struct {
	recipe string
	match  string // equivalent pattern, for messages
	hint   recipe.Hint
	holder *recipe.Recipe // recipe whose outputs may contain the file; may be nil
}

// A table has the built-in rules, which come from the declarations of the recipes. The first row of
// a recipe has no hint. It is followed by a row for each hint of the recipe.
type table struct {
	rows   []row                   // row 0 applies to all other files
	first  map[string]int          // first row of a recipe, by extension
	hinted []func(path string) int // functions that choose a row by the hint in a path, by first row
	// recognizes maps a recipe's first row to the function that reports whether a file is for the
	// recipe. A recipe without a function takes all files with its extensions.
	recognizes map[int]func(head []byte) bool
	head       func(path string) ([]byte, error) // returns the first bytes of a file; may be nil
}

func newBuiltinTable(recipes *recipeset.Set) table {
	t := table{rows: []row{{recipe: recipeset.Fallback, match: "**"}}, first: map[string]int{}, hinted: make([]func(string) int, 1), recognizes: map[int]func([]byte) bool{}}
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
			t.addContainedFiles(&r, r.Extracts[i].Holds)
		}
	}
	return t
}

// addContainedFiles adds a row for files that the outputs of a recipe may contain.
func (t *table) addContainedFiles(r *recipe.Recipe, extensions []string) {
	var letters []string
	for _, ext := range extensions {
		if _, cooked := t.first[ext]; !cooked {
			t.first[ext] = len(t.rows)
			letters = append(letters, ext[1:])
		}
	}
	if len(letters) > 0 {
		t.rows = append(t.rows, row{recipe: recipeset.Fallback, match: "*." + braces(letters), holder: r})
		t.hinted = append(t.hinted, nil)
	}
}

// braces joins words into the alternatives of a pattern.
func braces(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return "{" + strings.Join(words, ",") + "}"
}

// maxExtension is at least the length in bytes of every extension of a recipe.
const maxExtension = 64

// rowOfPath returns the row for a path. Like recipe.Ext, it finds no extension if the only dot is
// the first character. Unlike recipe.Ext, it does not allocate.
func (t *table) rowOfPath(path string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i > maxExtension {
		return 0
	}
	var lower [maxExtension]byte
	n := copy(lower[:], name[i:])
	for j, c := range lower[:n] {
		lower[j] = lowerASCII(c)
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

// rejects reports whether a file has the extension of a recipe that does not recognize the content.
func (t *table) rejects(path string, row int) bool {
	recognizes := t.recognizes[row]
	if recognizes == nil || t.head == nil {
		return false
	}
	head, err := t.head(path)
	return err == nil && !recognizes(head)
}

// likelyRecipe returns the recipe for the extensions of all patterns. It returns "" if an extension
// has no recipe, or another one.
func (t *table) likelyRecipe(patterns []string) (name string) {
	for _, text := range patterns {
		row := t.rowOfPath("a" + path.Ext(text))
		if row == 0 || name != "" && name != t.rows[row].recipe {
			return ""
		}
		name = t.rows[row].recipe
	}
	return name
}

// ReadHeads sets the function that reads the first recipe.HeadSize bytes of a source. Recipes
// recognize their sources by these bytes. Without the function, recipes accept all sources with
// their extensions.
func (s *Set) ReadHeads(head func(path string) ([]byte, error)) { s.builtin.head = head }

// Unrecognized returns the recipe that lists the extension of a source but does not recognize its
// content, or "". Such a source is copied unless a rule names a recipe.
func (s *Set) Unrecognized(path string) string {
	row := s.builtin.rowOfPath(path)
	if !s.builtin.rejects(path, row) {
		return ""
	}
	return s.builtin.rows[row].recipe
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
