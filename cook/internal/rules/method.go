package rules

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A Method is the way to cook a source: the merged result of all rules that match the source. It is
// shared and must not be changed.
type Method struct {
	// Alone is the method without Then, nil if there is no Then.
	Alone *Method
	// Whole is the chain whose Alone is this method; may be nil.
	Whole *Method
	// Final replaces the result of FinalNames in an action from another machine.
	Final []string
	// Then holds for each output the method that cooks it further, nil for an output that is
	// placed. It is nil if all outputs are placed.
	Then   []*Method
	Recipe recipe.Recipe
	// Cooker has its options set and has passed its Check.
	Cooker  recipe.Cooker
	Outputs []Template
	Target  string
	// Options are the Cooker's options that can change the result, sorted by key.
	Options []Option
	// Rules are the rules with an effect, weakest first.
	Rules []Origin

	chosen win  // the layer that names the recipe, -1 for none
	set    *Set // nil unless it follows another recipe
}

// Chosen returns the place that names the recipe.
func (m *Method) Chosen() Origin { return m.chosen.at }

// Holder returns the recipe whose outputs may contain the source, in which case the source has no
// outputs. It returns nil if there is no such recipe or a rule decides how the source is cooked.
func (m *Method) Holder() *recipe.Recipe { return m.chosen.holder }

// An Option is an option's canonical value and the place that set it.
type Option struct {
	recipeset.Field
	From Origin
}

// An Origin is a place in the configuration: a rule, or a key.
type Origin struct {
	File   string // a File.Name, "built-in" or "default"
	Line   int    // line from 1; 0 outside of files
	Column int    // byte of the line, from 1; 0 outside of files
	// Match is the rule's patterns, or the header of a target's table.
	Match string
}

