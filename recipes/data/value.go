package data

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A kind is the type of a value.
type kind uint8

const (
	null kind = iota
	boolean
	number   // value.text is the number in JSON syntax, or "NaN", "Infinity", "-Infinity"
	text     // value.text is the string
	list     // value.items are the items
	object   // value.items are the values of value.keys
	yes      = "true"
	no       = "false"
	notANum  = "NaN"
	infinite = "Infinity"
)

// A value is a value in a file, with all values nested in it.
type value struct {
	kind  kind
	line  int32 // line, from 1; 0 if unknown
	col   int32 // column in characters, from 1
	text  string
	items []*value
	keys  []string
}

// placePrefix returns the position of a value, as a prefix for messages.
func (v *value) placePrefix() string {
	if v.line == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d: ", v.line, v.col)
}

// valueErrorf returns an error about a value. If the value's position is unknown, the error names
// its path in the tree.
func (v *value) valueErrorf(path []string, format string, args ...any) error {
	where := v.placePrefix()
	if where == "" {
		where = "at " + jsonPointerOf(path) + ": "
	}
	return fmt.Errorf("%s%s", where, fmt.Sprintf(format, args...))
}

// jsonPointerOf returns a path as a JSON Pointer (RFC 6901), shortened if it is long.
func jsonPointerOf(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(p, "~", "~0"), "/", "~1"))
	}
	s := b.String()
	if s == "" {
		return "the top"
	}
	if len(s) > 100 {
		s = s[:50] + "..." + s[len(s)-47:]
	}
	return s
}

// sortKeys sorts the keys of all objects by their bytes.
func (v *value) sortKeys(ctx context.Context) error {
	if v.kind == object || len(v.items) > step {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if v.kind == object {
		order := make([]int, len(v.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v.keys[i], v.keys[j]) })
		keys, items := make([]string, len(order)), make([]*value, len(order))
		for to, from := range order {
			keys[to], items[to] = v.keys[from], v.items[from]
		}
		v.keys, v.items = keys, items
	}
	for _, item := range v.items {
		if err := item.sortKeys(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A builder makes values, and limits their number and depth.
type builder struct {
	ctx   context.Context
	made  int
	depth int

	decimalComma bool // whether numbers in cells have a decimal comma
	otherKeys    bool // whether a key was a number, true, false or null, and was converted to text
}

const (
	// maxDepth limits the nesting of lists and objects.
	maxDepth = 1000
	// maxValues limits the number of values in a file.
	maxValues = 16 << 20
	// step is the number of values between two checks of the context. Reading that many values
	// takes less than a millisecond.
	step = 4096
)

// newValue makes a value at the given position.
func (b *builder) newValue(k kind, line, col int) (*value, error) {
	if b.made++; b.made%step == 0 {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
	}
	v := &value{kind: k, line: int32(line), col: int32(col)}
	if b.made > maxValues {
		return nil, v.valueErrorf(nil, "the file has more than %d values; split it", maxValues)
	}
	return v, nil
}

// enterLevel enters a list or object. The method up leaves it.
func (b *builder) enterLevel(v *value) error {
	if b.depth++; b.depth > maxDepth {
		return v.valueErrorf(nil, "the value is nested deeper than %d levels", maxDepth)
	}
	return nil
}

func (b *builder) leaveLevel() { b.depth-- }

// places converts ascending offsets in a text to lines and columns.
type places struct {
	text []byte

	// seen is the offset where counting lines stopped. line and col are the position of that
	// offset, from 0.
	seen, line, col int
}

// placeOf returns the line and column of an offset, both from 1. Offsets must not decrease
// between calls.
func (p *places) placeOf(offset int) (line, col int) {
	if offset > p.seen {
		passed := p.text[p.seen:offset]
		if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
			p.line, p.col = p.line+n, 0
			passed = passed[1+bytes.LastIndexByte(passed, '\n'):]
		}
		p.col += utf8.RuneCount(passed)
		p.seen = offset
	}
	return p.line + 1, p.col + 1
}
