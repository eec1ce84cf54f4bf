package rules

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// checkOption checks an option of a rule or a target's table, and reports whether it is valid. The
// cooker of the named recipe must accept the value. Without a named recipe, some recipe must accept
// it. words lists other keys for suggestions.
func (c *compiler) checkOption(at *node, l *layer, name string, cooker recipe.Cooker, key string, value any, words []string) bool {
	if cooker == nil {
		return c.optionOfAny(at, l, key, value, words)
	}
	err := recipeset.SetOption(cooker, key, value)
	switch {
	case err == nil:
		return true
	case !errors.Is(err, recipeset.ErrNoOption):
		c.set.vocab.fixOption(c.in.failf(at.value, "%s", c.shortError(at, err, value)), err, value)
	case nearest.Word(key, slices.Concat(c.set.vocab.optionKeys(name), words)) != "":
		words := slices.Concat(c.set.vocab.optionKeys(name), words)
		c.set.vocab.misspelt(c.in.failf(at.key, "unknown key %q for recipe %q%s", clipText(key), name, instead(key, words)), key, words)
	case len(c.set.vocab.optionKeys(name)) == 0:
		c.in.failf(at.key, "unknown key %q for recipe %q, which has no options", clipText(key), name)
	default:
		c.in.failf(at.key, "unknown key %q for recipe %q%s", clipText(key), name, instead(key, c.set.vocab.optionKeys(name)))
	}
	return false
}

// optionOfAny checks an option of a rule that names no recipe.
func (c *compiler) optionOfAny(at *node, l *layer, key string, value any, words []string) bool {
	var all wantedValues
	got := ""
	for _, name := range c.set.vocab.recipes.Names() {
		err := recipeset.SetOption(c.set.vocab.freshCooker(name), key, value)
		if err == nil {
			return true
		}
		var one *recipe.OptionError
		if errors.As(err, &one) {
			all, got = all.with(name, one.Want), one.Got
		}
	}
	if len(all) > 0 {
		likely := all
		if len(all) > 1 {
			likely = all.of(c.recipesOf(l))
		}
		text := c.shortError(at, &recipe.OptionError{Key: key, Got: got, Want: likely.inWords(key)}, value)
		full := &recipe.OptionError{Key: key, Got: got, Want: all.listed()}
		if word, ok := value.(string); ok && !strings.Contains(text, "; did you mean ") && !strings.Contains(text, "; remove ") {
			text += meantWord(word, full.Want)
		}
		c.set.vocab.fixOption(c.in.failf(at.value, "%s", text), full, value)
		return false
	}
	for _, name := range c.set.vocab.recipes.Names() {
		words = slices.Concat(words, c.set.vocab.optionKeys(name))
	}
	if nearest.Word(key, words) != "" {
		c.set.vocab.misspelt(c.in.failf(at.key, "unknown key %q%s", clipText(key), instead(key, words)), key, words)
	} else {
		c.in.failf(at.key, "unknown key %q; no recipe has such an option", clipText(key))
	}
	return false
}

