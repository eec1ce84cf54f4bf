package data

import "strconv"

// items applies the subschemas for the items of a list.
func (c *checker) items(s *schema, v *value, in *scope, own seen, found *violations) bool {
	ok := true
	for i, item := range v.items[:min(len(v.items), len(s.prefix))] {
		ok = c.below(s.prefix[i], v, i, item, in, found) && ok
		own.set(i)
	}
	if s.rest != nil {
		for i := len(s.prefix); i < len(v.items) && c.err == nil; i++ {
			ok = c.below(s.rest, v, i, v.items[i], in, found) && ok
			own.set(i)
		}
	}
	if s.contains != nil {
		n := 0
		for i, item := range v.items {
			if c.below(s.contains, v, i, item, in, nil) {
				if n++; s.resource.draft >= draft2020 {
					own.set(i)
				}
			}
		}
		least := max(1, s.minContains)
		if s.minContains == 0 {
			least = 0
		}
		if n < least {
			ok = c.wrong(found, v, "contains: %d items do, want at least %d", n, least)
		}
		if s.maxContains >= 0 && n > s.maxContains {
			ok = c.wrong(found, v, "contains: %d items do, want at most %d", n, s.maxContains)
		}
	}
	if s.unevaluatedItems != nil {
		for i, item := range v.items {
			if !own[i] {
				ok = c.below(s.unevaluatedItems, v, i, item, in, found) && ok
				own.set(i)
			}
		}
	}
	return ok
}

// properties applies the subschemas for the properties of an object.
func (c *checker) properties(s *schema, v *value, in *scope, own seen, found *violations) bool {
	ok := true
	var unknown []string
	unknownCount := 0
	for i, key := range v.keys {
		if s.properties == nil && s.patterns == nil && s.additional == nil && s.names == nil || !c.step(len(s.patterns)*(1+len(key)/64)) {
			break
		}
		item, judged := v.items[i], false
		if sub := s.properties[key]; sub != nil {
			ok, judged = c.below(sub, v, i, item, in, found) && ok, true
		}
		for _, p := range s.patterns {
			if p.pattern.MatchString(key) {
				ok, judged = c.below(p.schema, v, i, item, in, found) && ok, true
			}
		}
		if s.additional != nil && !judged {
			judged = true
			if s.additional.never {
				if unknownCount++; len(unknown) < mostNames {
					unknown = append(unknown, key)
				}
			} else {
				ok = c.below(s.additional, v, i, item, in, found) && ok
			}
		}
		if judged {
			own.set(i)
		}
		if s.names != nil {
			name := &value{kind: text, text: key, line: item.line, col: item.col}
			ok = c.below(s.names, v, i, name, in, found) && ok
		}
	}
	if unknownCount > 0 {
		ok = c.wrong(found, v, "additional properties %s not allowed", showMany(unknown, unknownCount))
	}
	if s.unevaluatedProperties != nil {
		for i, item := range v.items {
			if !own[i] {
				ok = c.below(s.unevaluatedProperties, v, i, item, in, found) && ok
				own.set(i)
			}
		}
	}
	return ok
}

// below applies a schema to an item of v.
func (c *checker) below(s *schema, v *value, i int, item *value, in *scope, found *violations) bool {
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
	ok := c.check(s, item, in, nil, found)
	c.path = c.path[:len(c.path)-1]
	return ok
}
