// Package engine lists which cooked files game engines load, and holds the rules that make
// these files.
//
// A project names its engine in cook.toml:
//
//	[project]
//	engine = "three"
//
//	[target.tv]
//	engine = "love"
//
// A target without an engine has the engine "any".
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
	Name  string // value of the key engine in cook.toml
	Title string // name of the engine in messages
	// Loads lists the extensions of cooked files that the engine loads; nil means all.
	Loads []string
	// KTX2 lists the formats of KTX2 files that the engine loads; nil means all.
	KTX2 []string
	// Cubes lists the formats of cube maps in KTX2 files that the engine loads as cube maps; nil
	// means all.
	Cubes []string
	// Version is the version of the engine that the other fields describe.
	Version string
	// Source is the address of the page that documents the other fields, or "" if a test loads
	// cooked files with the engine.
	Source string
}

// Any is the engine of targets that name no engine. Its rules make files that most engines load.
const Any = "any"

// None is the engine without rules of its own, for programs that load every kind of file.
const None = "own"

//go:embed rules/*.toml
var files embed.FS

// Lookup returns the engine with the given name.
func Lookup(name string) (Engine, bool) {
	i := slices.IndexFunc(engines, func(e Engine) bool { return e.Name == name })
	if i < 0 {
		return Engine{}, false
	}
	return engines[i], true
}

// All returns all engines, in the order that texts list them.
func All() []Engine { return slices.Clone(engines) }

// Names returns the names of all engines.
func Names() (names []string) {
	for _, e := range engines {
		names = append(names, e.Name)
	}
	return names
}

// Rules returns the engine's rules in the syntax of cook.toml, or "" if there are none.
func (e Engine) Rules() []byte {
	data, err := files.ReadFile("rules/" + e.Name + ".toml")
	if err != nil {
		return nil
	}
	return data
}

// LoadsFile reports whether the engine loads a cooked file. It checks only extensions that depend
// on options of recipes, and accepts all other files.
func (e Engine) LoadsFile(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if e.Loads == nil || i < 0 {
		return true
	}
	ext := strings.ToLower(name[i:])
	return !slices.Contains(chosen, ext) || slices.Contains(e.Loads, ext)
}

// chosen lists the extensions that depend on options of recipes.
var chosen = []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".opus", ".qoa", ".glb"}
