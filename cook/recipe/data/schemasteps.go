package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	schemakind "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// mostSteps is how much work the check of some values may be: a schema applied to a
// value is one step, and so is each of its keywords' alternatives and each item that
// it looks at. A few nested alternatives ask for 2^depth of them, and each may leave
// an error behind.
func mostSteps(values int) int { return 200_000 + 100*values }

// stepsPerLook is how many steps lie between two looks at the context.
const stepsPerLook = 256

// Steps counts the work of package jsonschema, which knows neither a context nor a
// limit, and ends it by a panic with an ended.
//
// The package has no hook for each value that a schema is applied to, but it calls
// the format of a schema before all that costs time. So every schema is given one
// as it is compiled; what format it had is asked after the counting. A list of
// alternatives (enum) goes the same way: there it is a set, of which the length
// does not matter.
type steps struct {
	ctx   context.Context
	most  int
	taken int
	next  int // when to look at the context again
}

// ended is what a count that is over panics with.
type ended struct{ error }

var errSteps = errors.New("the check takes too many steps; the schema has alternatives in alternatives (anyOf, oneOf), or too many of them for so much data")

func (s *steps) take(n int) {
	if s.taken += n; s.taken < s.next {
		return
	}
	s.next = s.taken + stepsPerLook
	if err := s.ctx.Err(); err != nil {
		panic(ended{err})
	}
	if s.taken > s.most {
		panic(ended{errSteps})
	}
}

// into makes a compiler count.
func (s *steps) into(c *jsonschema.Compiler) {
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: schemaBase + "/steps", Compile: s.compile})
	c.AssertVocabs()
}

// compile is called for every schema that is an object, when all else of it is
// compiled.
func (s *steps) compile(c *jsonschema.CompilerContext, keywords map[string]any) (jsonschema.SchemaExt, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	schema := c.Enqueue(nil) // what is being compiled
	once, each := 1, 1       // steps, and steps for each item of a value
	for _, name := range []string{"allOf", "anyOf", "oneOf", "required", "dependencies", "dependentSchemas", "dependentRequired"} {
		once += width(keywords[name])
	}
	each += width(keywords["patternProperties"])
	var among map[string]bool
	if schema.Enum != nil {
		among = map[string]bool{}
		for _, v := range schema.Enum.Values {
			among[canonical(v)] = true
		}
	}
	format, enum := schema.Format, schema.Enum
	schema.Format, schema.Enum = &jsonschema.Format{Name: "steps"}, nil
	if format != nil {
		schema.Format.Name = format.Name
	}
	schema.Format.Validate = func(v any) error {
		s.take(once + each*width(v))
		if enum != nil && !among[canonical(v)] {
			return &notAmong{schemakind.Enum{Got: v, Want: enum.Values}}
		}
		if format != nil {
			return format.Validate(v)
		}
		return nil
	}
	return nil, nil
}

// notAmong is the error of a value that enum does not name.
type notAmong struct{ schemakind.Enum }

func (*notAmong) Error() string { return "not among the values of enum" }

// width is how many items a value has, or some for the length of a string.
func width(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case string:
		return len(v) / 64
	}
	return 0
}

// canonical writes a value so that equal values, and no others, are written alike.
func canonical(v any) string {
	var b strings.Builder
	appendCanonical(&b, v)
	return b.String()
}

func appendCanonical(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		fmt.Fprintf(b, "%d:%s", len(v), v)
	case json.Number:
		d, ok := parseDecimal(v.String())
		if !ok { // an exponent that no value of a checked file has
			b.WriteString("?" + v.String())
			return
		}
		digits := strings.TrimRight(d.digits, "0")
		switch {
		case digits == "":
			b.WriteString("+0")
			return
		case d.negative:
			b.WriteByte('-')
		default:
			b.WriteByte('+')
		}
		b.WriteString(digits + "e" + strconv.FormatInt(d.exp+int64(len(d.digits)-len(digits)), 10))
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			appendCanonical(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		b.WriteByte('{')
		for _, name := range names {
			appendCanonical(b, name)
			appendCanonical(b, v[name])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default: // null, true, false
		fmt.Fprint(b, v)
	}
}
