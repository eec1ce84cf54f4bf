package rules

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A use records the effect of a layer on the sources passed to Method.
type use struct {
	source  string   // the first source that it matches, "" for none
	recipes []string // recipes of the matching sources
	taken   []bool   // settings that some of these recipes accept
	won     []bool   // by setting and output: has an effect on some source
	lost    []loss   // by setting, while it has no effect
}

// A loss is a source for which another layer overrides a setting.
type loss struct {
	source string
	by     Origin
}

// note records the effect of the layers that match a source.
func (s *Set) note(matched *selection, path string, d *decision) {
	for i := range s.asked.uses {
		l, u := &s.layers[i], &s.asked.uses[i]
		if !matched.has(i) || l.isTable() && l.recipe != d.recipe {
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
			// The cooker has other options by now, but acceptance does not depend on them.
			if recipeset.SetOption(d.set.fresh(d.recipe), o.key, o.value) == nil {
				u.taken[k] = true
				u.count(k, i, d.won[o.key], path)
			}
		}
		if l.outputs != nil {
			u.count(len(l.settings), i, d.won["outputs"], path)
		}
	}
}

// count records whether a setting of a layer has an effect on a source.
func (u *use) count(k, layer int, winner win, source string) {
	if winner.layer == layer {
		u.won[k] = true
	} else {
		u.lost[k] = loss{source, winner.at}
	}
}

// Sets reports whether a rule that matches a source has settings that a recipe must accept, for
// any target. It does not count as a call of Method.
func (s *Set) Sets(path string) bool {
	for target, number := range s.number {
		var matched selection
		s.match(&matched, path, number, target, false)
		for i := range s.asked.uses {
			// A rule for artifacts may match an artifact of the source.
			if l := &s.layers[i]; (matched.has(i) || l.made) && l.recipe == "" && len(l.settings) > 0 {
				return true
			}
		}
	}
	return false
}

// fresh returns a recipe's defaults.
func (s *Set) fresh(name string) recipe.Cooker {
	r, _ := s.recipes.Lookup(name)
	return r.New()
}

// Dropped returns the settings that no recipe of the matching sources accepts. Method must have
// been called for all sources.
func (s *Set) Dropped() Errors {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var errs Errors
	for i := range s.asked.uses {
		l, u := &s.layers[i], &s.asked.uses[i]
		if u.source == "" || l.recipe != "" {
			continue // Useless reports it; a named recipe was checked when its rule was read
		}
		for k, o := range l.settings {
			if !u.taken[k] {
				errs = append(errs, s.dropped(u, &o))
			}
		}
	}
	errs.sort()
	return errs
}

