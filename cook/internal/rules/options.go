package rules

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// checkOption checks one option of a rule or target table and reports whether it is valid. The cooker
// of a named recipe takes the value; without a name, some recipe must have the option and accept
// the value. words are other keys that might have been intended.
func (c *compiler) checkOption(at *node, name, guessed string, cooker recipe.Cooker, key string, value any, words []string) bool {
	if cooker == nil {
		return c.optionOfAny(at, guessed, key, value, words)
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

// optionOfAny checks an option of a rule that names no recipe. guessed is the recipe that
// probably cooks the matching files, "" for none: messages then describe only its values.
func (c *compiler) optionOfAny(at *node, guessed, key string, value any, words []string) bool {
	var wrong *recipe.OptionError
	var wants []string
	own := "" // the description of the guessed recipe
	for _, name := range c.set.vocab.recipes.Names() {
		err := recipeset.SetOption(c.set.vocab.freshCooker(name), key, value)
		if err == nil {
			return true
		}
		var one *recipe.OptionError
		if errors.As(err, &one) {
			wrong = one
			if name == guessed {
				own = one.Want
			}
			if want := fmt.Sprintf("%s (recipe %s)", one.Want, name); !slices.Contains(wants, want) {
				wants = append(wants, want)
			}
		}
	}
	if wrong != nil {
		if len(wants) == 1 || own != "" {
			wants = []string{cmp.Or(own, wrong.Want)}
		}
		err := &recipe.OptionError{Key: key, Got: wrong.Got, Want: strings.Join(wants, " or ")}
		c.set.vocab.fixOption(c.in.failf(at.value, "%s", c.shortError(at, err, value)), err, value)
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

// shortError returns an option's error with the value clipped.
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
		if c.checkOption(place, recipe, recipe, cooker, key, table[key], nil) {
			l.settings = append(l.settings, c.setting(key, table[key], place, header))
		}
	}
	c.tables = append(c.tables, l)
}

const maxTargetName = 64 // bytes

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
