package rules

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A use records how a layer affects the sources passed to Method.
type use struct {
	source  string   // first source that the layer matches, or ""
	recipes []string // recipes of the sources that the layer matches
	taken   []bool   // whether one of the recipes accepts each setting
	won     []bool   // whether each setting has an effect; the last element is for the outputs
	lost    []loss   // one source for each setting that another layer overrides
}

// A loss is a source for which another layer overrides a setting.
type loss struct {
	source string
	by     Origin
}

// noteEffects records the effect of the layers that match a source.
func (s *Set) noteEffects(matched *selection, path string, d *decision) {
	for i := s.order.own; i < len(s.layers); i++ {
		l, u := &s.layers[i], &s.calls.uses[i]
		if !matched.hasLayer(i) || l.isTable() && l.recipe != d.recipe {
			continue
		}
		if u.source == "" {
			n := len(l.settings)
			*u = use{source: path, taken: make([]bool, n), won: make([]bool, n+1), lost: make([]loss, n+1)}
		}
		if !slices.Contains(u.recipes, d.recipe) {
			u.recipes = append(u.recipes, d.recipe)
		}
		if d.cooker == nil || l.recipe != "" && l.recipe != d.recipe {
			continue
		}
		for k, o := range l.settings {
			// A new cooker suffices, because options do not change which settings a cooker accepts.
			if recipeset.SetOption(d.set.vocab.freshCooker(d.recipe), o.key, o.value) == nil {
				u.taken[k] = true
				u.countSetting(k, i, d.won[o.key], path)
			}
		}
		if l.outputs != nil {
			u.countSetting(len(l.settings), i, d.won["outputs"], path)
		}
	}
}

// countSetting records whether a setting of a layer has an effect on a source.
func (u *use) countSetting(k, layer int, winner win, source string) {
	if winner.layer == layer {
		u.won[k] = true
	} else {
		u.lost[k] = loss{source, winner.at}
	}
}

// Sets reports whether any rule that matches a source sets options of the recipe, for any target.
// Unlike Method, it records nothing.
func (s *Set) Sets(path string) bool {
	for target, number := range s.number {
		var matched selection
		s.matchLayers(&matched, path, number, target, false)
		for i := s.order.own; i < len(s.layers); i++ {
			// A rule for artifacts may match an artifact of this source.
			if l := &s.layers[i]; (matched.hasLayer(i) || l.forArtifacts) && l.recipe == "" && len(l.settings) > 0 {
				return true
			}
		}
	}
	return false
}

// Dropped returns the settings that no recipe of the matching sources accepts. Call it after Method
// was called for all sources.
func (s *Set) Dropped() Errors {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var errs Errors
	for i := s.order.own; i < len(s.layers); i++ {
		l, u := &s.layers[i], &s.calls.uses[i]
		if u.source == "" || l.recipe != "" {
			continue // Useless reports rules that match no source, and settings of a named recipe were checked earlier
		}
		for k, o := range l.settings {
			if !u.taken[k] {
				errs = append(errs, s.droppedSetting(u, &o))
			}
		}
	}
	errs.sortByPlace()
	return errs
}

