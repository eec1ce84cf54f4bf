// Package recipeset holds what only the cooker needs to know about recipes: sets of checked
// recipes, access to options by name, and a JSON Schema of the options.
package recipeset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobenv"
)

// A Set holds the recipes that rules may use. It never changes.
type Set struct {
	byName  map[string]recipe.Recipe
	names   []string
	formats []recipe.Format
}

// New returns a set of recipes. If several recipes have the same name, the set has only the last
// one, with its extensions. So a program can replace a built-in recipe.
func New(recipes ...recipe.Recipe) (*Set, error) {
	s := &Set{byName: make(map[string]recipe.Recipe, len(recipes)), names: make([]string, 0, len(recipes))}
	for _, r := range recipes {
		if err := checkRecipe(r); err != nil {
			return nil, fmt.Errorf("recipe %q: %w", r.Name, err)
		}
		if _, ok := s.byName[r.Name]; !ok {
			s.names = append(s.names, r.Name)
		}
		s.byName[r.Name] = r
	}
	slices.Sort(s.names)
	if err := s.checkClaims(); err != nil {
		return nil, err
	}
	for _, name := range s.names {
		s.formats = append(s.formats, s.byName[name].Formats...)
	}
	return s, nil
}

// Lookup finds a recipe by name.
func (s *Set) Lookup(name string) (recipe.Recipe, bool) {
	r, ok := s.byName[name]
	return r, ok
}

// Names returns the names of the recipes, sorted. The caller must not change the slice.
func (s *Set) Names() []string { return s.names }

// Formats returns the formats of all recipes. The caller must not change the slice.
func (s *Set) Formats() []recipe.Format { return s.formats }

// Extract finds an extract of a recipe by its name and version, combined as in Dependency.Function.
func (s *Set) Extract(key string) (recipe.Extract, bool) {
	for _, name := range s.names {
		for _, x := range s.byName[name].Extracts {
			if jobenv.ExtractKey(x.Name, x.Version) == key {
				return x, true
			}
		}
	}
	return recipe.Extract{}, false
}

// checkClaims returns an error if two recipes of the set claim the same extension.
func (s *Set) checkClaims() error {
	cooks := map[string]string{}
	for _, name := range s.names {
		for _, ext := range s.byName[name].Extensions {
			if other, ok := cooks[ext]; ok {
				return fmt.Errorf("recipes %q and %q both have the extension %s; remove it from one, or give both the same name for the later one to replace the earlier", other, name, ext)
			}
			cooks[ext] = name
		}
	}
	return nil
}

func checkRecipe(r recipe.Recipe) error {
	if r.Name == "" {
		return errors.New("no name")
	}
	if !isRecipeWord(r.Name, "-") {
		return errors.New("the name may have only a-z, 0-9 and '-'")
	}
	if r.Version < 1 {
		return errors.New("the version must be at least 1")
	}
	if r.New == nil {
		return errors.New("the New function is nil")
	}
	c := r.New()
	if err := checkCooker(c); err != nil {
		return err
	}
	if err := checkRecipeExtensions(r.Extensions); err != nil {
		return err
	}
	for _, f := range r.Formats {
		if err := checkFileFormat(f); err != nil {
			return fmt.Errorf("format %q: %w", f.Name, err)
		}
	}
	for _, x := range r.Extracts {
		if (x.Of == nil) == (x.OfNames == nil) {
			return fmt.Errorf("extract %q: set exactly one of Of and OfNames", x.Name)
		}
	}
	if r.Recognizes != nil && len(r.Extensions) == 0 {
		return errors.New("the field Recognizes has no effect without Extensions")
	}
	return checkHints(r, c)
}

// Fallback is the name of the recipe for files whose extension belongs to no recipe of the set.
const Fallback = "copy"

// maxExtension is the maximum length of a recipe's extension in bytes.
const maxExtension = 16

func checkHints(r recipe.Recipe, c recipe.Cooker) error {
	if len(r.Hints) > 0 && len(r.Extensions) == 0 {
		return errors.New("hints have no effect without Extensions")
	}
	if (len(r.Hints) > 0) != (r.Hinted != nil) {
		return errors.New("hints need the function Hinted, and Hinted needs hints")
	}
	for _, h := range r.Hints {
		if err := SetOption(c, h.Key, h.Value); errors.Is(err, ErrNoOption) {
			return fmt.Errorf("hint %s: %w", h.Key, err)
		} else if err != nil {
			return fmt.Errorf("hint %w (of type %T)", err, h.Value)
		}
	}
	return nil
}

// isRecipeWord reports whether a text consists of lower-case letters, digits and the given
// punctuation marks.
func isRecipeWord(s, marks string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789"+marks) == ""
}

func checkFileFormat(f recipe.Format) error {
	switch {
	case f.Name == "":
		return errors.New("no name")
	case len(f.Extensions) == 0:
		return errors.New("no extensions")
	case len(f.Magic) == 0 && !f.Loose:
		return errors.New("a format without magic numbers must set Loose")
	case slices.ContainsFunc(f.Magic, func(m string) bool { return strings.Trim(m, ".") == "" }):
		return errors.New("a magic number matches every file; want at least one byte that is not a dot")
	}
	return checkRecipeExtensions(f.Extensions)
}

// checkRecipeExtensions returns an error if an extension in the list is invalid.
func checkRecipeExtensions(list []string) error {
	for i, ext := range list {
		letters, ok := strings.CutPrefix(ext, ".")
		if !ok || !isRecipeWord(letters, "-_") || len(ext) > maxExtension {
			return fmt.Errorf("extension %q: want a dot and one or more of a-z, 0-9, '-' and '_', at most %d bytes", ext, maxExtension)
		}
		if slices.Contains(list[:i], ext) {
			return fmt.Errorf("extension %s is listed twice", ext)
		}
	}
	return nil
}
