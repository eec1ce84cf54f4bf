package data

import (
	"regexp"
	"slices"
	"strconv"
)

// listRules are a schema's keywords for lists.
type listRules struct {
	size        limits
	unique      bool
	prefix      []*schema
	rest        *schema // schema for the items after the prefix
	contains    *schema
	containing  limits // allowed number of items that satisfy contains
	unevaluated *schema
}

// objectRules are a schema's keywords for objects.
type objectRules struct {
	size        limits
	required    []string
	properties  map[string]*schema
	patterns    []patternSchema
	additional  *schema
	names       *schema
	dependents  []dependent
	unevaluated *schema
}

// A patternSchema applies to the properties whose names match a pattern.
type patternSchema struct {
	pattern *regexp.Regexp
	schema  *schema
}

// A dependent is a condition for objects that have a certain property.
type dependent struct {
	name     string
	schema   *schema
	required []string
}

// listKeyword compiles a keyword for lists.
func (k *keywords) listKeyword(key string, v *value) bool {
	rules, draft := &k.schema.lists, k.schema.resource.draft
	switch {
	case key == "minItems":
		rules.size.least = k.countKeyword(key, v)
	case key == "maxItems":
		rules.size.most = k.countKeyword(key, v)
	case key == "uniqueItems":
		rules.unique = k.boolKeyword(key, v)
	case key == "prefixItems" && draft >= draft2020:
		rules.prefix = k.compileList(key, v)
	case key == "items" && draft < draft2020 && v.kind == list:
		rules.prefix = k.compileSubs(v)
		if more, ok := k.schema.at.memberValue("additionalItems"); ok {
			rules.rest = k.flagOrSub(more)
		}
	case key == "items":
		rules.rest = k.compileSub(v)
	case key == "contains" && draft >= draft6:
		rules.contains = k.compileSub(v)
	case key == "minContains" && draft >= draft2019:
		rules.containing.least = k.countKeyword(key, v)
	case key == "maxContains" && draft >= draft2019:
		rules.containing.most = k.countKeyword(key, v)
	case key == "unevaluatedItems" && draft >= draft2019:
		rules.unevaluated = k.compileSub(v)
	default:
		return false
	}
	return true
}

// objectKeyword compiles a keyword for objects.
func (k *keywords) objectKeyword(key string, v *value) bool {
	rules, draft := &k.schema.objects, k.schema.resource.draft
	switch {
	case key == "minProperties":
		rules.size.least = k.countKeyword(key, v)
	case key == "maxProperties":
		rules.size.most = k.countKeyword(key, v)
	case key == "required":
		rules.required = k.stringList(key, v)
	case key == "properties":
		rules.properties = map[string]*schema{}
		for i, name := range k.objectKeys(key, v) {
			rules.properties[name] = k.compileSub(v.items[i])
		}
	case key == "patternProperties":
		for i, name := range k.objectKeys(key, v) {
			rules.patterns = append(rules.patterns, patternSchema{k.patternOf(v.items[i], name), k.compileSub(v.items[i])})
		}
	case key == "additionalProperties":
		rules.additional = k.flagOrSub(v)
	case key == "propertyNames" && draft >= draft6:
		rules.names = k.compileSub(v)
	case key == "dependencies", (key == "dependentRequired" || key == "dependentSchemas") && draft >= draft2019:
		for i, name := range k.objectKeys(key, v) {
			d := dependent{name: name}
			if v.items[i].kind == list && key != "dependentSchemas" {
				d.required = k.stringList(key, v.items[i])
			} else {
				d.schema = k.compileSub(v.items[i])
			}
			rules.dependents = append(rules.dependents, d)
		}
	case key == "unevaluatedProperties" && draft >= draft2019:
		rules.unevaluated = k.compileSub(v)
	default:
		return false
	}
	return true
}

// checkItems applies the subschemas for the items of a list.
func (c *checker) checkItems(s *schema, v *value, in *scope, own itemMarks, found *violations) bool {
	ok, rules := true, &s.lists
	for i, item := range v.items[:min(len(v.items), len(rules.prefix))] {
		ok = c.applyBelow(rules.prefix[i], v, i, item, in, found) && ok
		own.markSeen(i)
	}
	if rules.rest != nil {
		for i := len(rules.prefix); i < len(v.items) && c.err == nil; i++ {
			ok = c.applyBelow(rules.rest, v, i, v.items[i], in, found) && ok
			own.markSeen(i)
		}
	}
	if rules.contains != nil {
		n := 0
		for i, item := range v.items {
			if c.applyBelow(rules.contains, v, i, item, in, nil) {
				if n++; s.resource.draft >= draft2020 {
					own.markSeen(i)
				}
			}
		}
		least := max(1, rules.containing.least)
		if rules.containing.least == 0 {
			least = 0
		}
		if n < least {
			ok = c.noteViolation(found, v, "contains: %d items of the list match, want at least %d", n, least)
		}
		if rules.containing.most >= 0 && n > rules.containing.most {
			ok = c.noteViolation(found, v, "contains: %d items of the list match, want at most %d", n, rules.containing.most)
		}
	}
	return c.checkUnevaluated(rules.unevaluated, v, in, own, found) && ok
}

