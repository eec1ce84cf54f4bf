package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A vocabulary knows the words in rules: the recipes, their options, and the values of options.
type vocabulary struct{ recipes *recipeset.Set }

// freshCooker returns a cooker with default options, or nil for an unknown recipe.
func (v vocabulary) freshCooker(name string) recipe.Cooker {
	if r, ok := v.recipes.Lookup(name); ok {
		return r.New()
	}
	return nil
}

// hasRecipe reports whether a recipe exists.
func (v vocabulary) hasRecipe(name string) bool {
	_, ok := v.recipes.Lookup(name)
	return ok
}

// optionKeys returns the keys of a recipe's options, sorted.
func (v vocabulary) optionKeys(name string) (keys []string) {
	if cooker := v.freshCooker(name); cooker != nil {
		for _, o := range recipeset.Options(cooker) {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// misspelt adds a fix for a misspelt recipe, key or value. There is no fix for a word of another
// recipe, which is misplaced and not misspelt.
func (v vocabulary) misspelt(e *Error, old string, words []string) {
	if !v.knowsWord(old) {
		e.fixMisspelling(old, words)
	}
}

// knowsWord reports whether a text is a recipe, an option, or a word among the values of an option.
func (v vocabulary) knowsWord(text string) bool {
	for _, name := range v.recipes.Names() {
		if name == text {
			return true
		}
		for _, o := range recipeset.Options(v.freshCooker(name)) {
			if o.Key == text || slices.Contains(quotedIn(o.Want), text) {
				return true
			}
		}
	}
	return false
}

// fixOption sets the fix of an error about an option's value.
func (v vocabulary) fixOption(e *Error, err error, value any) {
	var wrong *recipe.OptionError
	if !errors.As(err, &wrong) {
		return
	}
	switch value := value.(type) {
	case string:
		if v.misspelt(e, value, quotedIn(wrong.Want)); e.fix == nil && strings.HasSuffix(e.Msg, "; remove the quotes") {
			e.fixAt(e.Column, `"`+value+`"`, value)
		}
	case float64:
		if _, whole, ok := strings.Cut(e.Msg, "without point and exponent: "); ok {
			word, _, _ := strings.Cut(e.text[min(e.Column-1, len(e.text)):], " ")
			e.fixAt(e.Column, strings.TrimRight(word, ",]"), whole)
		}
	}
}

// elsewhere returns a text that names the other recipes that accept a setting.
func (v vocabulary) elsewhere(o *setting, but []string) string {
	var takers []string
	for _, name := range v.recipes.Names() {
		if !slices.Contains(but, name) && recipeset.SetOption(v.freshCooker(name), o.key, o.value) == nil {
			takers = append(takers, fmt.Sprintf("%q", name))
		}
	}
	if len(takers) == 0 {
		return ""
	}
	verb := " take it"
	if len(takers) == 1 {
		verb = " takes it"
	}
	return "; " + strings.Join(takers, " and ") + verb
}

// quotedIn returns the quoted words in a description of valid values. It omits words in examples.
func quotedIn(want string) (words []string) {
	parts := strings.Split(want, `"`)
	for i := 1; i < len(parts); i += 2 {
		if !strings.HasSuffix(parts[i-1], "such as ") {
			words = append(words, parts[i])
		}
	}
	return words
}

// meantWord returns the end of a message about an unknown word. It suggests the most similar quoted
// word of want, or to remove the quotes of a number or a boolean.
func meantWord(text, want string) string {
	if w := nearest.Word(text, quotedIn(want)); w != "" {
		return fmt.Sprintf("; did you mean %q?", w)
	}
	_, notNumber := strconv.ParseFloat(text, 64)
	_, notWhole := strconv.ParseInt(text, 10, 64)
	switch {
	case (text == "true" || text == "false") && strings.Contains(want, text),
		notNumber == nil && strings.Contains(want, "a number"), notWhole == nil && strings.Contains(want, "a whole number"):
		return "; remove the quotes"
	}
	return ""
}
