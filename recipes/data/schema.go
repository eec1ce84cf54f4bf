package data

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// checkSchema checks a tree against a schema. The path of the schema is relative to the asset
// directory.
//
// The package implements JSON Schema itself instead of using a library, for four reasons. The work
// must be limited, because nested alternatives can take exponential time. Numbers are compared by
// their digits. Errors name the position of a value in the file. Runs without a schema have no
// cost.
func checkSchema(ctx context.Context, job *recipe.Job, path string, root *value) error {
	files := &schemaFiles{ctx: ctx, job: job}
	set := newSchemaSet(ctx, files.loadSchemaFile)
	top, err := set.openSchema(path)
	if err != nil {
		return err
	}
	c := &checker{ctx: ctx, set: set, top: top}
	if err := c.countValues(root); err != nil {
		return err
	}
	c.most = mostSteps(c.taken)
	c.taken = 0
	found := &violations{}
	c.applySchema(top, root, nil, nil, found)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.err != nil:
		return c.err
	}
	return found.violationsError(path)
}

// mostSteps returns the maximum number of steps for checking a number of values. Applying a schema
// to a value is one step. Each item and each alternative is another. Nested alternatives can take
// 2^depth steps.
func mostSteps(values int) int { return 200_000 + 100*values }

const (
	// stepsPerLook is the number of steps between two checks of the context.
	stepsPerLook = 256
	// mostNested limits nested applications of schemas. It exceeds the depth limit of data, because
	// several schemas that refer to each other may apply at each depth.
	mostNested = 20_000
)

// countSteps adds n steps of work, and reports whether the check may continue.
func (c *checker) countSteps(n int) bool {
	if c.err != nil {
		return false
	}
	if c.taken += n; c.taken < c.next {
		return true
	}
	c.next = c.taken + stepsPerLook
	if c.err = c.ctx.Err(); c.err == nil && c.most > 0 && c.taken > c.most {
		c.err = schemaError(c.top.resource, c.top.at, "the check takes too many steps; reduce nested alternatives (anyOf, oneOf) in the schema, or split the data")
	}
	return c.err == nil
}

// countValues counts every value of a tree as a step.
func (c *checker) countValues(v *value) error {
	if !c.countSteps(1) {
		return c.err
	}
	for _, item := range v.items {
		if err := c.countValues(item); err != nil {
			return err
		}
	}
	return nil
}

const (
	// mostViolations limits the reported violations.
	mostViolations = 3
	// mostNames limits the names listed in a violation.
	mostNames = 20
)

// A violation is an error in one value.
type violation struct {
	at   *value
	path string // sort key of a value without a position
	what string
}

func (v violation) compareViolation(w violation) int {
	return cmp.Or(v.comparePlace(w), cmp.Compare(v.what, w.what))
}

func (v violation) comparePlace(w violation) int {
	return cmp.Or(cmp.Compare(v.at.line, w.at.line), cmp.Compare(v.at.col, w.at.col), cmp.Compare(v.path, w.path))
}

// violations counts violations and keeps the first ones in the order of the file. A nil *violations
// discards all violations.
type violations struct {
	all   int
	first []violation // the first violations, sorted
}

// subViolations returns a separate list for violations that may be discarded.
func (f *violations) subViolations() *violations {
	if f == nil {
		return nil
	}
	return &violations{}
}

// addViolation counts a violation. It formats the message only for one of the first violations,
// because formatting is expensive.
func (f *violations) addViolation(at *value, path []string, format string, args ...any) {
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
	v.what = fmt.Sprintf("%sat %s: %s", at.placePrefix(), jsonPointerOf(path), plaintext.OneLine(fmt.Sprintf(format, args...)))
	f.insertViolation(v)
}

// insertViolation keeps a violation if it is one of the first. A repeated violation is not counted.
func (f *violations) insertViolation(v violation) {
	i, twice := slices.BinarySearchFunc(f.first, v, violation.compareViolation)
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
		f.insertViolation(v)
	}
}

// violationsError returns a one-line error with the first violations, their positions, and the
// number of other violations.
func (f *violations) violationsError(schema string) error {
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

// shortenText truncates long text.
func shortenText(s string) string {
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}

func showNames(names []string, quote string) string {
	var shown []string
	for _, name := range names {
		shown = append(shown, strings.TrimSpace(quote+shortenText(name)+quote))
	}
	return strings.Join(shown, ", ")
}

// showMany lists some names, and the number of the other names.
func showMany(names []string, all int) string {
	slices.Sort(names)
	shown := showNames(names, "'")
	if n := all - len(names); n > 0 {
		shown += fmt.Sprintf(" and %d more", n)
	}
	return shown
}

// amongValues lists the allowed values for a message.
func amongValues(values []*value) string {
	var shown []string
	for _, v := range values[:min(len(values), mostNames)] {
		if v.kind == list || v.kind == object {
			return "the value is not one of the allowed values"
		}
		shown = append(shown, shortenText(canonicalShown(v)))
	}
	if len(shown) < len(values) {
		shown = append(shown, "...")
	}
	return "value must be " + map[bool]string{true: "one of ", false: ""}[len(values) > 1] + strings.Join(shown, ", ")
}

// canonicalShown returns the text of a scalar value for a message.
func canonicalShown(v *value) string {
	switch v.kind {
	case text:
		return "'" + v.text + "'"
	case null:
		return "null"
	}
	return v.text
}
