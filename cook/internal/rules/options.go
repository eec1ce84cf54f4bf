package rules

import (
	"errors"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// option judges one option of a rule or target table and says whether it is
// right. A named recipe's cooker takes the value; without a name, some recipe
// must have the option and be able to take the value. The words are keys that
// might have been meant besides.
func (c *compiler) option(at *node, name string, cooker recipe.Cooker, key string, value any, words []string) bool {
	if cooker == nil {
		return c.optionOfAny(at, key, value, words)
	}
	err := recipe.SetOption(cooker, key, value)
	switch {
	case err == nil:
		return true
	case !errors.Is(err, recipe.ErrNoOption):
		c.failf(at.value, "%s", short(err))
	case near(key, slices.Concat(c.keys(name), words)) != "":
		c.failf(at.key, "unknown key %q for recipe %q%s", clip(key), name, instead(key, slices.Concat(c.keys(name), words)))
	case len(c.keys(name)) == 0:
		c.failf(at.key, "unknown key %q for recipe %q, which has no options", clip(key), name)
	default:
		c.failf(at.key, "unknown key %q for recipe %q%s", clip(key), name, instead(key, c.keys(name)))
	}
	return false
}

func (c *compiler) optionOfAny(at *node, key string, value any, words []string) bool {
	var wrong *recipe.OptionError
	var wants []string
	for _, name := range c.set.recipes.Names() {
		err := recipe.SetOption(c.cooker(name), key, value)
		if err == nil {
			return true
		}
		if errors.As(err, &wrong) && !slices.Contains(wants, wrong.Want) {
			wants = append(wants, wrong.Want)
		}
	}
	if wrong != nil {
		c.failf(at.value, "%s", short(&recipe.OptionError{Key: key, Got: wrong.Got, Want: strings.Join(wants, " or ")}))
		return false
	}
	for _, name := range c.set.recipes.Names() {
		words = slices.Concat(words, c.keys(name))
	}
	if near(key, words) != "" {
		c.failf(at.key, "unknown key %q%s", clip(key), instead(key, words))
	} else {
		c.failf(at.key, "unknown key %q; no recipe has such an option", clip(key))
	}
	return false
}

// short is an option's error with a value that cannot fill the screen.
func short(err error) string {
	var wrong *recipe.OptionError
	if errors.As(err, &wrong) {
		err = &recipe.OptionError{Key: wrong.Key, Got: clip(wrong.Got), Want: wrong.Want}
	}
	return err.Error()
}

// targets compiles everything below [target].
func (c *compiler) targets(at *node, value any, prefix string) {
	names, ok := value.(map[string]any)
	if !ok {
		c.failf(at.key, "target: want tables such as [target.mobile.image]")
		return
	}
	for _, name := range sortedKeys(names) {
		place := at.field(name)
		if !isTargetName(name) {
			c.failf(place.key, "target %q: want a name of a-z, 0-9, '-' and '_', at most %d bytes", clip(name), maxTargetName)
			continue
		}
		if _, ok := c.set.number[name]; !ok {
			c.set.number[name] = len(c.set.number)
		}
		tables, ok := names[name].(map[string]any)
		if !ok {
			c.failf(place.value, "target %q: want tables such as [target.%s.image]", name, name)
			continue
		}
		for _, recipe := range sortedKeys(tables) {
			c.target(place.field(recipe), name, recipe, tables[recipe], prefix)
		}
	}
}

// target compiles one [target.name.recipe].
func (c *compiler) target(at *node, name, recipe string, value any, prefix string) {
	if !c.knows(recipe) {
		c.failf(at.key, "unknown recipe %q; have %s", clip(recipe), c.names())
		return
	}
	table, ok := value.(map[string]any)
	if !ok {
		c.failf(at.value, "target %q: want a table of options for recipe %q", name, recipe)
		return
	}
	if !c.room(at.key) {
		return
	}
	header := "[target." + name + "." + recipe + "]"
	l := layer{target: name, prefix: prefix, recipe: recipe, origin: c.file.origin(at.key, header)}
	cooker := c.cooker(recipe)
	for _, key := range sortedKeys(table) {
		place := at.field(key)
		if c.option(place, recipe, cooker, key, table[key], nil) {
			l.settings = append(l.settings, setting{key, table[key], c.file.origin(place.key, header)})
		}
	}
	c.tables = append(c.tables, l)
}

const maxTargetName = 64 // bytes

func isTargetName(name string) bool {
	for _, b := range []byte(name) {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '-' && b != '_' {
			return false
		}
	}
	return name != "" && len(name) <= maxTargetName
}
