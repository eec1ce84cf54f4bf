package data

import (
	"fmt"
	"math"
	"regexp"
)

// A schema is a compiled schema. Absent keywords are nil, or -1 for counts.
type schema struct {
	at       *value
	resource *resource
	never    bool // whether the schema is false, which accepts no value

	ref     *schema
	dynamic *dynamicRef
	logic   logicRules
	values  valueRules
	numbers numberRules
	texts   textRules
	lists   listRules
	objects objectRules
}

// logicRules are the keywords that combine schemas.
type logicRules struct {
	allOf, anyOf, oneOf        []*schema
	not, when, then, otherwise *schema
}

// A dynamicRef is a $dynamicRef or $recursiveRef. Its target is in the outermost resource in scope
// that has an anchor of that name.
type dynamicRef struct {
	first *schema
	name  string // name of the anchor; "" for $recursiveRef
	moves bool   // whether first has an anchor of this name; if not, the reference is an ordinary one
}

func newSchema(at *value, r *resource) *schema {
	return &schema{
		at: at, resource: r,
		texts: textRules{length: noLimits}, lists: listRules{size: noLimits, containing: noLimits}, objects: objectRules{size: noLimits},
	}
}

// compileSchema compiles a schema once.
func (set *schemaSet) compileSchema(v *value) (*schema, error) {
	if s := set.compiled[v]; s != nil {
		return s, nil
	}
	if err := set.ctx.Err(); err != nil {
		return nil, err
	}
	s := newSchema(v, set.owners[v])
	set.compiled[v] = s // stored before compiling, because a schema may refer to itself
	switch {
	case v.kind == boolean && s.resource.draft > draft4:
		s.never = v.text == no
		return s, nil
	case v.kind != object:
		return nil, schemaError(s.resource, v, "a schema must be an object, but this is %s", v.kind)
	}
	k := &keywords{set: set, schema: s}
	if ref, ok := v.memberValue("$ref"); ok {
		s.ref = k.refer(ref)
		if s.resource.draft <= draft7 {
			return s, k.err // these drafts ignore other keywords beside $ref
		}
	}
	for i, key := range v.keys {
		if k.compileKeyword(key, v.items[i]); k.err != nil {
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

// noteWrong records an error about a keyword's value.
func (k *keywords) noteWrong(at *value, format string, args ...any) {
	if k.err == nil {
		k.err = schemaError(k.schema.resource, at, format, args...)
	}
}

// compileKeyword compiles one keyword. It ignores unknown keywords.
func (k *keywords) compileKeyword(key string, v *value) {
	switch {
	case k.valueKeyword(key, v), k.numberKeyword(key, v), k.textKeyword(key, v), k.listKeyword(key, v), k.objectKeyword(key, v):
	default:
		k.logicKeyword(key, v)
	}
}

// logicKeyword compiles a keyword that combines schemas, or a reference to another schema.
func (k *keywords) logicKeyword(key string, v *value) {
	rules, draft := &k.schema.logic, k.schema.resource.draft
	switch {
	case key == "allOf":
		rules.allOf = k.compileList(key, v)
	case key == "anyOf":
		rules.anyOf = k.compileList(key, v)
	case key == "oneOf":
		rules.oneOf = k.compileList(key, v)
	case key == "not":
		rules.not = k.compileSub(v)
	case key == "if" && draft >= draft7:
		rules.when = k.compileSub(v)
	case key == "then" && draft >= draft7:
		rules.then = k.compileSub(v)
	case key == "else" && draft >= draft7:
		rules.otherwise = k.compileSub(v)
	case key == "$dynamicRef" && draft >= draft2020, key == "$recursiveRef" && draft == draft2019:
		k.dynamic(v)
	}
}

// refer returns the target of a $ref.
func (k *keywords) refer(v *value) *schema {
	if v.kind != text {
		k.noteWrong(v, "$ref wants a string, have %s", v.kind)
		return nil
	}
	target, _, err := k.set.findReference(k.schema.resource, v, v.text)
	if err != nil {
		k.err = err
		return nil
	}
	return k.compileSub(target)
}

// dynamic compiles a reference whose target depends on the resources in scope.
func (k *keywords) dynamic(v *value) {
	if v.kind != text {
		k.noteWrong(v, "a reference must be a string, but this is %s", v.kind)
		return
	}
	target, fragment, err := k.set.findReference(k.schema.resource, v, v.text)
	if err != nil {
		k.err = err
		return
	}
	d := &dynamicRef{first: k.compileSub(target)}
	switch to := k.set.owners[target]; {
	case k.schema.resource.draft == draft2019:
		d.moves = to.recursive
	default:
		d.name, d.moves = fragment, to.dynamic[fragment] == target
	}
	k.schema.dynamic = d
}

// compileSub compiles a subschema.
func (k *keywords) compileSub(v *value) *schema {
	if k.err != nil {
		return nil
	}
	if k.set.owners[v] == nil { // the value is not an object, so scanSchema has not visited it
		k.set.owners[v] = k.schema.resource
	}
	s, err := k.set.compileSchema(v)
	k.err = err
	return s
}

// flagOrSub compiles a keyword whose value may be a boolean or a schema.
func (k *keywords) flagOrSub(v *value) *schema {
	if v.kind == boolean {
		s := newSchema(v, k.schema.resource)
		s.never = v.text == no
		return s
	}
	return k.compileSub(v)
}

// compileList compiles a list of schemas, which must not be empty.
func (k *keywords) compileList(key string, v *value) []*schema {
	if v.kind != list || len(v.items) == 0 {
		k.noteWrong(v, "%s must be a list of schemas", key)
		return nil
	}
	return k.compileSubs(v)
}

func (k *keywords) compileSubs(v *value) []*schema {
	subs := make([]*schema, 0, len(v.items))
	for _, item := range v.items {
		subs = append(subs, k.compileSub(item))
	}
	return subs
}

// objectKeys returns the keys of an object.
func (k *keywords) objectKeys(key string, v *value) []string {
	if v.kind != object {
		k.noteWrong(v, "%s wants an object, have %s", key, v.kind)
	}
	return v.keys
}

func (k *keywords) stringList(key string, v *value) []string {
	var names []string
	for _, item := range v.items {
		if item.kind != text {
			k.noteWrong(item, "%s wants strings, have %s", key, item.kind)
		}
		names = append(names, item.text)
	}
	if v.kind != list {
		k.noteWrong(v, "%s must be a list, not %s", key, v.kind)
	}
	return names
}

func (k *keywords) boolKeyword(key string, v *value) bool {
	if v.kind != boolean {
		k.noteWrong(v, "%s wants true or false, have %s", key, v.kind)
	}
	return v.text == yes
}

// countKeyword reads a keyword whose value is a length or a number of items.
func (k *keywords) countKeyword(key string, v *value) int {
	b := k.numberBound(key, v)
	if b == nil {
		return -1
	}
	if !b.isWhole() || b.negative && b.digits != "" {
		k.noteWrong(v, "%s wants a whole number of at least 0, have %.40s", key, v.text)
		return -1
	}
	most := bound{decimal: decimal{digits: fmt.Sprint(math.MaxInt32)}}
	if b.compareDecimal(most.decimal) > 0 {
		return math.MaxInt32
	}
	n, _ := b.bigInteger()
	return int(n.Int64())
}

// patternOf compiles a pattern. at is the value that has the position for errors.
func (k *keywords) patternOf(at *value, pattern string) *regexp.Regexp {
	re, err := compilePattern(pattern)
	if err != nil {
		k.noteWrong(at, "pattern %.60q: %v", pattern, err)
	}
	return re
}
