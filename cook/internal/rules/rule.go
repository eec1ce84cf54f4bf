package rules

import (
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// ruleKeys are the keys of a rule that are not options.
var ruleKeys = []string{"match", "from", "recipe", "output", "outputs", "target"}

// compileRule compiles one [[rule]].
func (c *compiler) compileRule(at *node, table map[string]any, prefix string) {
	l := layer{prefix: prefix}
	matches := c.compilePatterns(at, table, &l)
	l.origin = c.in.file.originAt(at.value, matches)
	c.compileFrom(at, table, &l)
	known := c.readRecipe(at, table, &l)
	c.ruleTargets(at, table, &l)

	cooker := c.set.vocab.freshCooker(l.recipe)
	for _, key := range sortedKeys(table) {
		// The options of an unknown recipe cannot be checked, so they are skipped.
		if !known || slices.Contains(ruleKeys, key) {
			continue
		}
		place := at.fieldPlace(key)
		if c.checkOption(place, &l, l.recipe, cooker, key, table[key], ruleKeys) {
			l.settings = append(l.settings, c.setting(key, table[key], place, matches))
		}
	}
	c.compileOutputs(at, table, cooker, &l)
	if l.targets != nil {
		c.aimed = append(c.aimed, l)
	} else {
		c.set.layers = append(c.set.layers, l)
	}
}

// Values of the key "from".
const (
	fromSources   = "sources"
	fromArtifacts = "artifacts"
)

// compileFrom reads whether a rule applies to sources or to artifacts.
func (c *compiler) compileFrom(at *node, table map[string]any, l *layer) {
	value, ok := table["from"]
	if !ok {
		return
	}
	switch value {
	case fromSources:
	case fromArtifacts:
		l.forArtifacts, c.set.chains = true, true
	default:
		e := c.in.failf(at.fieldPlace("from").value, "from: want %q or %q", fromSources, fromArtifacts)
		if text, ok := value.(string); ok {
			e.fixMisspelling(text, []string{fromSources, fromArtifacts})
		}
	}
}

// ruleTargets reads the targets of a rule. finishRules checks that they are declared.
func (c *compiler) ruleTargets(at *node, table map[string]any, l *layer) {
	value, ok := table["target"]
	if !ok {
		return
	}
	at = at.fieldPlace("target")
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	if len(list) == 0 {
		c.in.failf(at.value, "target: want at least one name")
	}
	for i, v := range list {
		place := at
		if isList {
			place = at.itemPlace(i)
		}
		name, ok := v.(string)
		switch {
		case !ok || name == "":
			c.in.failf(place.value, "target: want a name or a list of names")
		case name == AllTargets:
			c.in.failf(place.value, "target: \"all\" is not allowed; a rule without a target is for all targets")
		default:
			l.targets = append(l.targets, name)
			c.aims = append(c.aims, aim{name, c.in.file.originAt(place.value, "")})
		}
	}
}

// setting returns an option of a rule or a target's table.
func (c *compiler) setting(key string, value any, place *node, match string) setting {
	line, column := c.in.file.lineAndColumn(place.value)
	return setting{key, value, c.in.file.originAt(place.key, match), column, line}
}

// compilePatterns compiles a rule's patterns and returns them as text.
func (c *compiler) compilePatterns(at *node, table map[string]any, l *layer) string {
	value, ok := table["match"]
	if !ok {
		c.in.failf(at.value, `the rule has no match; name the files that it applies to, as in match = "*.png"`)
		return ""
	}
	at = at.fieldPlace("match")
	l.matched = c.in.file.originAt(at.value, "")
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	if len(list) == 0 {
		c.in.failf(at.value, "match: want at least one pattern")
	}
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			c.in.failf(at.itemPlace(i).value, "match: want a pattern or a list of patterns")
			continue
		}
		l.texts = append(l.texts, text)
		if c.patterns > maxPatterns {
			continue // the error was reported before
		}
		before := l.patterns.Len()
		if err := l.patterns.Add(text); err != nil {
			c.in.failf(at.itemPlace(i).value, "match: %v", err)
		}
		if c.patterns += l.patterns.Len() - before; c.patterns > maxPatterns {
			c.in.failf(at.itemPlace(i).value, "match: all files together have more than %d patterns", maxPatterns)
		}
	}
	return strings.Join(l.texts, ", ")
}

// readRecipe reads the recipe that a rule names, if any. It returns false if the recipe is invalid.
func (c *compiler) readRecipe(at *node, table map[string]any, l *layer) bool {
	value, ok := table["recipe"]
	if !ok {
		if _, has := table["command"]; has && slices.Contains(c.set.vocab.optionKeys("command"), "command") {
			l.recipe = "command"
			l.chosen = c.in.file.originAt(at.fieldPlace("command").key, l.origin.Match)
		}
		return true
	}
	at = at.fieldPlace("recipe")
	name, ok := value.(string)
	if !ok {
		c.in.failf(at.value, "recipe: want a name; have %s", strings.Join(c.set.vocab.recipes.Names(), ", "))
		return false
	}
	if !c.set.vocab.hasRecipe(name) {
		c.set.vocab.misspelt(c.in.failf(at.value, "unknown recipe %q%s", clipText(name), instead(name, c.set.vocab.recipes.Names())), name, c.set.vocab.recipes.Names())
		return false
	}
	l.recipe = name
	l.chosen = c.in.file.originAt(at.key, l.origin.Match)
	return true
}

// compileOutputs compiles the templates of a rule. cooker is the cooker of the rule's recipe, with
// the rule's options. It may be nil.
func (c *compiler) compileOutputs(at *node, table map[string]any, cooker recipe.Cooker, l *layer) {
	one, single := table["output"]
	value, many := table["outputs"]
	own := 0
	if cooker != nil {
		own = len(cooker.Outputs())
	}
	switch {
	case single && many:
		c.in.failf(max(at.fieldPlace("output").key, at.fieldPlace("outputs").key), "the rule has output and outputs; keep only one of them")
		c.gives[l.recipe] = true
		return
	case single:
		at, value = at.fieldPlace("output"), one
		if _, ok := value.(string); !ok {
			c.in.failf(at.value, `output: want a template such as "{stem}.bin"; a list is called outputs`)
		}
	case many:
		at = at.fieldPlace("outputs")
		if list, ok := value.([]any); !ok || len(list) == 0 {
			c.in.failf(at.value, `outputs: want a list of templates such as ["{stem}.bin"]`)
		}
	default:
		if cooker != nil && own == 0 {
			c.needs = append(c.needs, need{l.recipe, l.chosen})
		}
		return
	}

	c.gives[l.recipe] = true
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			if isList {
				c.in.failf(at.itemPlace(i).value, "outputs: want a template")
			}
			continue
		}
		t, err := ParseTemplate(text)
		if err != nil {
			c.in.failf(at.itemPlace(i).value, "%v", err)
			continue
		}
		l.outputs = append(l.outputs, t)
	}
	if own > 0 && len(list) > 0 && own != len(list) {
		c.in.failf(at.value, "%s", wrongCount(l.recipe, own, len(list)))
	}
	l.written = c.in.file.originAt(at.key, l.origin.Match)
}
