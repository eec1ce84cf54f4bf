// Package engine knows which cooked files game engines load, and holds the rules that make them.
//
// A project names its engine in cook.toml:
//
//	[project]
//	engine = "three"
//
//	[target.tv]
//	engine = "love"
//
// The rules of an engine are a file in the syntax of cook.toml, rules/NAME.toml in this package.
// They are weaker than every rule of the project. The engine of a target replaces the engine of
// the project for this target.
package engine

import (
	"embed"
	"slices"
	"strings"
)

// An Engine is a program that loads cooked files.
type Engine struct {
	Name  string // value of the key engine
	Title string // name in texts
	// Loads lists the extensions of cooked files that the engine loads, nil for all.
	Loads []string
	// Version is the version that the facts are about.
	Version string
	// Source is the address of the page that states the facts, "" if a test loads cooked files
	// with the engine.
	Source string
}

// None is the engine without rules of its own, for programs that load every kind of file.
const None = "own"

//go:embed rules/*.toml
var files embed.FS

// Lookup returns the engine of a name.
func Lookup(name string) (Engine, bool) {
	i := slices.IndexFunc(engines, func(e Engine) bool { return e.Name == name })
	if i < 0 {
		return Engine{}, false
	}
	return engines[i], true
}

// All returns all engines, in the order of texts.
func All() []Engine { return slices.Clone(engines) }

// Names returns the names of all engines.
func Names() (names []string) {
	for _, e := range engines {
		names = append(names, e.Name)
	}
	return names
}

// Rules returns the engine's rules in the syntax of cook.toml, empty for none.
func (e Engine) Rules() []byte {
	data, err := files.ReadFile("rules/" + e.Name + ".toml")
	if err != nil {
		return nil // an engine without rules
	}
	return data
}

// LoadsFile reports whether the engine loads a cooked file. It judges only by extensions that
// depend on options of recipes, and accepts all others.
func (e Engine) LoadsFile(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if e.Loads == nil || i < 0 {
		return true
	}
	ext := strings.ToLower(name[i:])
	return !slices.Contains(chosen, ext) || slices.Contains(e.Loads, ext)
}

// chosen are the extensions that options of recipes choose among.
var chosen = []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".opus", ".qoa", ".glb"}
