package data

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A typeSet has a bit for each of typeNames.
type typeSet uint8

// typeNames are the names of types: the kinds of values in their order, and integer.
var typeNames = []string{"null", "boolean", "number", "string", "array", "object", "integer"}

const integer = 6

// String names a kind as JSON Schema does.
func (k kind) String() string { return typeNames[k] }

// own checks the assertions of a schema about the value itself.
func (c *checker) own(s *schema, v *value, found *violations) bool {
	ok := true
	if s.types != 0 && !s.types.has(v) {
		var want []string
		for i, name := range typeNames {
			if s.types&(1<<i) != 0 {
				want = append(want, name)
			}
		}
		ok = c.wrong(found, v, "got %s, want %s", v.kind, strings.Join(want, " or "))
	}
	if s.enum != nil && !s.enum[c.canonical(v)] {
		ok = c.wrong(found, v, "%s", amongValues(s.enumShown))
	}
	if s.constant != nil && c.canonical(v) != canonical(s.constant) {
		ok = c.wrong(found, v, "%s", amongValues([]*value{s.constant}))
	}
	switch v.kind {
	case number:
		ok = c.checkNumber(s, v, found) && ok
	case text:
		ok = c.text(s, v, found) && ok
	case list:
		ok = c.size(v, "items", s.minItems, s.maxItems, len(v.items), found) && ok
		if s.unique {
			ok = c.unique(v, found) && ok
		}
	case object:
		ok = c.size(v, "properties", s.minProperties, s.maxProperties, len(v.items), found) && ok
		ok = c.required(v, s.required, found) && ok
	}
	return ok
}

// has reports whether a value has one of the types.
func (t typeSet) has(v *value) bool {
	if t&(1<<v.kind) != 0 || t&(1<<integer) == 0 || v.kind != number {
		return t&(1<<v.kind) != 0
	}
	d, ok := parseDecimal(v.text)
	_, other := special(v.text)
	return ok && !other && d.isWhole()
}

func (c *checker) checkNumber(s *schema, v *value, found *violations) bool {
	if s.minimum == nil && s.maximum == nil && s.exclusiveMinimum == nil && s.exclusiveMaximum == nil && s.multipleOf == nil {
		return true
	}
	if _, ok := special(v.text); ok {
		return c.wrong(found, v, "%s cannot be compared", v.text)
	}
	d, ok := parseDecimal(v.text)
	if !ok || len(d.digits) > mostDigits {
		return c.wrong(found, v, "%.40s is too long or too large to be compared", v.text)
	}
	c.step(len(d.digits) / 16)
	good := true
	for _, limit := range []struct {
		name  string
		bound *bound
		right func(order int) bool
	}{
		{"minimum", s.minimum, func(order int) bool { return order >= 0 }},
		{"maximum", s.maximum, func(order int) bool { return order <= 0 }},
		{"exclusiveMinimum", s.exclusiveMinimum, func(order int) bool { return order > 0 }},
		{"exclusiveMaximum", s.exclusiveMaximum, func(order int) bool { return order < 0 }},
	} {
		if limit.bound != nil && !limit.right(d.compare(limit.bound.decimal)) {
			good = c.wrong(found, v, "%s: got %s, want %s", limit.name, shorten(v.text), limit.bound.shown)
		}
	}
	if s.multipleOf != nil {
		c.step(len(d.digits)*len(s.multipleOf.digits)/1024 + len(s.multipleOf.digits)/16)
		if !d.multipleOf(s.multipleOf.decimal) {
			good = c.wrong(found, v, "multipleOf: got %s, want %s", shorten(v.text), s.multipleOf.shown)
		}
	}
	return good
}

func (c *checker) text(s *schema, v *value, found *violations) bool {
	ok := true
	if s.minLength >= 0 || s.maxLength >= 0 {
		c.step(len(v.text) / 1024)
		ok = c.size(v, "characters", s.minLength, s.maxLength, utf8.RuneCountInString(v.text), found)
	}
	if s.pattern != nil && c.step(len(v.text)/64) && !s.pattern.MatchString(v.text) {
		ok = c.wrong(found, v, "'%s' does not match pattern '%s'", shorten(v.text), shorten(s.pattern.String()))
	}
	if s.format != "" && c.step(len(v.text)/64) && !satisfies(s.format, v.text) {
		ok = c.wrong(found, v, "'%s' is no %s", shorten(v.text), s.format)
	}
	return ok
}

// size checks the length of a value.
func (c *checker) size(v *value, what string, least, most, have int, found *violations) bool {
	if have < least {
		return c.wrong(found, v, "%d %s, want at least %d", have, what, least)
	}
	if most >= 0 && have > most {
		return c.wrong(found, v, "%d %s, want at most %d", have, what, most)
	}
	return true
}

func (c *checker) unique(v *value, found *violations) bool {
	first := map[string]int{}
	for i, item := range v.items {
		form := c.canonical(item)
		if j, twice := first[form]; twice {
			return c.wrong(found, v, "items %d and %d are equal", j, i)
		}
		first[form] = i
	}
	return true
}

// required checks that an object has all of these properties.
func (c *checker) required(v *value, names []string, found *violations) bool {
	if len(names) == 0 {
		return true
	}
	has := v.has
	if len(names) > 4 && len(v.keys) > 16 {
		keys := make(map[string]bool, len(v.keys))
		for _, key := range v.keys {
			keys[key] = true
		}
		has = func(name string) bool { return keys[name] }
	}
	c.step(len(names) + len(v.keys)/16)
	var missing []string
	for _, name := range names {
		if !has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 1 {
		return c.wrong(found, v, "missing property '%s'", shorten(missing[0]))
	}
	return len(missing) == 0 || c.wrong(found, v, "missing properties %s", showMany(missing[:min(len(missing), mostNames)], len(missing)))
}

// has reports whether an object has a key.
func (v *value) has(key string) bool { return slices.Contains(v.keys, key) }

// canonical returns the canonical form of a value, and counts the work.
func (c *checker) canonical(v *value) string {
	form := canonical(v)
	c.step(len(form) / 64)
	return form
}

// canonical returns a text that is the same for equal values only.
func canonical(v *value) string { return string(appendCanonical(nil, v)) }

func appendCanonical(out []byte, v *value) []byte {
	switch v.kind {
	case boolean:
		return append(out, v.text...)
	case text:
		return appendQuoted(out, v.text)
	case number:
		return append(out, canonicalNumber(v.text)...)
	case list:
		out = append(out, '[')
		for _, item := range v.items {
			out = append(appendCanonical(out, item), ',')
		}
		return append(out, ']')
	case object:
		order := make([]int, len(v.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.keys[i], v.keys[j]) })
		out = append(out, '{')
		for _, i := range order {
			out = append(appendQuoted(out, v.keys[i]), ':')
			out = append(appendCanonical(out, v.items[i]), ',')
		}
		return append(out, '}')
	}
	return append(out, "null"...)
}
