package data

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// valueRules are a schema's keywords for values of any type.
type valueRules struct {
	types     typeSet
	enum      map[string]bool // allowed values, in canonical form
	enumShown []*value
	constant  *value
}

// numberRules are a schema's keywords for numbers.
type numberRules struct {
	multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum *bound
}

// A bound is a number in a schema.
type bound struct {
	decimal
	shown string
}

// textRules are a schema's keywords for strings.
type textRules struct {
	length  limits
	pattern *regexp.Regexp
	format  string
}

// limits are the minimum and maximum count, or -1 for no limit.
type limits struct{ least, most int }

var noLimits = limits{-1, -1}

// A typeSet is a bit set of indexes of typeNames.
type typeSet uint8

// typeNames are JSON Schema's names of types: first one for each kind, in their order, then
// integer.
var typeNames = []string{"null", "boolean", "number", "string", "array", "object", "integer"}

const integer = 6

// String returns JSON Schema's name of a kind.
func (k kind) String() string { return typeNames[k] }

// valueKeyword compiles a keyword for values of any type.
func (k *keywords) valueKeyword(key string, v *value) bool {
	rules := &k.schema.values
	switch key {
	case "type":
		rules.types = k.readTypes(v)
	case "enum":
		if v.kind != list {
			k.noteWrong(v, "enum must be a list, not %s", v.kind)
		}
		rules.enum, rules.enumShown = map[string]bool{}, v.items
		for _, item := range v.items {
			rules.enum[canonicalForm(item)] = true
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

// readTypes reads one name or a list of names of types.
func (k *keywords) readTypes(v *value) typeSet {
	names := []*value{v}
	if v.kind == list {
		names = v.items
	}
	var set typeSet
	for _, name := range names {
		i := slices.Index(typeNames, name.text)
		if name.kind != text || i < 0 {
			k.noteWrong(name, "type must be one or more of %s", showNames(typeNames, " "))
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
		if rules.multipleOf = k.numberBound(key, v); rules.multipleOf != nil && (rules.multipleOf.digits == "" || rules.multipleOf.negative) {
			k.noteWrong(v, "multipleOf wants a number above 0, have %s", v.text)
		}
	case "minimum":
		rules.minimum = k.numberBound(key, v)
	case "maximum":
		rules.maximum = k.numberBound(key, v)
	case "exclusiveMinimum":
		rules.exclusiveMinimum = k.exclusiveBound(key, "minimum", v)
	case "exclusiveMaximum":
		rules.exclusiveMaximum = k.exclusiveBound(key, "maximum", v)
	default:
		return false
	}
	return true
}

// numberBound reads a keyword whose value is a number.
func (k *keywords) numberBound(key string, v *value) *bound {
	if v.kind != number {
		k.noteWrong(v, "%s wants a number, have %s", key, v.kind)
		return nil
	}
	d, ok := parseDecimal(v.text)
	if !ok || len(d.digits) > mostDigits {
		k.noteWrong(v, "%s: %.40s is too long or too large", key, v.text)
	}
	return &bound{d, shortenText(v.text)}
}

// exclusiveBound reads an exclusive bound. In draft 4 the keyword is a boolean that makes another
// keyword's bound exclusive.
func (k *keywords) exclusiveBound(key, beside string, v *value) *bound {
	if k.schema.resource.draft > draft4 {
		return k.numberBound(key, v)
	}
	limit, ok := k.schema.at.memberValue(beside)
	if !k.boolKeyword(key, v) || !ok {
		return nil
	}
	return k.numberBound(beside, limit)
}

// textKeyword compiles a keyword for strings.
func (k *keywords) textKeyword(key string, v *value) bool {
	rules := &k.schema.texts
	switch key {
	case "minLength":
		rules.length.least = k.countKeyword(key, v)
	case "maxLength":
		rules.length.most = k.countKeyword(key, v)
	case "pattern":
		if v.kind != text {
			k.noteWrong(v, "pattern wants a string, have %s", v.kind)
		}
		rules.pattern = k.patternOf(v, v.text)
	case "format":
		if v.kind == text && k.schema.resource.draft <= draft7 { // later drafts do not require this check
			rules.format = v.text
		}
	default:
		return false
	}
	return true
}

// checkOwn checks a value without its items.
func (c *checker) checkOwn(s *schema, v *value, found *violations) bool {
	ok := c.checkValue(&s.values, v, found)
	switch v.kind {
	case number:
		ok = c.checkNumberRules(&s.numbers, v, found) && ok
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
	if rules.types != 0 && !rules.types.hasTypeOf(v) {
		var want []string
		for i, name := range typeNames {
			if rules.types&(1<<i) != 0 {
				want = append(want, name)
			}
		}
		ok = c.noteViolation(found, v, "got %s, want %s", v.kind, strings.Join(want, " or "))
	}
	if rules.enum != nil && !rules.enum[c.canonicalCounted(v)] {
		ok = c.noteViolation(found, v, "%s", amongValues(rules.enumShown))
	}
	if rules.constant != nil && c.canonicalCounted(v) != canonicalForm(rules.constant) {
		ok = c.noteViolation(found, v, "%s", amongValues([]*value{rules.constant}))
	}
	return ok
}

// hasTypeOf reports whether a value has one of the types in the set.
func (t typeSet) hasTypeOf(v *value) bool {
	if t&(1<<v.kind) != 0 || t&(1<<integer) == 0 || v.kind != number {
		return t&(1<<v.kind) != 0
	}
	d, ok := parseDecimal(v.text)
	_, other := special(v.text)
	return ok && !other && d.isWhole()
}

func (c *checker) checkNumberRules(rules *numberRules, v *value, found *violations) bool {
	if rules.minimum == nil && rules.maximum == nil && rules.exclusiveMinimum == nil && rules.exclusiveMaximum == nil && rules.multipleOf == nil {
		return true
	}
	if _, ok := special(v.text); ok {
		return c.noteViolation(found, v, "%s cannot be compared", v.text)
	}
	d, ok := parseDecimal(v.text)
	if !ok || len(d.digits) > mostDigits {
		return c.noteViolation(found, v, "%.40s is too long or too large to be compared", v.text)
	}
	c.countSteps(len(d.digits) / 16)
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
		if limit.bound != nil && !limit.right(d.compareDecimal(limit.bound.decimal)) {
			good = c.noteViolation(found, v, "%s: got %s, want %s", limit.name, shortenText(v.text), limit.bound.shown)
		}
	}
	if rules.multipleOf != nil {
		c.countSteps(len(d.digits)*len(rules.multipleOf.digits)/1024 + len(rules.multipleOf.digits)/16)
		if !d.multipleOf(rules.multipleOf.decimal) {
			good = c.noteViolation(found, v, "multipleOf: got %s, want %s", shortenText(v.text), rules.multipleOf.shown)
		}
	}
	return good
}

func (c *checker) checkText(rules *textRules, v *value, found *violations) bool {
	ok := true
	if rules.length != noLimits {
		c.countSteps(len(v.text) / 1024)
		ok = c.checkSize(v, "characters", rules.length, utf8.RuneCountInString(v.text), found)
	}
	if rules.pattern != nil && c.countSteps(len(v.text)/64) && !rules.pattern.MatchString(v.text) {
		ok = c.noteViolation(found, v, "'%s' does not match pattern '%s'", shortenText(v.text), shortenText(rules.pattern.String()))
	}
	if rules.format != "" && c.countSteps(len(v.text)/64) && !satisfies(rules.format, v.text) {
		ok = c.noteViolation(found, v, "'%s' is not a valid %s", shortenText(v.text), rules.format)
	}
	return ok
}

// checkSize checks the length of a value. what describes the length in messages.
func (c *checker) checkSize(v *value, what string, want limits, have int, found *violations) bool {
	if have < want.least {
		return c.noteViolation(found, v, "there are %d %s, want at least %d", have, what, want.least)
	}
	if want.most >= 0 && have > want.most {
		return c.noteViolation(found, v, "there are %d %s, want at most %d", have, what, want.most)
	}
	return true
}

// canonicalCounted returns the canonical form of a value. It counts the work as steps.
func (c *checker) canonicalCounted(v *value) string {
	form := canonicalForm(v)
	c.countSteps(len(form) / 64)
	return form
}

// canonicalForm returns a text for a value. Two values have the same text if and only if they are
// equal.
func canonicalForm(v *value) string { return string(appendCanonical(nil, v)) }

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
