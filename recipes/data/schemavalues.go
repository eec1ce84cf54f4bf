package data

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// valueRules are the keywords of a schema for values of any type.
type valueRules struct {
	types     typeSet
	enum      map[string]bool // canonical forms
	enumShown []*value
	constant  *value
}

// numberRules are the keywords for numbers.
type numberRules struct {
	multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum *bound
}

// A bound is a number of a schema.
type bound struct {
	decimal
	shown string
}

// textRules are the keywords for strings.
type textRules struct {
	length  limits
	pattern *regexp.Regexp
	format  string
}

// limits are the least and the greatest number of things, -1 for no limit.
type limits struct{ least, most int }

var noLimits = limits{-1, -1}

// A typeSet has a bit for each of typeNames.
type typeSet uint8

// typeNames are the names of types: the kinds of values in their order, and integer.
var typeNames = []string{"null", "boolean", "number", "string", "array", "object", "integer"}

const integer = 6

// String names a kind as JSON Schema does.
func (k kind) String() string { return typeNames[k] }

// valueKeyword compiles a keyword for values of any type.
func (k *keywords) valueKeyword(key string, v *value) bool {
	rules := &k.schema.values
	switch key {
	case "type":
		rules.types = k.types(v)
	case "enum":
		if v.kind != list {
			k.wrong(v, "enum wants a list, have %s", v.kind)
		}
		rules.enum, rules.enumShown = map[string]bool{}, v.items
		for _, item := range v.items {
			rules.enum[canonical(item)] = true
		}
	case "const":
		if k.schema.resource.draft >= draft6 {
			rules.constant = v
		}
	default:
		return false
	}
	return true
}

// types reads the names of types.
func (k *keywords) types(v *value) typeSet {
	names := []*value{v}
	if v.kind == list {
		names = v.items
	}
	var set typeSet
	for _, name := range names {
		i := slices.Index(typeNames, name.text)
		if name.kind != text || i < 0 {
			k.wrong(name, "type wants one or more of %s", showNames(typeNames, " "))
			return 0
		}
		set |= 1 << i
	}
	return set
}

// numberKeyword compiles a keyword for numbers.
func (k *keywords) numberKeyword(key string, v *value) bool {
	rules := &k.schema.numbers
	switch key {
	case "multipleOf":
		if rules.multipleOf = k.number(key, v); rules.multipleOf != nil && (rules.multipleOf.digits == "" || rules.multipleOf.negative) {
			k.wrong(v, "multipleOf wants a number above 0, have %s", v.text)
		}
	case "minimum":
		rules.minimum = k.number(key, v)
	case "maximum":
		rules.maximum = k.number(key, v)
	case "exclusiveMinimum":
		rules.exclusiveMinimum = k.exclusive(key, "minimum", v)
	case "exclusiveMaximum":
		rules.exclusiveMaximum = k.exclusive(key, "maximum", v)
	default:
		return false
	}
	return true
}

// number reads a number.
func (k *keywords) number(key string, v *value) *bound {
	if v.kind != number {
		k.wrong(v, "%s wants a number, have %s", key, v.kind)
		return nil
	}
	d, ok := parseDecimal(v.text)
	if !ok || len(d.digits) > mostDigits {
		k.wrong(v, "%s: %.40s is too long or too large", key, v.text)
	}
	return &bound{d, shorten(v.text)}
}

// exclusive reads an exclusive bound. In draft 4 it is a flag beside the bound.
func (k *keywords) exclusive(key, beside string, v *value) *bound {
	if k.schema.resource.draft > draft4 {
		return k.number(key, v)
	}
	limit, ok := k.schema.at.member(beside)
	if !k.flag(key, v) || !ok {
		return nil
	}
	return k.number(beside, limit)
}

// textKeyword compiles a keyword for strings.
func (k *keywords) textKeyword(key string, v *value) bool {
	rules := &k.schema.texts
	switch key {
	case "minLength":
		rules.length.least = k.count(key, v)
	case "maxLength":
		rules.length.most = k.count(key, v)
	case "pattern":
		if v.kind != text {
			k.wrong(v, "pattern wants a string, have %s", v.kind)
		}
		rules.pattern = k.regexp(v, v.text)
	case "format":
		if v.kind == text && k.schema.resource.draft <= draft7 { // later drafts do not check it
			rules.format = v.text
		}
	default:
		return false
	}
	return true
}

