package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// mostViolations limits the reported violations.
	mostViolations = 3
	// mostNames limits the names in a violation.
	mostNames = 20
)

// A violation is one error of one value.
type violation struct {
	at   *value
	path string // decides the order of values without a place
	what string
}

func (v violation) compare(w violation) int {
	return cmp.Or(v.comparePlace(w), cmp.Compare(v.what, w.what))
}

func (v violation) comparePlace(w violation) int {
	return cmp.Or(cmp.Compare(v.at.line, w.at.line), cmp.Compare(v.at.col, w.at.col), cmp.Compare(v.path, w.path))
}

// violations counts the violations and keeps the first ones of the file. nil ignores them.
type violations struct {
	all   int
	first []violation // sorted
}

// sub returns a separate list for violations that may be discarded.
func (f *violations) sub() *violations {
	if f == nil {
		return nil
	}
	return &violations{}
}

// note counts a violation. It formats the message only for the first ones, because that is
// expensive.
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

// insert keeps a violation if it is one of the first. Repeated violations do not count.
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

// error returns one line with the first violations and their places, and the number of the
// others.
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

// shorten clips long text.
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

// showMany shows the first names of all.
func showMany(names []string, all int) string {
	slices.Sort(names)
	shown := showNames(names, "'")
	if n := all - len(names); n > 0 {
		shown += fmt.Sprintf(" and %d more", n)
	}
	return shown
}

// amongValues lists the allowed values in a message.
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

// canonicalShown returns the text of a value that is not a list or an object.
func canonicalShown(v *value) string {
	switch v.kind {
	case text:
		return "'" + v.text + "'"
	case null:
		return "null"
	}
	return v.text
}
