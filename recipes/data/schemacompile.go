package data

import (
	"regexp"
)

// A schema is a compiled schema. Missing keywords are nil, or -1 for counts.
type schema struct {
	at       *value
	resource *resource
	never    bool // the schema false, which accepts nothing

	ref     *schema
	dynamic *dynamicRef

	types     typeSet
	enum      map[string]bool // canonical forms
	enumShown []*value
	constant  *value

	multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum *bound

	minLength, maxLength         int
	pattern                      *regexp.Regexp
	format                       string
	minItems, maxItems           int
	unique                       bool
	prefix                       []*schema
	rest                         *schema // for the items behind the prefix
	contains                     *schema
	minContains, maxContains     int
	minProperties, maxProperties int
	properties                   map[string]*schema
	patterns                     []patternSchema
	additional                   *schema
	names                        *schema
	required                     []string
	dependents                   []dependent

	allOf, anyOf, oneOf                     []*schema
	not, when, then, otherwise              *schema
	unevaluatedItems, unevaluatedProperties *schema
}

// A bound is a number of a schema.
type bound struct {
	decimal
	shown string
}

type patternSchema struct {
	pattern *regexp.Regexp
	schema  *schema
}

// A dependent is a condition that applies if a property exists.
type dependent struct {
	name     string
	schema   *schema
	required []string
}

// A dynamicRef is a $dynamicRef or $recursiveRef. Its target depends on the resources on the way
// to it: the outermost resource with an anchor of that name wins.
type dynamicRef struct {
	first *schema
	name  string // "" for $recursiveRef
	moves bool   // first has such an anchor; otherwise an ordinary reference
}

func newSchema(at *value, r *resource) *schema {
	return &schema{
		at: at, resource: r,
		minLength: -1, maxLength: -1, minItems: -1, maxItems: -1, minContains: -1, maxContains: -1, minProperties: -1, maxProperties: -1,
	}
}

// compile compiles a schema once.
func (set *schemaSet) compile(v *value) (*schema, error) {
	if s := set.compiled[v]; s != nil {
		return s, nil
	}
	if err := set.ctx.Err(); err != nil {
		return nil, err
	}
	s := newSchema(v, set.owners[v])
	set.compiled[v] = s // it may refer to itself
	switch {
	case v.kind == boolean && s.resource.draft > draft4:
		s.never = v.text == no
		return s, nil
	case v.kind != object:
		return nil, schemaError(s.resource, v, "a schema is an object, this is %s", v.kind)
	}
	k := &keywords{set: set, schema: s}
	if ref, ok := v.member("$ref"); ok {
		s.ref = k.refer(ref)
		if s.resource.draft <= draft7 {
			return s, k.err // other keywords are ignored
		}
	}
	for i, key := range v.keys {
		if k.keyword(key, v.items[i]); k.err != nil {
			return nil, k.err
		}
	}
	return s, nil
}

// keywords compiles the keywords of one schema. After the first error it does nothing.
type keywords struct {
	set    *schemaSet
	schema *schema
	err    error
}

// wrong records an error about a keyword's value.
func (k *keywords) wrong(at *value, format string, args ...any) {
	if k.err == nil {
		k.err = schemaError(k.schema.resource, at, format, args...)
	}
}