// own checks a value itself, without the values below it.
func (c *checker) own(s *schema, v *value, found *violations) bool {
	ok := c.checkValue(&s.values, v, found)
	switch v.kind {
	case number:
		ok = c.checkNumber(&s.numbers, v, found) && ok
	case text:
		ok = c.checkText(&s.texts, v, found) && ok
	case list:
		ok = c.checkSize(v, "items", s.lists.size, len(v.items), found) && ok
		if s.lists.unique {
			ok = c.checkUnique(v, found) && ok
		}
	case object:
		ok = c.checkSize(v, "properties", s.objects.size, len(v.items), found) && ok
		ok = c.checkRequired(v, s.objects.required, found) && ok
	}
	return ok
}

func (c *checker) checkValue(rules *valueRules, v *value, found *violations) bool {
	ok := true
	if rules.types != 0 && !rules.types.has(v) {
		var want []string
		for i, name := range typeNames {
			if rules.types&(1<<i) != 0 {
				want = append(want, name)
			}
		}
		ok = c.wrong(found, v, "got %s, want %s", v.kind, strings.Join(want, " or "))
	}
	if rules.enum != nil && !rules.enum[c.canonical(v)] {
		ok = c.wrong(found, v, "%s", amongValues(rules.enumShown))
	}
	if rules.constant != nil && c.canonical(v) != canonical(rules.constant) {
		ok = c.wrong(found, v, "%s", amongValues([]*value{rules.constant}))
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

func (c *checker) checkNumber(rules *numberRules, v *value, found *violations) bool {
	if rules.minimum == nil && rules.maximum == nil && rules.exclusiveMinimum == nil && rules.exclusiveMaximum == nil && rules.multipleOf == nil {
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
		{"minimum", rules.minimum, func(order int) bool { return order >= 0 }},
		{"maximum", rules.maximum, func(order int) bool { return order <= 0 }},
		{"exclusiveMinimum", rules.exclusiveMinimum, func(order int) bool { return order > 0 }},
		{"exclusiveMaximum", rules.exclusiveMaximum, func(order int) bool { return order < 0 }},
	} {
		if limit.bound != nil && !limit.right(d.compare(limit.bound.decimal)) {
			good = c.wrong(found, v, "%s: got %s, want %s", limit.name, shorten(v.text), limit.bound.shown)
		}
	}
	if rules.multipleOf != nil {
		c.step(len(d.digits)*len(rules.multipleOf.digits)/1024 + len(rules.multipleOf.digits)/16)
		if !d.multipleOf(rules.multipleOf.decimal) {
			good = c.wrong(found, v, "multipleOf: got %s, want %s", shorten(v.text), rules.multipleOf.shown)
		}
	}
	return good
}

func (c *checker) checkText(rules *textRules, v *value, found *violations) bool {
	ok := true
	if rules.length != noLimits {
		c.step(len(v.text) / 1024)
		ok = c.checkSize(v, "characters", rules.length, utf8.RuneCountInString(v.text), found)
	}
	if rules.pattern != nil && c.step(len(v.text)/64) && !rules.pattern.MatchString(v.text) {
		ok = c.wrong(found, v, "'%s' does not match pattern '%s'", shorten(v.text), shorten(rules.pattern.String()))
	}
	if rules.format != "" && c.step(len(v.text)/64) && !satisfies(rules.format, v.text) {
		ok = c.wrong(found, v, "'%s' is no %s", shorten(v.text), rules.format)
	}
	return ok
}

// checkSize checks the length of a value.
func (c *checker) checkSize(v *value, what string, want limits, have int, found *violations) bool {
	if have < want.least {
		return c.wrong(found, v, "%d %s, want at least %d", have, what, want.least)
	}
	if want.most >= 0 && have > want.most {
		return c.wrong(found, v, "%d %s, want at most %d", have, what, want.most)
	}
	return true
}

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