// checkProperties applies the subschemas for the properties of an object.
func (c *checker) checkProperties(s *schema, v *value, in *scope, own itemMarks, found *violations) bool {
	ok, rules := true, &s.objects
	var unknown []string
	unknownCount := 0
	for i, key := range v.keys {
		if rules.properties == nil && rules.patterns == nil && rules.additional == nil && rules.names == nil || !c.countSteps(len(rules.patterns)*(1+len(key)/64)) {
			break
		}
		item, judged := v.items[i], false
		if sub := rules.properties[key]; sub != nil {
			ok, judged = c.applyBelow(sub, v, i, item, in, found) && ok, true
		}
		for _, p := range rules.patterns {
			if p.pattern.MatchString(key) {
				ok, judged = c.applyBelow(p.schema, v, i, item, in, found) && ok, true
			}
		}
		if rules.additional != nil && !judged {
			judged = true
			if rules.additional.never {
				if unknownCount++; len(unknown) < mostNames {
					unknown = append(unknown, key)
				}
			} else {
				ok = c.applyBelow(rules.additional, v, i, item, in, found) && ok
			}
		}
		if judged {
			own.markSeen(i)
		}
		if rules.names != nil {
			name := &value{kind: text, text: key, line: item.line, col: item.col}
			ok = c.applyBelow(rules.names, v, i, name, in, found) && ok
		}
	}
	if unknownCount > 0 {
		ok = c.noteViolation(found, v, "additional properties %s are not allowed", showMany(unknown, unknownCount))
	}
	return c.checkUnevaluated(rules.unevaluated, v, in, own, found) && ok
}

// checkUnevaluated applies a schema, which may be nil, to the items that no other schema has
// evaluated.
func (c *checker) checkUnevaluated(s *schema, v *value, in *scope, own itemMarks, found *violations) bool {
	ok := true
	if s != nil {
		for i, item := range v.items {
			if !own[i] {
				ok = c.applyBelow(s, v, i, item, in, found) && ok
				own.markSeen(i)
			}
		}
	}
	return ok
}

// applyBelow applies a schema to the i-th item of v.
func (c *checker) applyBelow(s *schema, v *value, i int, item *value, in *scope, found *violations) bool {
	if c.err != nil {
		return false
	}
	name := ""
	if v.kind == object {
		name = v.keys[i]
	} else if found != nil {
		name = strconv.Itoa(i)
	}
	c.path = append(c.path, name)
	ok := c.applySchema(s, item, in, nil, found)
	c.path = c.path[:len(c.path)-1]
	return ok
}

// checkUnique checks that no two items of a list are equal.
func (c *checker) checkUnique(v *value, found *violations) bool {
	first := map[string]int{}
	for i, item := range v.items {
		form := c.canonicalCounted(item)
		if j, twice := first[form]; twice {
			return c.noteViolation(found, v, "items %d and %d of the list are equal, but all must differ", j, i)
		}
		first[form] = i
	}
	return true
}

// checkRequired checks that an object has all properties in names.
func (c *checker) checkRequired(v *value, names []string, found *violations) bool {
	if len(names) == 0 {
		return true
	}
	has := v.hasKey
	if len(names) > 4 && len(v.keys) > 16 {
		keys := make(map[string]bool, len(v.keys))
		for _, key := range v.keys {
			keys[key] = true
		}
		has = func(name string) bool { return keys[name] }
	}
	c.countSteps(len(names) + len(v.keys)/16)
	var missing []string
	for _, name := range names {
		if !has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 1 {
		return c.noteViolation(found, v, "property '%s' is missing", shortenText(missing[0]))
	}
	return len(missing) == 0 || c.noteViolation(found, v, "properties %s are missing", showMany(missing[:min(len(missing), mostNames)], len(missing)))
}

// hasKey reports whether an object has a key.
func (v *value) hasKey(key string) bool { return slices.Contains(v.keys, key) }