func (s *Set) dropped(u *use, o *setting) *Error {
	var keys []string
	for _, name := range u.recipes {
		if _, ok := s.recipes.Lookup(name); !ok {
			continue
		}
		var wrong *recipe.OptionError
		if errors.As(recipeset.SetOption(s.fresh(name), o.key, o.value), &wrong) {
			wrong.Got = clip(wrong.Got)
			if text, ok := o.value.(string); ok {
				if end := meantWord(text, wrong.Want); end != "" {
					e := s.errorAt(o.at.File, o.line, o.column, wrong.Error()+end)
					s.fixOption(e, wrong, o.value)
					return e
				}
			}
			return s.errorAt(o.at.File, o.line, o.column, fmt.Sprintf("%v: recipe %q cooks what this rule matches, such as %s%s", wrong, name, clip(u.source), s.elsewhere(o, u.recipes)))
		}
		for _, option := range recipeset.Options(s.fresh(name)) {
			keys = append(keys, option.Key)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	what := fmt.Sprintf("recipe %q, which cooks what this rule matches, such as %s, has no option %q", u.recipes[0], clip(u.source), o.key)
	if len(u.recipes) > 1 {
		what = fmt.Sprintf("no recipe that cooks what this rule matches has an option %q: %s", o.key, strings.Join(u.recipes, ", "))
	}
	if w := nearest.Word(o.key, keys); w != "" {
		what += fmt.Sprintf("; did you mean %q?", w)
	} else {
		what += s.elsewhere(o, u.recipes)
	}
	return s.errorAt(o.at.File, o.at.Line, o.at.Column, what) // no fix: another recipe has this key
}

// Wrong returns the errors of rules that do not depend on the source: the errors of Method with a
// place, each once.
func (s *Set) Wrong() Errors {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var errs Errors
	for _, o := range s.made.decided {
		var wrong *Error
		if !errors.As(o.err, &wrong) || wrong.File == "" || slices.ContainsFunc(errs, func(e *Error) bool { return e.Error() == wrong.Error() }) {
			continue
		}
		errs = append(errs, s.errorAt(wrong.File, wrong.Line, wrong.Column, wrong.Msg))
	}
	errs.sort()
	return errs
}

// Overruled returns a line for each setting for a source that has no effect, weakest rule first.
func (s *Set) Overruled(path, target string) (lines []string) {
	m, err := s.Method(path, target)
	if err != nil {
		var matched selection
		if number, ok := s.number[target]; ok {
			return s.overruled(&matched, s.match(&matched, path, number, target, false), target)
		}
		return nil
	}
	s.eachChoice(m, path, target, func(matched *selection, row int) {
		lines = append(lines, s.overruled(matched, row, target)...)
	})
	return lines
}

// overruled returns the lines of Overruled for one step of a chain.
func (s *Set) overruled(matched *selection, row int, target string) (lines []string) {
	d := s.weigh(matched, row, target)
	if d.cooker == nil {
		return nil
	}
	for i := range s.layers {
		l := &s.layers[i]
		if !matched.has(i) {
			continue
		}
		if l.recipe != "" && l.recipe != d.recipe {
			if !l.isTable() { // a table for another recipe is for other sources
				lines = append(lines, fmt.Sprintf("%s: recipe %q is overridden by %q of %s", l.chosen, l.recipe, d.recipe, d.won["recipe"].at))
			}
			continue
		}
		for _, o := range l.settings {
			won, taken := d.won[o.key]
			switch {
			case recipeset.SetOption(s.fresh(d.recipe), o.key, o.value) != nil:
				lines = append(lines, fmt.Sprintf("%s: %s is not accepted by recipe %q", o.at, o.key, d.recipe))
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

// errorAt returns an error at a place of a file.
func (s *Set) errorAt(file string, line, column int, msg string) *Error {
	if d := s.texts[file]; d != nil {
		return d.errorAt(line, column, msg)
	}
	return &Error{File: file, Line: line, Column: column, Msg: msg}
}

// elsewhere names other recipes that accept a setting.
func (s *Set) elsewhere(o *setting, but []string) string {
	var takers []string
	for _, name := range s.recipes.Names() {
		if !slices.Contains(but, name) && recipeset.SetOption(s.fresh(name), o.key, o.value) == nil {
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

// Useless returns a line for each rule and table without effect, and for each setting that other
// rules override for all sources. A rule has no effect if no source matches it, or if stronger
// rules choose another recipe for all its sources. sources yields all sources; Method must have
// been called for each of them and every target. For each rule that matches nothing, Useless
// searches the sources for a likely match. leftOut returns the default ignore pattern for a name,
// "" for none.
func (s *Set) Useless(sources iter.Seq[string], leftOut func(name string) string) Errors {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var lines Errors
	const most = 20 // more are not worth a search
	searched := 0
	for i := range s.asked.uses {
		l, u := &s.layers[i], &s.asked.uses[i]
		switch {
		case u.source == "" && l.targets != nil && !slices.ContainsFunc(s.asked.targets, l.isFor):
			continue // its targets are not cooked
		case u.source == "" && l.isTable():
			if len(l.settings) > 0 {
				lines = append(lines, s.errorAt(l.origin.File, l.origin.Line, l.origin.Column, fmt.Sprintf("this table does nothing: recipe %q cooks no source here for target %q", l.recipe, l.targets[0])))
			}
		case u.source == "":
			what, why := "source", ""
			if l.made {
				what = "artifact"
			} else if pattern := leftOut(sampleName(l.texts[0])); pattern != "" {
				why = fmt.Sprintf("; %s is left out unless a .cookignore has !%[1]s", pattern)
			} else if searched++; searched <= most {
				why = s.meant(i, sources)
			}
			lines = append(lines, s.errorAt(l.matched.File, l.matched.Line, l.matched.Column, fmt.Sprintf("no %s matches %s%s", what, clip(l.origin.Match), why)))
		case l.recipe != "" && !slices.Contains(u.recipes, l.recipe):
			lines = append(lines, s.errorAt(l.chosen.File, l.chosen.Line, l.chosen.Column, fmt.Sprintf("this rule does nothing: stronger rules have recipe %q cook all that it matches, such as %s", strings.Join(u.recipes, `" or "`), clip(u.source))))
		default:
			lines = append(lines, s.overridden(l, u)...)
		}
	}
	lines.sort()
	return lines
}

// overridden returns a line for each setting of a layer that its recipe accepts but other layers
// override for every source.
func (s *Set) overridden(l *layer, u *use) (lines Errors) {
	for k, lost := range u.lost {
		if u.won[k] || lost.source == "" {
			continue
		}
		key, at, verb := "outputs", l.written, "have"
		if k < len(l.settings) {
			key, at, verb = l.settings[k].key, l.settings[k].at, "has"
		}
		lines = append(lines, s.errorAt(at.File, at.Line, at.Column, fmt.Sprintf("%s %s no effect on any asset; %s overrides it for %s", key, verb, lost.by, clip(lost.source))))
	}
	return lines
}