// String returns "file:line", "built-in" or "default".
func (o Origin) String() string {
	if o.Line == 0 {
		return o.File
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// An outcome is a Method or the reason why there is none.
type outcome struct {
	method *Method
	err    error
}

// A selection is the set of layers that match a source, one bit per layer. Its header holds the
// target's number and the row of the built-in table. It has a fixed size, so that it can stay on
// the stack.
type selection [selectionHeader + (maxLayers+7)/8]byte

const selectionHeader = 8 // bytes

// artifact is a bit of the header's byte 3: the selection is for an artifact.
const artifact = 1 << 7

func (b *selection) forArtifact() bool { return b[3]&artifact != 0 }

func (b *selection) setLayer(i int)      { b[selectionHeader+i/8] |= 1 << (i % 8) }
func (b *selection) clearLayer(i int)    { b[selectionHeader+i/8] &^= 1 << (i % 8) }
func (b *selection) hasLayer(i int) bool { return b[selectionHeader+i/8]>>(i%8)&1 == 1 }

// Method returns how a source is cooked for a target, "" for none. The path is a clean slash path
// in the asset tree. Sources with equal results share one Method, so equal methods are equal
// pointers. A repeated choice does not allocate if no rule is for artifacts.
//
// The error is an *Error; it does not name the source. It stays the same for the life of the Set.
func (s *Set) Method(path, target string) (*Method, error) {
	number, ok := s.number[target]
	if !ok {
		return nil, &Error{Msg: fmt.Sprintf("unknown target %q%s", clipText(target), instead(target, s.targets))}
	}
	var matched selection
	row := s.matchLayers(&matched, path, number, target, false)
	o := s.chooseOutcome(&matched, path, target, row)
	if o.err != nil || !s.chains {
		return o.method, o.err
	}
	left := maxSteps
	return s.extendChain(o.method, path, target, nil, &left)
}

// chooseOutcome returns the outcome of a selection.
func (s *Set) chooseOutcome(matched *selection, path, target string, row int) *outcome {
	key := matched[:selectionHeader+(len(s.layers)+7)/8]
	s.mu.RLock()
	known := s.cache.seen[string(key)]
	s.mu.RUnlock()
	if known == nil {
		known = s.decideNew(string(key), path, target, row)
	}
	return known
}

// matchLayers finds the layers that match a source, or an artifact if ofArtifact, and the row of the
// built-in table.
func (s *Set) matchLayers(matched *selection, path string, number int, target string, ofArtifact bool) (row int) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if row = s.builtin.rowOfPath(path); !ofArtifact && s.builtin.rejects(path, row) {
		row = 0
	}
	binary.LittleEndian.PutUint32(matched[:], uint32(number))
	binary.LittleEndian.PutUint32(matched[4:], uint32(row))
	if ofArtifact {
		matched[3] |= artifact
	}
	for i := range s.order.own {
		if l := &s.layers[i]; l.isFor(target) && (!ofArtifact || l.recipe == "") && l.patterns.Match(path, name) {
			matched.setLayer(i)
		}
	}
	for _, f := range s.order.folders {
		rest, inside := strings.CutPrefix(path, f.prefix)
		if !inside {
			continue
		}
		for i := f.first; i < f.last; i++ {
			if l := &s.layers[i]; l.forArtifacts == ofArtifact && l.patterns.Match(rest, name) {
				matched.setLayer(i)
			}
		}
	}
	if target != "" {
		for i := s.order.aimed; i < len(s.layers); i++ {
			l := &s.layers[i]
			rest, inside := strings.CutPrefix(path, l.prefix)
			if inside && l.isFor(target) && (l.isTable() || l.forArtifacts == ofArtifact && l.patterns.Match(rest, name)) {
				matched.setLayer(i)
			}
		}
	}
	return row
}

// isTable reports whether a layer is the table of a target and not a rule.
func (l *layer) isTable() bool { return l.texts == nil }

// isFor reports whether a layer applies to a target.
func (l *layer) isFor(target string) bool {
	return l.targets == nil || slices.Contains(l.targets, target)
}

// decideNew computes the outcome of a new selection.
func (s *Set) decideNew(key, path, target string, row int) *outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.cache.seen[key]; known != nil {
		return known // another goroutine was faster
	}
	var matched selection
	copy(matched[:], key)
	d := s.mergeLayers(&matched, row, target)
	if d.recipe == "" {
		s.cache.seen[key] = &outcome{} // a placed artifact
		return s.cache.seen[key]
	}
	s.noteEffects(&matched, path, d)
	if !slices.Contains(s.calls.targets, target) {
		s.calls.targets = append(s.calls.targets, target)
	}

	// Matching rules without an effect do not distinguish choices.
	same := fmt.Sprintf("%q %s %v %q %d", target, d.recipe, d.had, d.row, d.chose)
	known := s.cache.decided[same]
	if known == nil {
		known = d.makeMethod(target)
		s.cache.decided[same] = known
	}
	s.cache.seen[key] = known
	return known
}

// A decision is the merged result of the matching layers.
type decision struct {
	set     *Set
	recipe  string
	cooker  recipe.Cooker
	outputs *layer         // the layer with the outputs; nil for the recipe's own
	won     map[string]win // winners by "recipe", "outputs" and option key
	chose   int            // the rule that names the recipe, -1 for none
	had     []int          // layers with an effect, in order
	row     string         // the pattern of the built-in rule, if used
	holder  *recipe.Recipe // the result of Method.Holder
}

// A win is the layer that decides a setting, -1 for the built-in rules, and its place.
type win struct {
	layer  int
	at     Origin
	holder *recipe.Recipe // result of Method.Holder, if a recipe is chosen
}