// recipesOf returns the recipes that probably cook the files of a rule. The recipe is the one for
// the extensions in the rule's patterns. If there is none, the matching files determine the
// recipes.
func (c *compiler) recipesOf(l *layer) (names []string) {
	if name := c.set.builtin.likelyRecipe(l.texts); name != "" || c.paths == nil {
		return []string{name}
	}
	for file := range c.paths() {
		rest, inside := strings.CutPrefix(file, l.prefix)
		if !inside || !l.patterns.Match(rest, path.Base(rest)) {
			continue
		}
		if name := c.set.builtin.rows[c.set.builtin.rowOfPath(file)].recipe; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// wantedValues has descriptions of the values that recipes accept for an option.
type wantedValues []wantedValue

type wantedValue struct {
	recipes []string
	want    string
}

// with returns w with the description in want added for a recipe.
func (w wantedValues) with(recipe, want string) wantedValues {
	if i := slices.IndexFunc(w, func(v wantedValue) bool { return v.want == want }); i >= 0 {
		w[i].recipes = append(w[i].recipes, recipe)
		return w
	}
	return append(w, wantedValue{[]string{recipe}, want})
}

// of selects the descriptions for the given recipes. If no description matches, it returns all
// descriptions.
func (w wantedValues) of(recipes []string) wantedValues {
	some := slices.DeleteFunc(slices.Clone(w), func(v wantedValue) bool {
		return !slices.ContainsFunc(v.recipes, func(name string) bool { return slices.Contains(recipes, name) })
	})
	if len(some) == 0 {
		return w
	}
	return some
}

// mostWanted limits the number of descriptions in a message.
const mostWanted = 2

// inWords returns the descriptions as text. If there are too many, it names a command that lists
// them.
func (w wantedValues) inWords(key string) string {
	switch {
	case len(w) == 1:
		return w[0].want
	case len(w) > mostWanted:
		recipes := 0
		for _, v := range w {
			recipes += len(v.recipes)
		}
		return fmt.Sprintf("a value that one of %d recipes takes (cook help %s lists them)", recipes, key)
	}
	return w.listed()
}

// listed returns all descriptions as text.
func (w wantedValues) listed() string {
	var all []string
	for _, v := range w {
		all = append(all, fmt.Sprintf("%s (recipe %s)", v.want, strings.Join(v.recipes, ", ")))
	}
	return strings.Join(all, " or ")
}

// shortError returns the error of an option with a shortened value.
func (c *compiler) shortError(at *node, err error, value any) string {
	var wrong *recipe.OptionError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	brief := &recipe.OptionError{Key: wrong.Key, Got: clipText(wrong.Got), Want: wrong.Want}
	if text, ok := value.(string); ok {
		return brief.Error() + meantWord(text, wrong.Want)
	}
	x, isFloat := value.(float64)
	if !isFloat || !strings.HasPrefix(wrong.Want, "a whole number") {
		return brief.Error()
	}
	brief.Got = clipText(c.in.file.wordAt(at.value))
	if x != math.Trunc(x) || math.Abs(x) >= 1<<53 {
		return brief.Error()
	}
	return fmt.Sprintf("%v; write it without point and exponent: %.0f", brief, x)
}

// compileTargets compiles everything below [target].
func (c *compiler) compileTargets(at *node, value any, prefix string) {
	names, ok := value.(map[string]any)
	if !ok {
		c.in.failf(at.key, "target: want tables such as [target.mobile.image]")
		return
	}
	for _, name := range sortedKeys(names) {
		place := at.fieldPlace(name)
		if !isTargetName(name) {
			c.in.failf(place.key, "target %q: want a name of a-z, 0-9, '-' and '_', at most %d bytes", clipText(name), maxTargetName)
			continue
		}
		if name == AllTargets {
			c.in.failf(place.key, "target %q: this name means all declared targets; choose another one", name)
			continue
		}
		if _, ok := c.set.number[name]; !ok {
			c.set.number[name] = len(c.set.number)
		}
		tables, ok := names[name].(map[string]any)
		if !ok {
			c.in.failf(place.value, "target %q: want tables such as [target.%s.image]", name, name)
			continue
		}
		for _, recipe := range sortedKeys(tables) {
			if recipe == engineKey {
				c.engines.targets[name] = cmp.Or(c.in.readEngine(place.fieldPlace(recipe), tables[recipe]), c.engines.targets[name])
				continue
			}
			c.compileTargetTable(place.fieldPlace(recipe), name, recipe, tables[recipe], prefix)
		}
	}
}

// compileTargetTable compiles one [target.name.recipe].
func (c *compiler) compileTargetTable(at *node, name, recipe string, value any, prefix string) {
	if !c.set.vocab.hasRecipe(recipe) {
		c.set.vocab.misspelt(c.in.failf(at.key, "unknown recipe %q%s", clipText(recipe), instead(recipe, c.set.vocab.recipes.Names())), recipe, c.set.vocab.recipes.Names())
		return
	}
	table, ok := value.(map[string]any)
	if !ok {
		c.in.failf(at.value, "target %q: want a table of options for recipe %q", name, recipe)
		return
	}
	if !c.layerFits(at.key) {
		return
	}
	header := "[target." + name + "." + recipe + "]"
	l := layer{targets: []string{name}, prefix: prefix, recipe: recipe, origin: c.in.file.originAt(at.key, header)}
	cooker := c.set.vocab.freshCooker(recipe)
	for _, key := range sortedKeys(table) {
		place := at.fieldPlace(key)
		if c.checkOption(place, nil, recipe, cooker, key, table[key], nil) {
			l.settings = append(l.settings, c.setting(key, table[key], place, header))
		}
	}
	c.tables = append(c.tables, l)
}

const maxTargetName = 64 // maximum length in bytes

// AllTargets is the name for all declared targets.
const AllTargets = "all"

func isTargetName(name string) bool {
	for _, b := range []byte(name) {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '-' && b != '_' {
			return false
		}
	}
	return name != "" && len(name) <= maxTargetName
}