// keyword compiles one keyword.
func (k *keywords) keyword(key string, v *value) {
	s, draft := k.schema, k.schema.resource.draft
	switch {
	case k.assertion(key, v):
	case key == "allOf":
		s.allOf = k.list(key, v)
	case key == "anyOf":
		s.anyOf = k.list(key, v)
	case key == "oneOf":
		s.oneOf = k.list(key, v)
	case key == "not":
		s.not = k.sub(v)
	case key == "if" && draft >= draft7:
		s.when = k.sub(v)
	case key == "then" && draft >= draft7:
		s.then = k.sub(v)
	case key == "else" && draft >= draft7:
		s.otherwise = k.sub(v)
	case key == "prefixItems" && draft >= draft2020:
		s.prefix = k.list(key, v)
	case key == "items" && draft < draft2020 && v.kind == list:
		s.prefix = k.subs(v)
		if more, ok := s.at.member("additionalItems"); ok {
			s.rest = k.flagOrSub(more)
		}
	case key == "items":
		s.rest = k.sub(v)
	case key == "contains" && draft >= draft6:
		s.contains = k.sub(v)
	case key == "properties":
		s.properties = map[string]*schema{}
		for i, name := range k.object(key, v) {
			s.properties[name] = k.sub(v.items[i])
		}
	case key == "patternProperties":
		for i, name := range k.object(key, v) {
			s.patterns = append(s.patterns, patternSchema{k.regexp(v.items[i], name), k.sub(v.items[i])})
		}
	case key == "additionalProperties":
		s.additional = k.flagOrSub(v)
	case key == "propertyNames" && draft >= draft6:
		s.names = k.sub(v)
	case key == "dependencies", (key == "dependentRequired" || key == "dependentSchemas") && draft >= draft2019:
		for i, name := range k.object(key, v) {
			d := dependent{name: name}
			if v.items[i].kind == list && key != "dependentSchemas" {
				d.required = k.strings(key, v.items[i])
			} else {
				d.schema = k.sub(v.items[i])
			}
			s.dependents = append(s.dependents, d)
		}
	case key == "unevaluatedItems" && draft >= draft2019:
		s.unevaluatedItems = k.sub(v)
	case key == "unevaluatedProperties" && draft >= draft2019:
		s.unevaluatedProperties = k.sub(v)
	case key == "$dynamicRef" && draft >= draft2020, key == "$recursiveRef" && draft == draft2019:
		k.dynamic(v)
	}
}

// assertion compiles a keyword about the value itself.
func (k *keywords) assertion(key string, v *value) bool {
	s, draft := k.schema, k.schema.resource.draft
	switch key {
	case "type":
		s.types = k.types(v)
	case "enum":
		if v.kind != list {
			k.wrong(v, "enum wants a list, have %s", v.kind)
		}
		s.enum, s.enumShown = map[string]bool{}, v.items
		for _, item := range v.items {
			s.enum[canonical(item)] = true
		}
	case "const":
		if draft >= draft6 {
			s.constant = v
		}
	case "multipleOf":
		if s.multipleOf = k.number(key, v); s.multipleOf != nil && (s.multipleOf.digits == "" || s.multipleOf.negative) {
			k.wrong(v, "multipleOf wants a number above 0, have %s", v.text)
		}
	case "minimum":
		s.minimum = k.number(key, v)
	case "maximum":
		s.maximum = k.number(key, v)
	case "exclusiveMinimum":
		s.exclusiveMinimum = k.exclusive(key, "minimum", v)
	case "exclusiveMaximum":
		s.exclusiveMaximum = k.exclusive(key, "maximum", v)
	case "minLength":
		s.minLength = k.count(key, v)
	case "maxLength":
		s.maxLength = k.count(key, v)
	case "minItems":
		s.minItems = k.count(key, v)
	case "maxItems":
		s.maxItems = k.count(key, v)
	case "minProperties":
		s.minProperties = k.count(key, v)
	case "maxProperties":
		s.maxProperties = k.count(key, v)
	case "minContains":
		s.minContains = k.count(key, v)
	case "maxContains":
		s.maxContains = k.count(key, v)
	case "uniqueItems":
		s.unique = k.flag(key, v)
	case "pattern":
		if v.kind != text {
			k.wrong(v, "pattern wants a string, have %s", v.kind)
		}
		s.pattern = k.regexp(v, v.text)
	case "format":
		if v.kind == text && draft <= draft7 { // later drafts do not check it
			s.format = v.text
		}
	case "required":
		s.required = k.strings(key, v)
	default:
		return false
	}
	return true
}

// refer returns the target of a $ref.
func (k *keywords) refer(v *value) *schema {
	if v.kind != text {
		k.wrong(v, "$ref wants a string, have %s", v.kind)
		return nil
	}
	target, _, err := k.set.find(k.schema.resource, v, v.text)
	if err != nil {
		k.err = err
		return nil
	}
	return k.sub(target)
}

func (k *keywords) dynamic(v *value) {
	if v.kind != text {
		k.wrong(v, "a reference is a string, this is %s", v.kind)
		return
	}
	target, fragment, err := k.set.find(k.schema.resource, v, v.text)
	if err != nil {
		k.err = err
		return
	}
	d := &dynamicRef{first: k.sub(target)}
	switch to := k.set.owners[target]; {
	case k.schema.resource.draft == draft2019:
		d.moves = to.recursive
	default:
		d.name, d.moves = fragment, to.dynamic[fragment] == target
	}
	k.schema.dynamic = d
}
