// Package results keeps the results of the engine tests: for each engine, how many files of each
// kind the test compared, and the maximum difference that it allows. docs/engines.md shows them as
// tables. Results for outputs without an engine have names made by AnyIn.
package results

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
)

// Engines are the tested engines in the order of the table, with their column headings.
var Engines = []struct{ Name, Head string }{
	{"three", "three.js"}, {"babylon", "Babylon.js"}, {"playcanvas", "PlayCanvas"}, {"pixi", "PixiJS"}, {"phaser", "Phaser"}, {"howler", "howler.js"},
	{"love", "LÖVE"}, {"sdl", "SDL"}, {"raylib", "raylib"}, {"ebitengine", "Ebitengine"}, {"godot", "Godot"},
}

// Any is the name for outputs that are cooked without naming an engine.
const Any = "any"

// AnyIn returns the name, in a file of results, for outputs without an engine that the given engine
// loads.
func AnyIn(engine string) string { return Any + "/" + engine }

// engineName returns the name of an engine unchanged, for the outputs that are cooked for the
// engine.
func engineName(engine string) string { return engine }

// kinds are the kinds of files in the order of the table, with their row headings and the units of
// their differences.
var kinds = []struct{ name, head, unit string }{
	{"image", "images", ""},
	{"hdr", "images of high dynamic range", " %"},
	{"cube", "faces of a cube map", ""},
	{"lut", "tables of colors (LUT)", ""},
	{"sprite", "sprites of an atlas, trimmed", ""},
	{"turned", "sprites of an atlas, turned", ""},
	{"slices", "nine-slices", ""},
	{"frame", "frames of an animated image", ""},
	{"font", "bitmap fonts", ""},
	{"sound", "sounds", " %"},
	{"joined", "sounds in one file", " %"},
	{"model", "models", " %"},
	{"moving", "models with skin, morph target and animation", " %"},
}

// A Kind is the result for the files of one kind in an engine.
type Kind struct {
	Files  int     `json:"files"`  // number of compared files
	Within float64 `json:"within"` // maximum difference that the test allows
}

// All are the results of all engines, by engine and kind.
type All map[string]map[string]Kind

// Load reads a file of results.
func Load(file string) (All, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all All
	return all, json.Unmarshal(data, &all)
}

// Check compares the results of an engine's test with a file of results. With update, it changes
// the file instead.
func Check(file, engine string, seen map[string]Kind, update bool) error {
	all, err := Load(file)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(all[engine], seen) {
		return nil
	}
	if !update {
		return fmt.Errorf("%s has other results of %s: %v, seen %v", file, engine, all[engine], seen)
	}
	all[engine] = seen
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o666)
}

// Tables returns the results as two Markdown tables with a row for each kind and a column for each
// engine. The first is for outputs for the engine, the second for outputs without an engine.
func (all All) Tables() (engine, unnamed string, err error) {
	engine, shown := all.table(engineName)
	unnamed, shownUnnamed := all.table(AnyIn)
	have := 0
	for _, byKind := range all {
		have += len(byKind)
	}
	if have != shown+shownUnnamed {
		return "", "", fmt.Errorf("%d results, of which the tables show %d: an engine or a kind has no name here", have, shown+shownUnnamed)
	}
	return engine, unnamed, nil
}

// table returns a Markdown table and the number of results in it. It leaves out kinds without
// results. The function name maps an engine to its name in the file of results.
func (all All) table(name func(engine string) string) (text string, shown int) {
	var b strings.Builder
	b.WriteString("| |")
	for _, e := range Engines {
		fmt.Fprintf(&b, " %s |", e.Head)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Engines)) + "\n")
	for _, k := range kinds {
		row, before := fmt.Sprintf("| %s |", k.head), shown
		for _, e := range Engines {
			r, ok := all[name(e.Name)][k.name]
			if !ok {
				row += " - |"
				continue
			}
			shown++
			row += fmt.Sprintf(" %d ± %v%s |", r.Files, r.Within, k.unit)
		}
		if shown > before {
			b.WriteString(row + "\n")
		}
	}
	return b.String(), shown
}