func (s *Set) mergeLayers(matched *selection, row int, target string) *decision {
	b := &s.builtin.rows[row]
	builtin := win{layer: -1, at: Origin{File: "built-in", Match: b.match}}
	d := &decision{set: s, won: map[string]win{}, chose: -1}
	if !matched.forArtifact() {
		d.recipe, d.won["recipe"] = b.recipe, builtin
	}
	for i := range s.layers {
		if l := &s.layers[i]; l.recipe != "" && !l.isTable() && matched.hasLayer(i) {
			d.recipe, d.won["recipe"], d.chose = l.recipe, win{layer: i, at: l.chosen}, i
		}
	}
	r, ok := s.vocab.recipes.Lookup(d.recipe)
	if !ok {
		return d
	}
	d.cooker = r.New()
	if d.recipe == b.recipe && b.hint.Key != "" && recipeset.SetOption(d.cooker, b.hint.Key, b.hint.Value) == nil {
		d.won[b.hint.Key] = builtin
	}
	for i := range s.layers {
		l := &s.layers[i]
		if !matched.hasLayer(i) || l.recipe != "" && l.recipe != d.recipe {
			continue
		}
		for _, o := range l.settings {
			// A rule that names no recipe may have options that this recipe does not accept.
			if recipeset.SetOption(d.cooker, o.key, o.value) == nil {
				d.won[o.key] = win{layer: i, at: o.at}
			}
		}
		if l.outputs != nil {
			d.outputs, d.won["outputs"] = l, win{layer: i, at: l.written}
		}
	}
	if r.Follow != nil {
		d.hashFollowedRules(target, r.Follow)
	}
	for _, w := range d.won {
		d.had = append(d.had, w.layer)
	}
	slices.Sort(d.had)
	d.had = slices.Compact(d.had)
	if d.had[0] < 0 {
		d.row = b.match
		if len(d.had) == 1 {
			d.holder = b.holder
		}
	}
	return d
}

// makeMethod checks all options together and makes the method.
func (d *decision) makeMethod(target string) *outcome {
	fail := func(at Origin, format string, args ...any) *outcome {
		e := &Error{Msg: fmt.Sprintf(format, args...)}
		if at.Line > 0 {
			e.File, e.Line, e.Column = at.File, at.Line, at.Column
		}
		return &outcome{err: e}
	}
	chosen := d.won["recipe"].at
	r, ok := d.set.vocab.recipes.Lookup(d.recipe)
	if !ok {
		return fail(chosen, "no recipe has this file's extension, and there is no recipe %q for all other files; name one in a [[rule]] (have %s), or list the file in .cookignore",
			d.recipe, strings.Join(d.set.vocab.recipes.Names(), ", "))
	}
	m := &Method{Recipe: r, Cooker: d.cooker, Target: target, chosen: win{d.chose, chosen, d.holder}}
	if check := m.Traits().Check; check != nil {
		if err := check(); err != nil {
			at := chosen
			var wrong *recipe.OptionError
			if errors.As(err, &wrong) {
				if w, ok := d.won[wrong.Key]; ok {
					at = w.at
				}
			}
			return fail(at, "recipe %q: %v", d.recipe, err)
		}
	}

	if r.Follow != nil {
		m.set = d.set
	}
	for _, f := range recipeset.Fields(d.cooker) {
		from := Origin{File: "default"}
		if w, ok := d.won[f.Key]; ok {
			from = w.at
		}
		m.Options = append(m.Options, Option{f, from})
	}
	own := d.cooker.Outputs()
	switch {
	case d.outputs == nil && len(own) == 0:
		return fail(chosen, "%s", needsOutputs(d.recipe))
	case d.outputs == nil:
		for _, text := range own {
			t, err := ParseTemplate(text)
			if err != nil {
				return fail(chosen, "recipe %q: %v", d.recipe, err)
			}
			m.Outputs = append(m.Outputs, t)
		}
	case len(own) > 0 && len(own) != len(d.outputs.outputs):
		return fail(d.outputs.written, "%s", wrongCount(d.recipe, len(own), len(d.outputs.outputs)))
	default:
		m.Outputs = d.outputs.outputs
	}
	for _, i := range d.had {
		if i < 0 {
			m.Rules = append(m.Rules, Origin{File: "built-in", Match: d.row})
		} else {
			m.Rules = append(m.Rules, d.set.layers[i].origin)
		}
	}
	return &outcome{method: m}
}

func wrongCount(recipe string, want, have int) string {
	return fmt.Sprintf("outputs: want %d for recipe %q, have %d", want, recipe, have)
}

func needsOutputs(recipe string) string {
	return fmt.Sprintf("recipe %q needs outputs = [...]", recipe)
}
