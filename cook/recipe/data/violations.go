package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	schemakind "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// mostViolations is how many are told of in one line.
const mostViolations = 3

// violations is one line that says what is wrong where: the first that stand in the
// file, and how many more there are.
func violations(ctx context.Context, root *value, schema string, e *jsonschema.ValidationError) error {
	f := &finder{ctx: ctx, index: map[*value]map[string]int{}}
	if err := f.walk(root, e); err != nil {
		return err
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

// A violation is one thing that is wrong with one value.
type violation struct {
	at   *value
	path string // decides where values do not know their place
	what string
}

func (v violation) compare(w violation) int {
	return cmp.Or(cmp.Compare(v.at.line, w.at.line), cmp.Compare(v.at.col, w.at.col), cmp.Compare(v.path, w.path), cmp.Compare(v.what, w.what))
}

// A finder finds the first violations among those of a tree of errors, whose order
// is by chance: package jsonschema goes through maps.
type finder struct {
	ctx   context.Context
	seen  int
	all   int
	first []violation // sorted

	// index has the items of the objects that were passed, by key.
	index map[*value]map[string]int
}

func (f *finder) walk(root *value, e *jsonschema.ValidationError) error {
	if f.seen++; f.seen%stepsPerLook == 0 {
		if err := f.ctx.Err(); err != nil {
			return err
		}
	}
	for _, cause := range e.Causes {
		if err := f.walk(root, cause); err != nil {
			return err
		}
	}
	if len(e.Causes) == 0 {
		f.note(f.find(root, e.InstanceLocation), e)
	}
	return nil
}

// note counts a violation and keeps it if it is one of the first. Saying what is
// wrong costs more than all else, so that is done last.
func (f *finder) note(at *value, e *jsonschema.ValidationError) {
	f.all++
	v := violation{at: at, path: strings.Join(e.InstanceLocation, "/")}
	if len(f.first) == mostViolations {
		last := f.first[mostViolations-1]
		if cmp.Or(cmp.Compare(at.line, last.at.line), cmp.Compare(at.col, last.at.col), cmp.Compare(v.path, last.path)) > 0 {
			return
		}
	}
	v.what = fmt.Sprintf("%sat %s: %s", at.at(), pointer(e.InstanceLocation), reason(e.ErrorKind))
	i, twice := slices.BinarySearchFunc(f.first, v, violation.compare)
	if twice {
		f.all--
		return
	}
	f.first = slices.Insert(f.first, i, v)
	f.first = f.first[:min(len(f.first), mostViolations)]
}

// reason says in one line what is wrong, the same each time.
func reason(what jsonschema.ErrorKind) string {
	switch k := what.(type) {
	case *schemakind.Format:
		if enum := (*notAmong)(nil); errors.As(k.Err, &enum) {
			what = &schemakind.Enum{Got: enum.Got, Want: enum.Want[:min(len(enum.Want), 20)]}
		}
	case *schemakind.AdditionalProperties:
		slices.Sort(k.Properties)
		k.Properties = k.Properties[:min(len(k.Properties), 20)]
	}
	return oneLine(what.LocalizedString(message.NewPrinter(language.English)))
}

// find returns the value at a path, or the last on the way there.
func (f *finder) find(v *value, path []string) *value {
	for _, name := range path {
		i := -1
		if v.kind == object {
			if n, ok := f.keys(v)[name]; ok {
				i = n
			}
		} else if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(v.items) {
			i = n
		}
		if i < 0 {
			return v
		}
		v = v.items[i]
	}
	return v
}

// keys returns where each key of an object is.
func (f *finder) keys(v *value) map[string]int {
	known := f.index[v]
	if known == nil {
		known = make(map[string]int, len(v.keys))
		for i, key := range v.keys {
			known[key] = i
		}
		f.index[v] = known
	}
	return known
}
