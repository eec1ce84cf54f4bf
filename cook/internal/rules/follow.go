package rules

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// follow sets the option Follow.Option to a checksum of the target's rules that may change how
// the other recipe cooks a file. Only their recipes, outputs and Follow.Keys count.
func (d *decision) follow(target string, f *recipe.Follow) {
	other, ok := d.set.recipes.Lookup(f.Recipe)
	if !ok {
		return
	}
	k := hashing.NewKey("assetcook followed rules 1")
	last := -1
	for i := range d.set.layers {
		l := &d.set.layers[i]
		if !l.isFor(target) || !l.mayMatch(other.Extensions) {
			continue
		}
		if l.recipe != "" && l.patterns.Len() == 0 && l.recipe != f.Recipe {
			continue // a table of another recipe
		}
		settings := l.settingsOf(other, f.Keys)
		if l.patterns.Len() > 0 && l.recipe == "" && len(l.outputs) == 0 && len(settings) == 0 {
			continue
		}
		if l.patterns.Len() == 0 && len(settings) == 0 {
			continue
		}
		last = i
		k.String("folder", d.set.prefixOf(i))
		k.Bool("artifacts", l.made)
		for _, text := range l.texts {
			k.String("match", text)
		}
		k.String("recipe", l.recipe)
		for _, s := range settings {
			k.String(s.key, fmt.Sprint(s.value))
		}
		for _, t := range l.outputs {
			k.String("output", t.String())
		}
	}
	if last < 0 {
		return
	}
	sum := k.Sum()
	if recipeset.SetOption(d.cooker, f.Option, hex.EncodeToString(sum[:8])) == nil {
		d.won[f.Option] = win{layer: last, at: d.set.layers[last].origin}
	}
}

// settingsOf returns the settings of a layer that have one of the keys and that the recipe
// accepts.
func (l *layer) settingsOf(r recipe.Recipe, keys []string) (list []setting) {
	cooker := r.New()
	for _, s := range l.settings {
		if slices.Contains(keys, s.key) && recipeset.SetOption(cooker, s.key, s.value) == nil {
			list = append(list, s)
		}
	}
	return list
}

// mayMatch reports whether a layer may match files with one of the extensions. A pattern that
// ends in another extension cannot match.
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
	for _, f := range s.folders {
		if i >= f.first && i < f.last {
			return f.prefix
		}
	}
	return s.layers[i].prefix
}

// Follows reports whether the method depends on how other files are cooked.
func (m *Method) Follows() bool {
	return m.any(func(s *Method) bool {
		return s.Recipe.Follow != nil && slices.ContainsFunc(s.Options, func(o Option) bool {
			return o.Key == s.Recipe.Follow.Option && o.From != (Origin{}) && o.From.File != "default"
		})
	})
}

// Followed is jobs.Env.Followed for jobs of the method.
func (m *Method) Followed(source string) (by string, options any, outputs []string) {
	if m.set == nil {
		return "", nil, nil
	}
	other, err := m.set.Method(source, m.Target)
	if err != nil || other == nil {
		return "", nil, nil
	}
	return other.Recipe.Name, other.Cooker, other.Names(source)
}
