package data

import (
	"context"
	"errors"
)

// A checker applies schemas to values. After the first error, which it stores in err, its methods
// do nothing.
type checker struct {
	ctx  context.Context
	set  *schemaSet
	top  *schema
	path []string // path of the current value

	taken, next, most int // counters of steps; see countSteps
	active            []application
	err               error
}

// An application is a schema that is being applied to a value.
type application struct {
	schema *schema
	value  *value
}

// A scope is the current schema resource with the chain of resources that referred to it.
type scope struct {
	outer    *scope
	resource *resource
}

// itemMarks marks which items of a list or object have been evaluated.
type itemMarks []bool

func (s itemMarks) markSeen(i int) {
	if s != nil {
		s[i] = true
	}
}

// mergeSeen adds the marks of another value.
func (s itemMarks) mergeSeen(other itemMarks) {
	for i, yes := range other {
		if yes {
			s.markSeen(i)
		}
	}
}

// applySchema reports whether a value satisfies a schema. It adds violations to found, and marks
// the evaluated items of the value in judged. Both may be nil.
func (c *checker) applySchema(s *schema, v *value, outer *scope, judged itemMarks, found *violations) bool {
	if !c.countSteps(1) {
		return false
	}
	if s.never {
		return c.noteViolation(found, v, "the schema allows no value here; remove the value")
	}
	if !c.beginApplication(s, v) {
		return false
	}
	defer func() { c.active = c.active[:len(c.active)-1] }()
	in := outer
	if in == nil || in.resource != s.resource {
		in = &scope{outer, s.resource}
	}
	own := judged
	if s.lists.unevaluated != nil || s.objects.unevaluated != nil || judged != nil {
		own = make(itemMarks, len(v.items))
		c.countSteps(len(v.items) / 16)
	}
	ok := c.checkOwn(s, v, found)
	ok = c.applyInPlace(s, v, in, own, found) && ok
	switch v.kind {
	case list:
		ok = c.checkItems(s, v, in, own, found) && ok
	case object:
		ok = c.checkProperties(s, v, in, own, found) && ok
	}
	if ok && judged != nil {
		judged.mergeSeen(own)
	}
	return ok && c.err == nil
}

// beginApplication records that a schema is being applied to a value. It fails if the same schema
// is already being applied to the same value.
func (c *checker) beginApplication(s *schema, v *value) bool {
	last := len(c.active) - 1
	for i := last; i >= 0 && c.active[i].value == v; i-- {
		if c.active[i].schema == s {
			c.err = schemaError(s.resource, s.at, "the schema refers to itself endlessly; change the $ref")
			return false
		}
		if (last-i)%64 == 63 && !c.countSteps(1) {
			return false
		}
	}
	if len(c.active) > mostNested {
		c.err = schemaError(s.resource, s.at, "more than %d schemas refer to each other for one value; simplify the schemas", mostNested)
		return false
	}
	c.active = append(c.active, application{s, v})
	return true
}

// applyInPlace applies the subschemas that concern the value itself, not its items.
func (c *checker) applyInPlace(s *schema, v *value, in *scope, own itemMarks, found *violations) bool {
	ok := true
	for _, ref := range []*schema{s.ref, c.dynamicTarget(s.dynamic, in)} {
		if ref != nil {
			ok = c.applySchema(ref, v, in, own, found) && ok
		}
	}
	for _, all := range s.logic.allOf {
		ok = c.applySchema(all, v, in, own, found) && ok
	}
	if s.logic.anyOf != nil {
		ok = c.anyAccepts(s.logic.anyOf, v, in, own, found) && ok
	}
	if s.logic.oneOf != nil {
		ok = c.exactlyOneAccepts(s.logic.oneOf, v, in, own, found) && ok
	}
	if s.logic.not != nil && c.applySchema(s.logic.not, v, in, nil, nil) {
		ok = c.noteViolation(found, v, "the value matches the schema of \"not\", which it must not match")
	}
	if s.logic.when != nil {
		next := s.logic.otherwise
		if c.applySchema(s.logic.when, v, in, own, nil) {
			next = s.logic.then
		}
		if next != nil {
			ok = c.applySchema(next, v, in, own, found) && ok
		}
	}
	if v.kind == object {
		for _, d := range s.objects.dependents {
			if c.countSteps(len(v.keys)/64) && !v.hasKey(d.name) {
				continue
			}
			if d.schema != nil {
				ok = c.applySchema(d.schema, v, in, own, found) && ok
			}
			ok = c.checkRequired(v, d.required, found) && ok
		}
	}
	return ok
}

// dynamicTarget returns the target of a dynamic reference in the given scope.
func (c *checker) dynamicTarget(d *dynamicRef, in *scope) *schema {
	if d == nil || !d.moves {
		if d != nil {
			return d.first
		}
		return nil
	}
	to := d.first.at
	for ; in != nil && c.countSteps(1); in = in.outer {
		switch anchor := in.resource.dynamic[d.name]; {
		case d.name != "" && anchor != nil:
			to = anchor
		case d.name == "" && in.resource.recursive:
			to = in.resource.root
		}
	}
	s, err := c.set.compileSchema(to)
	if err != nil {
		c.err = errors.Join(c.err, err)
		return nil
	}
	return s
}

// anyAccepts checks that at least one of the schemas accepts a value.
func (c *checker) anyAccepts(any []*schema, v *value, in *scope, own itemMarks, found *violations) bool {
	ok := false
	tried := found.subViolations()
	for _, s := range any {
		if c.applySchema(s, v, in, own, tried) {
			if ok = true; own == nil {
				break
			}
		}
	}
	if !ok {
		found.countAll(tried)
	}
	return ok
}

// exactlyOneAccepts checks that exactly one of the schemas accepts a value.
func (c *checker) exactlyOneAccepts(any []*schema, v *value, in *scope, own itemMarks, found *violations) bool {
	first := -1
	tried := found.subViolations()
	for i, s := range any {
		if !c.applySchema(s, v, in, own, tried) {
			continue
		}
		if first >= 0 {
			return c.noteViolation(found, v, "the value matches alternatives %d and %d of oneOf, but may match only one", first+1, i+1)
		}
		first = i
	}
	if first < 0 {
		found.countAll(tried)
	}
	return first >= 0
}

// noteViolation records a violation.
func (c *checker) noteViolation(found *violations, v *value, format string, args ...any) bool {
	if c.err == nil {
		found.addViolation(v, c.path, format, args...)
	}
	return false
}
