package data

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A kind is what a value is.
type kind uint8

const (
	null kind = iota
	boolean
	number   // text is as in JSON, or "NaN", "Infinity", "-Infinity"
	text     // text is the string
	list     // items
	object   // items, and keys beside them
	yes      = "true"
	no       = "false"
	notANum  = "NaN"
	infinite = "Infinity"
)

// A value is one value of a file and, if it is a list or an object, all below it.
type value struct {
	kind  kind
	line  int32 // where it stands, from 1; 0 if that is not known
	col   int32 // in characters, from 1
	text  string
	items []*value
	keys  []string
}

// at names the place of a value, for messages.
func (v *value) at() string {
	if v.line == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d: ", v.line, v.col)
}

// errorf is an error about a value. The path says where it lies, if its place in
// the file is not known.
func (v *value) errorf(path []string, format string, args ...any) error {
	where := v.at()
	if where == "" {
		where = "at " + pointer(path) + ": "
	}
	return fmt.Errorf("%s%s", where, fmt.Sprintf(format, args...))
}

// pointer shows a path as a JSON Pointer (RFC 6901), shortened if it is long.
func pointer(path []string) string {
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

// A builder makes values and sees to it that they do not become too many, too deep
// or unwanted.
type builder struct {
	ctx   context.Context
	made  int
	depth int

	decimalComma bool // in cells of tables
}

const (
	// maxDepth is how deep lists and objects may lie in one another.
	maxDepth = 1000
	// maxValues is how many values a file may have.
	maxValues = 16 << 20
	// step is how many values are made or written between two looks at the context:
	// less than a millisecond's worth.
	step = 4096
)

// make makes a value at a place.
func (b *builder) make(k kind, line, col int) (*value, error) {
	if b.made++; b.made%step == 0 {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
	}
	v := &value{kind: k, line: int32(line), col: int32(col)}
	if b.made > maxValues {
		return nil, v.errorf(nil, "more than %d values; split the file", maxValues)
	}
	return v, nil
}

// down goes into a list or object and up out of it.
func (b *builder) down(v *value) error {
	if b.depth++; b.depth > maxDepth {
		return v.errorf(nil, "nested deeper than %d levels", maxDepth)
	}
	return nil
}

func (b *builder) up() { b.depth-- }

// oneLine is what a library says, without line ends, shortened if it is very long.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300] + "..."
	}
	return s
}
