package data

import (
	"fmt"
	"math"
	"regexp"
	"slices"
)

// sub compiles a subschema.
func (k *keywords) sub(v *value) *schema {
	if k.err != nil {
		return nil
	}
	if k.set.owners[v] == nil { // not an object, so scan has not visited it
		k.set.owners[v] = k.schema.resource
	}
	s, err := k.set.compile(v)
	k.err = err
	return s
}

// flagOrSub compiles a keyword that is true, false or a schema in all drafts.
func (k *keywords) flagOrSub(v *value) *schema {
	if v.kind == boolean {
		s := newSchema(v, k.schema.resource)
		s.never = v.text == no
		return s
	}
	return k.sub(v)
}

func (k *keywords) list(key string, v *value) []*schema {
	if v.kind != list || len(v.items) == 0 {
		k.wrong(v, "%s wants a list of schemas", key)
		return nil
	}
	return k.subs(v)
}

func (k *keywords) subs(v *value) []*schema {
	subs := make([]*schema, 0, len(v.items))
	for _, item := range v.items {
		subs = append(subs, k.sub(item))
	}
	return subs
}

// object returns the keys of an object.
func (k *keywords) object(key string, v *value) []string {
	if v.kind != object {
		k.wrong(v, "%s wants an object, have %s", key, v.kind)
	}
	return v.keys
}

func (k *keywords) strings(key string, v *value) []string {
	var names []string
	for _, item := range v.items {
		if item.kind != text {
			k.wrong(item, "%s wants strings, have %s", key, item.kind)
		}
		names = append(names, item.text)
	}
	if v.kind != list {
		k.wrong(v, "%s wants a list, have %s", key, v.kind)
	}
	return names
}

func (k *keywords) flag(key string, v *value) bool {
	if v.kind != boolean {
		k.wrong(v, "%s wants true or false, have %s", key, v.kind)
	}
	return v.text == yes
}

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

// count reads a length or number of items.
func (k *keywords) count(key string, v *value) int {
	b := k.number(key, v)
	if b == nil {
		return -1
	}
	if !b.isWhole() || b.negative && b.digits != "" {
		k.wrong(v, "%s wants a whole number of at least 0, have %.40s", key, v.text)
		return -1
	}
	most := bound{decimal: decimal{digits: fmt.Sprint(math.MaxInt32)}}
	if b.compare(most.decimal) > 0 {
		return math.MaxInt32
	}
	n, _ := b.integer()
	return int(n.Int64())
}

// regexp compiles a pattern; at is its place.
func (k *keywords) regexp(at *value, pattern string) *regexp.Regexp {
	re, err := compilePattern(pattern)
	if err != nil {
		k.wrong(at, "pattern %.60q: %v", pattern, err)
	}
	return re
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
