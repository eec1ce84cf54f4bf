package rules

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A Method is how a source is cooked: the merged result of all rules that match the source. It is
// shared and must not be changed.
type Method struct {
	// Alone is the first step of a chain as a method without Then. It is nil unless Then is set.
	Alone *Method
	// Whole is the chain that begins with this method; it may be nil.
	Whole *Method
	// Final replaces the result of FinalNames if another machine requested the action.
	Final []string
	// Then has an element for each output: the method of the next step, or nil if the output is
	// placed. Then is nil if all outputs are placed.
	Then   []*Method
	Recipe recipe.Recipe
	// Cooker has its options set. Its Check was successful.
	Cooker  recipe.Cooker
	Outputs []Template
	Target  string
	// Options are the Cooker's options that can change the result, sorted by key.
	Options []Option
	// Rules lists the rules with an effect, weakest first.
	Rules []Origin

	chosen win  // the layer that names the recipe
	set    *Set // nil unless the method follows another recipe
}

// Chosen returns the position of the rule that names the recipe.
func (m *Method) Chosen() Origin { return m.chosen.at }

// Holder returns the recipe whose outputs may contain the source, or nil. Such a source has no
// outputs of its own. Holder returns nil if a rule chooses how to cook the source.
func (m *Method) Holder() *recipe.Recipe { return m.chosen.holder }

// Hashed reports whether the name of any artifact has {hash}.
func (m *Method) Hashed() bool {
	return slices.ContainsFunc(m.Outputs, func(t Template) bool { return t.hashed }) ||
		slices.ContainsFunc(m.Then, func(next *Method) bool { return next != nil && next.Hashed() })
}

// Assumed reports whether a rule of the assumed engine affects the method.
func (m *Method) Assumed() bool {
	return slices.ContainsFunc(m.Rules, func(o Origin) bool { return o.File == assumedFile })
}

// An Option is the canonical value of an option, with the origin of the value.
type Option struct {
	recipeset.Field
	From Origin
}

// An Origin is the position of a rule or a key in the configuration.
type Origin struct {
	File   string // File.Name, "built-in" or "default"
	Line   int    // counted from 1; 0 if there is no file
	Column int    // position in bytes, counted from 1; 0 if there is no file
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

// An outcome is a Method, or the error if there is none.
type outcome struct {
	method *Method
	err    error
}

// A selection is the set of layers that match a source, with one bit per layer. Its header has the
// number of the target and the row of the built-in table. Its size is fixed, so that it need not be
// allocated.
type selection [selectionHeader + (maxEngineLayers+maxLayers+7)/8]byte

const selectionHeader = 8 // size of the header in bytes

// artifact is a bit in byte 3 of the header. It is set if the selection is for an artifact.
const artifact = 1 << 7

func (b *selection) forArtifact() bool { return b[3]&artifact != 0 }

func (b *selection) setLayer(i int)      { b[selectionHeader+i/8] |= 1 << (i % 8) }
func (b *selection) clearLayer(i int)    { b[selectionHeader+i/8] &^= 1 << (i % 8) }
func (b *selection) hasLayer(i int) bool { return b[selectionHeader+i/8]>>(i%8)&1 == 1 }

// Method returns how a source is cooked for a target. The target "" means no target. The path is a
// clean slash path in the asset tree. Sources with equal results share a Method, so equal methods
// are equal pointers. A repeated call does not allocate unless some rule is for artifacts.
//
// The error is an *Error and does not name the source. It stays the same for the life of the Set.
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

// matchLayers finds the layers that match a source, or an artifact if ofArtifact is set. It returns
// the row of the built-in table.
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

// isTable reports whether a layer is a table of a target and not a rule.
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
		s.cache.seen[key] = &outcome{} // the artifact is placed, so it needs no method
		return s.cache.seen[key]
	}
	s.noteEffects(&matched, path, d)
	if !slices.Contains(s.calls.targets, target) {
		s.calls.targets = append(s.calls.targets, target)
	}

	// Rules without an effect do not matter, so selections that differ only in such rules share a
	// method.
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
	outputs *layer         // nil if the recipe has its default outputs
	won     map[string]win // winning layers by "recipe", "outputs" and option key
	chose   int            // number of the rule that names the recipe, or -1
	had     []int          // sorted numbers of the layers with an effect
	row     string         // pattern of the built-in rule, or "" if it has no effect
	holder  *recipe.Recipe // result of Method.Holder
}

// A win records which layer decides about a setting. The layer number is -1 for built-in rules.
type win struct {
	layer  int
	at     Origin
	holder *recipe.Recipe // result of Method.Holder; used in Method.chosen only
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
			// A rule that names no recipe may set options that this recipe does not accept.
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

// makeMethod checks all options together and creates the method.
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
		return fail(chosen, "no recipe cooks files with this extension, and there is no recipe %q for other files; name a recipe in a [[rule]] (there are %s), or list the file in .cookignore",
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
	case extensionsSwapped(own, d.outputs.outputs):
		return fail(d.outputs.written, "outputs: want the order of recipe %q: %s", d.recipe, strings.Join(own, ", "))
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

// extensionsSwapped reports whether templates have the extensions of the recipe's own templates in
// another order. The recipe would then write, for example, JSON to an image file.
func extensionsSwapped(own []string, given []Template) bool {
	want, have := make([]string, len(own)), make([]string, len(given))
	for i := range own {
		want[i], have[i] = path.Ext(own[i]), path.Ext(given[i].text)
	}
	return len(own) == len(given) && !slices.Equal(want, have) && slices.Equal(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(have)))
}

func wrongCount(recipe string, want, have int) string {
	return fmt.Sprintf("outputs: want %d for recipe %q, have %d", want, recipe, have)
}

func needsOutputs(recipe string) string {
	return fmt.Sprintf("recipe %q needs outputs = [...]", recipe)
}
