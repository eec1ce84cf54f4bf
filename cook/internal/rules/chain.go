package rules

import (
	"encoding/hex"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// maxSteps limits the number of steps for one source. Without a limit, two rules could cook each
// other's outputs forever.
const maxSteps = 1000

// extendChain adds steps to a method. Rules for artifacts choose these steps for the outputs of the
// method. used lists the rules that named the recipes of the earlier steps. left is the number of
// steps that may still be added.
func (s *Set) extendChain(m *Method, path, target string, used []int, left *int) (*Method, error) {
	var then []*Method
	for i, t := range m.Outputs {
		name := t.Name(path)
		var matched selection
		row := s.matchArtifact(&matched, name, target, used)
		o := s.chooseOutcome(&matched, name, target, row)
		if o.err != nil {
			return nil, o.err
		}
		if o.method == nil {
			continue
		}
		at := o.method.chosen.at
		if t.hashed {
			return nil, &Error{File: at.File, Line: at.Line, Column: at.Column, Msg: fmt.Sprintf("this rule cooks an artifact whose outputs, %q, have {hash}; move {hash} into the outputs of this rule", t.text)}
		}
		if *left--; *left < 0 {
			return nil, &Error{File: at.File, Line: at.Line, Column: at.Column, Msg: fmt.Sprintf("more than %d rules for artifacts apply to one source in turn; remove rules, or narrow their patterns", maxSteps)}
		}
		next, err := s.extendChain(o.method, name, target, append(slices.Clip(used), o.method.chosen.layer), left)
		if err != nil {
			return nil, err
		}
		if then == nil {
			then = make([]*Method, len(m.Outputs))
		}
		then[i] = next
	}
	if then == nil {
		return m, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cache.joinSteps(m, then), nil
}

// matchArtifact matches an artifact with rules for artifacts. It skips the rules in the list used,
// because no rule applies to its own output.
func (s *Set) matchArtifact(matched *selection, path, target string, used []int) (row int) {
	row = s.matchLayers(matched, path, s.number[target], target, true)
	for _, rule := range used {
		matched.clearLayer(rule)
	}
	return row
}

// eachChoice calls do with the layers that match the source, and with the layers that match each
// later step of the chain.
func (s *Set) eachChoice(m *Method, path, target string, do func(matched *selection, row int)) {
	var matched selection
	do(&matched, s.matchLayers(&matched, path, s.number[target], target, false))
	s.eachLater(m, path, target, nil, do)
}

func (s *Set) eachLater(m *Method, path, target string, used []int, do func(matched *selection, row int)) {
	for i, next := range m.Then {
		if next == nil {
			continue
		}
		var matched selection
		name := m.Outputs[i].Name(path)
		do(&matched, s.matchArtifact(&matched, name, target, used))
		s.eachLater(next, name, target, append(slices.Clip(used), next.chosen.layer), do)
	}
}

// joinSteps returns the method of a chain. Equal steps give the same method. The caller must hold
// the lock of the Set.
func (c *outcomeCache) joinSteps(m *Method, then []*Method) *Method {
	key := strconv.Itoa(c.numberOfMethod(m))
	for _, next := range then {
		key += " " + strconv.Itoa(c.numberOfMethod(next))
	}
	known := c.chains[key]
	if known == nil {
		whole, alone := *m, *m
		whole.chosen.holder, alone.chosen.holder = nil, nil // rules decide about the artifacts of a chain
		whole.Alone, whole.Then, alone.Whole = &alone, then, &whole
		known = &whole
		c.chains[key] = known
	}
	return known
}

// numberOfMethod returns the number of a method, from 1. The number of nil is 0.
func (c *outcomeCache) numberOfMethod(m *Method) int {
	if m == nil {
		return 0
	}
	n, ok := c.numbers[m]
	if !ok {
		n = len(c.numbers) + 1
		c.numbers[m] = n
	}
	return n
}

// Names returns the names of the placed artifacts of a source, in order.
func (m *Method) Names(path string) []string { return m.appendPlacedNames(nil, path) }

func (m *Method) appendPlacedNames(list []string, path string) []string {
	for i, t := range m.Outputs {
		if name := t.Name(path); m.Then == nil || m.Then[i] == nil {
			list = append(list, name)
		} else {
			list = m.Then[i].appendPlacedNames(list, name)
		}
	}
	return list
}

// FinalNames returns the name of one artifact for each output of the method. If later steps cook
// the output, this is the first artifact that they make from it.
func (m *Method) FinalNames(path string) []string {
	if m.Final != nil {
		return m.Final
	}
	if m.Whole != nil {
		m = m.Whole
	}
	var list []string
	for i, t := range m.Outputs {
		name := t.Name(path)
		if m.Then != nil && m.Then[i] != nil {
			name = m.Then[i].FinalNames(name)[0]
		}
		list = append(list, name)
	}
	return list
}

// A Step is a method without further steps. It may be part of a chain.
type Step struct {
	*Method
	// Path is the input: the source, or an artifact of an earlier step.
	Path string
	// Of is appended to option keys to distinguish the steps of a chain, as in " of {stem}.png". It
	// is "" for the first step.
	Of string
}

// Of is the beginning of Step.Of, except in the first step.
const Of = " of "

// Steps yields the steps for a source. A step comes after the steps whose artifacts it reads.
func (m *Method) Steps(path string) iter.Seq[Step] {
	return func(yield func(Step) bool) { m.eachStep(path, "", yield) }
}

func (m *Method) eachStep(path, of string, yield func(Step) bool) bool {
	if m.Then == nil {
		return yield(Step{m, path, of})
	}
	if !yield(Step{m.Alone, path, of}) {
		return false
	}
	for i, next := range m.Then {
		if t := m.Outputs[i]; next != nil && !next.eachStep(t.Name(path), Of+t.String()+of, yield) {
			return false
		}
	}
	return true
}

// Bundles reports whether any step reads artifacts of other assets.
func (m *Method) Bundles() bool {
	return m.anyStep(func(s *Method) bool { return s.Recipe.Bundles && !s.Traits().IgnoresArtifacts })
}

// UsesPath reports whether the artifacts depend on the path of the source.
func (m *Method) UsesPath() bool {
	return m.anyStep(func(s *Method) bool { return s.Recipe.UsesPath && !s.Traits().IgnoresPath })
}

// Traits returns the traits of the method's cooker; for a chain, the traits of its first step.
func (m *Method) Traits() recipe.Traits {
	if m.Recipe.Traits == nil {
		return recipe.Traits{}
	}
	return m.Recipe.Traits(m.Cooker)
}

// NamesOutputs reports whether any step writes the names of artifacts into its outputs.
func (m *Method) NamesOutputs() bool {
	return m.anyStep(func(s *Method) bool { return s.Recipe.NamesOutputs && !s.Traits().IgnoresNames })
}

// Cheap reports whether every step takes no longer than copying its result from the store.
func (m *Method) Cheap() bool { return !m.anyStep(func(s *Method) bool { return !s.Recipe.Cheap }) }

func (m *Method) anyStep(is func(*Method) bool) bool {
	if m.Then == nil {
		return is(m)
	}
	for step := range m.Steps("") {
		if is(step.Method) {
			return true
		}
	}
	return false
}

// hashFollowedRules sets the option Follow.Option to a checksum of the target's rules that may
// change how the recipe Follow.Recipe cooks a file. The checksum covers the patterns, recipes and
// outputs of these rules, and their settings for the keys in Follow.Keys.
func (d *decision) hashFollowedRules(target string, f *recipe.Follow) {
	other, ok := d.set.vocab.recipes.Lookup(f.Recipe)
	if !ok {
		return
	}
	k := hashing.NewKey("assetcook followed rules 1")
	last, byFolder := -1, false
	for i := range d.set.layers {
		l := &d.set.layers[i]
		if !l.isFor(target) || !l.mayMatch(other.Extensions) {
			continue
		}
		if l.recipe != "" && l.patterns.Len() == 0 && l.recipe != f.Recipe {
			continue // the table is for another recipe
		}
		settings := l.settingsOf(other, f.Keys)
		if l.patterns.Len() > 0 && l.recipe == "" && len(l.outputs) == 0 && len(settings) == 0 {
			continue
		}
		if l.patterns.Len() == 0 && len(settings) == 0 {
			continue
		}
		last = i
		byFolder = byFolder || l.dependsOnFolder(d.set.prefixOf(i))
		k.String("folder", d.set.prefixOf(i))
		k.Bool("artifacts", l.forArtifacts)
		for _, text := range l.texts {
			k.String("match", text)
		}
		k.String("recipe", l.recipe)
		for _, s := range settings {
			k.String(s.key, fmt.Sprint(s.value))
		}
		for _, t := range l.outputs {
			k.String("output", t.String())
			if t.hashed { // names with {hash} belong to a target
				k.String("target", target)
			}
		}
	}
	if last < 0 {
		return
	}
	sum := k.Sum()
	value := hex.EncodeToString(sum[:8])
	if byFolder {
		value += "/"
	}
	if recipeset.SetOption(d.cooker, f.Option, value) == nil {
		d.won[f.Option] = win{layer: last, at: d.set.layers[last].origin}
	}
}

// dependsOnFolder reports whether files with the same name may be cooked differently in two
// directories, because of this layer.
func (l *layer) dependsOnFolder(prefix string) bool {
	named := func(text string) bool { return strings.Contains(text, "/") }
	return prefix != "" || slices.ContainsFunc(l.texts, named) ||
		slices.ContainsFunc(l.outputs, func(t Template) bool { return named(t.String()) })
}

// settingsOf returns the settings of a layer with one of the keys, if the recipe accepts them.
func (l *layer) settingsOf(r recipe.Recipe, keys []string) (list []setting) {
	cooker := r.New()
	for _, s := range l.settings {
		if slices.Contains(keys, s.key) && recipeset.SetOption(cooker, s.key, s.value) == nil {
			list = append(list, s)
		}
	}
	return list
}

// mayMatch reports whether a layer may match files with one of the extensions.
func (l *layer) mayMatch(extensions []string) bool {
	if len(l.texts) == 0 {
		return true
	}
	return slices.ContainsFunc(l.texts, func(pattern string) bool {
		ext := strings.ToLower(path.Ext(pattern))
		plain := len(ext) > 1 && !strings.ContainsAny(ext, `*?[]{}\/`)
		return !strings.HasPrefix(pattern, "!") && (!plain || slices.Contains(extensions, ext))
	})
}

// prefixOf returns the directory of a layer, with a trailing slash.
func (s *Set) prefixOf(i int) string {
	for _, f := range s.order.folders {
		if i >= f.first && i < f.last {
			return f.prefix
		}
	}
	return s.layers[i].prefix
}

// Follows reports whether the method depends on how other files are cooked.
func (m *Method) Follows() bool {
	return m.anyStep(func(s *Method) bool {
		return s.Recipe.Follow != nil && slices.ContainsFunc(s.Options, func(o Option) bool {
			return o.Key == s.Recipe.Follow.Option && o.From != (Origin{}) && o.From.File != "default"
		})
	})
}

// Followed implements jobs.Env.Followed. If the method does not follow rules, it returns nothing.
// Machines without these rules then make the same artifacts.
func (m *Method) Followed(source string) (by string, options any, outputs []string) {
	if m.set == nil || !m.Follows() {
		return "", nil, nil
	}
	other, err := m.set.Method(source, m.Target)
	if err != nil || other == nil {
		return "", nil, nil
	}
	return other.Recipe.Name, other.Cooker, other.Names(source)
}