func (s *Set) droppedSetting(u *use, o *setting) *Error {
	var keys []string
	for _, name := range u.recipes {
		if _, ok := s.vocab.recipes.Lookup(name); !ok {
			continue
		}
		var wrong *recipe.OptionError
		if errors.As(recipeset.SetOption(s.vocab.freshCooker(name), o.key, o.value), &wrong) {
			wrong.Got = clipText(wrong.Got)
			if text, ok := o.value.(string); ok {
				if end := meantWord(text, wrong.Want); end != "" {
					e := s.texts.errorInFile(o.at.File, o.line, o.column, wrong.Error()+end)
					s.vocab.fixOption(e, wrong, o.value)
					return e
				}
			}
			return s.texts.errorInFile(o.at.File, o.line, o.column, fmt.Sprintf("%v: recipe %q cooks the files of this rule, such as %s%s", wrong, name, clipText(u.source), s.vocab.elsewhere(o, u.recipes)))
		}
		for _, option := range recipeset.Options(s.vocab.freshCooker(name)) {
			keys = append(keys, option.Key)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	what := fmt.Sprintf("recipe %q, which cooks the files of this rule, such as %s, has no option %q", u.recipes[0], clipText(u.source), o.key)
	if len(u.recipes) > 1 {
		what = fmt.Sprintf("none of the recipes that cook the files of this rule has an option %q: %s", o.key, strings.Join(u.recipes, ", "))
	}
	if w := nearest.Word(o.key, keys); w != "" {
		what += fmt.Sprintf("; did you mean %q?", w)
	} else {
		what += s.vocab.elsewhere(o, u.recipes)
	}
	return s.texts.errorInFile(o.at.File, o.at.Line, o.at.Column, what) // no fix, because the key belongs to another recipe
}

// Wrong returns the errors of Method that have a position in a file, each once.
func (s *Set) Wrong() Errors {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var errs Errors
	for _, o := range s.cache.decided {
		var wrong *Error
		if !errors.As(o.err, &wrong) || wrong.File == "" || slices.ContainsFunc(errs, func(e *Error) bool { return e.Error() == wrong.Error() }) {
			continue
		}
		errs = append(errs, s.texts.errorInFile(wrong.File, wrong.Line, wrong.Column, wrong.Msg))
	}
	errs.sortByPlace()
	return errs
}

// Overruled returns a line for each setting that matches a source but has no effect on it. The
// weakest rule comes first.
func (s *Set) Overruled(path, target string) (lines []string) {
	m, err := s.Method(path, target)
	if err != nil {
		var matched selection
		if number, ok := s.number[target]; ok {
			return s.overruled(&matched, s.matchLayers(&matched, path, number, target, false), target)
		}
		return nil
	}
	s.eachChoice(m, path, target, func(matched *selection, row int) {
		lines = append(lines, s.overruled(matched, row, target)...)
	})
	return lines
}

// overruled implements Overruled for one step of a chain.
func (s *Set) overruled(matched *selection, row int, target string) (lines []string) {
	d := s.mergeLayers(matched, row, target)
	if d.cooker == nil {
		return nil
	}
	for i := range s.layers {
		l := &s.layers[i]
		if !matched.hasLayer(i) {
			continue
		}
		if l.recipe != "" && l.recipe != d.recipe {
			if !l.isTable() { // a table for another recipe is normal
				lines = append(lines, fmt.Sprintf("%s: recipe %q is overridden by %q of %s", l.chosen, l.recipe, d.recipe, d.won["recipe"].at))
			}
			continue
		}
		for _, o := range l.settings {
			won, taken := d.won[o.key]
			switch {
			case recipeset.SetOption(s.vocab.freshCooker(d.recipe), o.key, o.value) != nil:
				if i < s.order.own {
					continue // settings of an engine apply only to recipes that accept them
				}
				lines = append(lines, fmt.Sprintf("%s: option %s does not apply to recipe %q", o.at, o.key, d.recipe))
			case taken && won.layer != i:
				lines = append(lines, fmt.Sprintf("%s: %s is overridden by %s", o.at, o.key, won.at))
			}
		}
		if won := d.won["outputs"]; l.outputs != nil && won.layer != i {
			lines = append(lines, fmt.Sprintf("%s: outputs are overridden by %s", l.written, won.at))
		}
	}
	return lines
}

// Useless returns a line for each rule and table without effect, and for each setting that other
// rules override for all sources. A rule has no effect if it matches no source, or if stronger
// rules choose another recipe for all sources that it matches. For each rule that matches nothing,
// Useless suggests a similar pattern that matches a source.
//
// sources yields all sources. Method must have been called for each of them and every target.
// leftOut returns the default ignore pattern that excludes a name, or "".
func (s *Set) Useless(sources iter.Seq[string], leftOut func(name string) string) Errors {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var lines Errors
	const most = 20 // limit of the slow searches for similar patterns
	searched := 0
	for i := s.order.own; i < len(s.layers); i++ {
		l, u := &s.layers[i], &s.calls.uses[i]
		switch {
		case u.source == "" && l.targets != nil && !slices.ContainsFunc(s.calls.targets, l.isFor):
			continue // the run does not cook the targets of this layer
		case u.source == "" && l.isTable():
			if len(l.settings) > 0 {
				lines = append(lines, s.texts.errorInFile(l.origin.File, l.origin.Line, l.origin.Column, fmt.Sprintf("this table has no effect: recipe %q cooks no source in this directory for target %q", l.recipe, l.targets[0])))
			}
		case u.source == "":
			what, why := "source", ""
			if l.forArtifacts {
				what = "artifact"
			} else if pattern := leftOut(sampleName(l.texts[0])); pattern != "" {
				why = fmt.Sprintf("; %s is left out unless a .cookignore has !%[1]s", pattern)
			} else if searched++; searched <= most {
				why = l.likelyPattern(sources)
			}
			lines = append(lines, s.texts.errorInFile(l.matched.File, l.matched.Line, l.matched.Column, fmt.Sprintf("no %s matches %s%s", what, clipText(l.origin.Match), why)))
		case l.recipe != "" && !slices.Contains(u.recipes, l.recipe):
			lines = append(lines, s.texts.errorInFile(l.chosen.File, l.chosen.Line, l.chosen.Column, fmt.Sprintf("this rule has no effect: rules with precedence choose recipe %q for all files that it matches, such as %s", strings.Join(u.recipes, `" or "`), clipText(u.source))))
		default:
			lines = append(lines, s.overridden(l, u)...)
		}
	}
	lines.sortByPlace()
	return lines
}

// overridden returns a line for each setting of a layer that has no effect on any source, although
// the recipe accepts it, because other layers override it.
func (s *Set) overridden(l *layer, u *use) (lines Errors) {
	for k, lost := range u.lost {
		if u.won[k] || lost.source == "" {
			continue
		}
		key, at, verb := "outputs", l.written, "have"
		if k < len(l.settings) {
			key, at, verb = l.settings[k].key, l.settings[k].at, "has"
		}
		lines = append(lines, s.texts.errorInFile(at.File, at.Line, at.Column, fmt.Sprintf("%s %s no effect on any asset; %s overrides it for %s", key, verb, lost.by, clipText(lost.source))))
	}
	return lines
}

// likelyPattern returns the end of a message about a rule that matches nothing. It names a similar
// pattern that matches a source, or a mistake in the pattern.
func (l *layer) likelyPattern(sources iter.Seq[string]) string {
	prefix, text := l.prefix, l.texts[0]
	try := func(fixed string) bool { return fixed != text && matchesAny(fixed, prefix, sources, false) }
	if fixed := strings.NewReplacer(`\\`, "/", `\`, "/").Replace(text); try(fixed) {
		return fmt.Sprintf("; paths have slashes: did you mean %q?", fixed)
	}
	if fixed := fromRegexp(text); try(fixed) {
		return fmt.Sprintf("; patterns are not regular expressions: did you mean %q?", fixed)
	}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "/"), prefix); ok && try(rest) {
		return fmt.Sprintf("; patterns begin at the directory of their file: did you mean %q?", rest)
	}
	if _, rest, ok := strings.Cut(strings.TrimPrefix(text, "/"), "/"); ok && rest != "" && prefix == "" && try("/"+rest) {
		return fmt.Sprintf("; patterns begin at the asset directory: did you mean %q?", "/"+rest)
	}
	if matchesAny(text, prefix, sources, true) {
		return "; the case of letters differs: " + foldedMatch(text, prefix, sources)
	}
	if fixed := respelled(text, prefix, sources); fixed != "" && matchesAny(fixed, prefix, sources, false) {
		return fmt.Sprintf("; did you mean %q?", fixed)
	}
	return ""
}

// sampleName returns a file name that a pattern probably matches.
func sampleName(pattern string) string {
	name := strings.ReplaceAll(path.Base(pattern), "*", "x")
	if first, rest, ok := strings.Cut(name, "{"); ok {
		word, _, _ := strings.Cut(rest, ",")
		_, end, _ := strings.Cut(rest, "}")
		name = first + strings.TrimSuffix(word, "}") + end
	}
	return name
}

// matchesAny reports whether a pattern matches any source. prefix is the directory of the pattern's
// rule file. If folded is set, case is ignored.
func matchesAny(pattern, prefix string, sources iter.Seq[string], folded bool) bool {
	_, ok := firstMatch(pattern, prefix, sources, folded)
	return ok
}

func foldedMatch(pattern, prefix string, sources iter.Seq[string]) string {
	source, _ := firstMatch(pattern, prefix, sources, true)
	return clipText(source)
}

func firstMatch(pattern, prefix string, sources iter.Seq[string], folded bool) (string, bool) {
	if folded {
		pattern = strings.ToLower(pattern)
	}
	var list glob.List
	if list.Add(pattern) != nil {
		return "", false
	}
	for source := range sources {
		rest, inside := strings.CutPrefix(source, prefix)
		if !inside {
			continue
		}
		if folded {
			rest = strings.ToLower(rest)
		}
		if list.Match(rest, path.Base(rest)) {
			return source, true
		}
	}
	return "", false
}

// fromRegexp translates common syntax of regular expressions into pattern syntax.
func fromRegexp(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$")
	return strings.NewReplacer(".*", "*", ".+", "*", `\.`, ".", "(", "{", ")", "}", "|", ",").Replace(text)
}

// respelled replaces elements of a pattern with similar names of sources.
func respelled(text, prefix string, sources iter.Seq[string]) string {
	elements := strings.Split(text, "/")
	anchored := len(elements) > 1
	names := make([]map[string]bool, len(elements))
	for i := range names {
		names[i] = map[string]bool{}
	}
	endings := map[string]bool{}
	for source := range sources {
		rest, inside := strings.CutPrefix(source, prefix)
		if !inside {
			continue
		}
		parts := strings.Split(rest, "/")
		for i, part := range parts {
			if i < len(names) && len(names[i]) < 10_000 {
				names[i][part] = true
			}
		}
		endings[path.Ext(rest)] = true
	}
	changed := false
	for i, e := range elements {
		switch {
		case e == "":
		case !strings.ContainsAny(e, `*?[{\`) && anchored && !names[i][e]:
			if w := nearest.Word(e, sortedKeys(names[i])); w != "" {
				elements[i], changed = w, true
			}
		case i == len(elements)-1 && strings.HasPrefix(e, "*.") && !strings.ContainsAny(e[2:], `*?[{\`) && !endings[e[1:]]:
			if w := nearest.Word(e[1:], sortedKeys(endings)); w != "" {
				elements[i], changed = "*"+w, true
			}
		}
	}
	if !changed {
		return ""
	}
	return strings.Join(elements, "/")
}
