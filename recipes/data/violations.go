package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// mostViolations is how many are told of in one line.
	mostViolations = 3
	// mostNames is how many names a violation lists.
	mostNames = 20
)

// A violation is one thing that is wrong with one value.
type violation struct {
	at   *value
	path string // decides where values do not know their place
	what string
}

func (v violation) compare(w violation) int {
	return cmp.Or(v.comparePlace(w), cmp.Compare(v.what, w.what))
}

func (v violation) comparePlace(w violation) int {
	return cmp.Or(cmp.Compare(v.at.line, w.at.line), cmp.Compare(v.at.col, w.at.col), cmp.Compare(v.path, w.path))
}

// Violations counts what is wrong and keeps what stands first in the file. Nil notes
// nothing.
type violations struct {
	all   int
	first []violation // sorted
}

// sub returns another one for what may turn out not to count.
func (f *violations) sub() *violations {
	if f == nil {
		return nil
	}
	return &violations{}
}

// note counts a violation. Saying what is wrong costs more than all else, so that is
// done only for the first ones.
func (f *violations) note(at *value, path []string, format string, args ...any) {
	if f == nil {
		return
	}
	f.all++
	v := violation{at: at}
	if len(f.first) == mostViolations {
		last := f.first[mostViolations-1]
		if order := cmp.Or(cmp.Compare(at.line, last.at.line), cmp.Compare(at.col, last.at.col)); order > 0 {
			return
		}
	}
	v.path = strings.Join(path, "/")
	v.what = fmt.Sprintf("%sat %s: %s", at.at(), pointer(path), oneLine(fmt.Sprintf(format, args...)))
	f.insert(v)
}

// insert keeps a violation if it is one of the first. The same one again does not
// count.
func (f *violations) insert(v violation) {
	i, twice := slices.BinarySearchFunc(f.first, v, violation.compare)
	if twice {
		f.all--
		return
	}
	f.first = slices.Insert(f.first, i, v)
	f.first = f.first[:min(len(f.first), mostViolations)]
}

// countAll adds the violations of another list.
func (f *violations) countAll(other *violations) {
	if f == nil {
		return
	}
	f.all += other.all
	for _, v := range other.first {
		f.insert(v)
	}
}

// error is one line that says what is wrong where: the first that stand in the file,
// and how many more there are.
func (f *violations) error(schema string) error {
	if f.all == 0 {
		return nil
	}
	more := ""
	if n := f.all - len(f.first); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	var line []string
	for _, v := range f.first {
		line = append(line, v.what)
	}
	return fmt.Errorf("%s%s (schema %s)", strings.Join(line, "; "), more, schema)
}

// shorten cuts what is very long.
func shorten(s string) string {
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}

func showNames(names []string, quote string) string {
	var shown []string
	for _, name := range names {
		shown = append(shown, strings.TrimSpace(quote+shorten(name)+quote))
	}
	return strings.Join(shown, ", ")
}

// showMany shows the first names of so many.
func showMany(names []string, all int) string {
	slices.Sort(names)
	shown := showNames(names, "'")
	if n := all - len(names); n > 0 {
		shown += fmt.Sprintf(" and %d more", n)
	}
	return shown
}

// amongValues says which values a value is none of.
func amongValues(values []*value) string {
	var shown []string
	for _, v := range values[:min(len(values), mostNames)] {
		if v.kind == list || v.kind == object {
			return "it is none of the values that are allowed"
		}
		shown = append(shown, shorten(canonicalShown(v)))
	}
	if len(shown) < len(values) {
		shown = append(shown, "...")
	}
	return "value must be " + map[bool]string{true: "one of ", false: ""}[len(values) > 1] + strings.Join(shown, ", ")
}

// canonicalShown shows a value that is no list and no object.
func canonicalShown(v *value) string {
	switch v.kind {
	case text:
		return "'" + v.text + "'"
	case null:
		return "null"
	}
	return v.text
}
