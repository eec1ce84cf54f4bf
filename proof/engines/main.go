// Engines cooks the sample project for engines that are native programs, loads every cooked file
// with the engine, and compares images and sounds with their sources. It prints what differs. It
// passes over an engine that is not installed; run.sh installs them on Debian.
//
//	go run ./proof/engines
//
// With -prepare it only makes a directory with the sample project, cooked for an engine, and
// the loader of the engine's page, for tests of other engines:
//
//	go run ./proof/engines -prepare DIR -engine three
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
)

// A program runs files in an engine.
type program struct {
	engine string
	needs  []string // programs
	// steps are command lines for the directory that has the project, the list of pairs and the
	// files of programs. A step fails if it prints anything.
	steps []string
}

var programs = []program{
	{"love", []string{"love", "xvfb-run"}, []string{
		"cp love.lua main.lua",
		"SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null xvfb-run -a love . </dev/null",
	}},
	{"sdl", []string{"cc", "pkg-config"}, []string{
		"cc -std=c99 -Wall -Wextra -Werror -o sdl sdl.c $(pkg-config --cflags --libs sdl2 SDL2_image SDL2_mixer)",
		"SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy ./sdl pairs",
	}},
}

func main() {
	dir := flag.String("prepare", "", "only cook the sample project in this empty directory")
	engine := flag.String("engine", "", "engine of -prepare")
	flag.Parse()
	if *dir != "" {
		if err := prepare(*dir, *engine); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	failed := false
	for _, p := range programs {
		err := p.check()
		switch {
		case errors.Is(err, exec.ErrNotFound):
			fmt.Printf("engines: %s: not tested: %v\n", p.engine, err)
		case err != nil:
			failed = true
			fmt.Printf("engines: %s: %v\n", p.engine, err)
		default:
			fmt.Printf("engines: %s: ok\n", p.engine)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check cooks the sample project for an engine and runs the steps.
func (p program) check() error {
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
	if err := prepare(dir, p.engine); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS("proof/engines/programs")); err != nil {
		return err
	}
	for _, step := range p.steps {
		run := exec.Command("sh", "-c", step)
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
			return fmt.Errorf("%s: %w\n%s", step, errors.Join(err, errors.New("see above")), out)
		}
	}
	return nil
}

// prepare fills a directory with the sample project, cooked for an engine without any rule, and
// the file pairs.
func prepare(dir, engine string) error {
	if err := os.CopyFS(filepath.Join(dir, "assets"), os.DirFS("testdata/assets")); err != nil {
		return err
	}
	text := fmt.Sprintf("[project]\ndir = \"assets\"\nengine = %q\n", engine)
	if err := os.WriteFile(filepath.Join(dir, "cook.toml"), []byte(text), 0o666); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "cook"), "./cmd/cook").CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	cook := exec.Command(filepath.Join(dir, "cook"), "-q")
	cook.Dir = dir
	if out, err := cook.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	if err := writeLoader(dir, engine); err != nil {
		return err
	}
	return writePairs(dir)
}

// fences begin the code of a page, with the file that gets it.
var fences = map[string]string{"\n```js\n": "loader.js", "\n```lua\n": "loader.lua", "\n```c\n": "loader.h", "\n```go\n": "loader.go"}

// writeLoader writes the loader that the page of an engine shows.
func writeLoader(dir, engine string) error {
	page, err := os.ReadFile("docs/engines/" + engine + ".md")
	if err != nil {
		return err
	}
	for fence, name := range fences {
		if _, code, ok := strings.Cut(string(page), fence); ok {
			code, _, _ = strings.Cut(code, "```\n")
			return os.WriteFile(filepath.Join(dir, name), []byte(code), 0o666)
		}
	}
	return fmt.Errorf("docs/engines/%s.md has no loader", engine)
}

// Not compared are images of fonts, images of high dynamic range, which a run warns of, and turned.

// turned has an orientation (EXIF) that cook applies and the engines' decoders do not.
const turned = "textures/ui/photo_finish.jpg"

// kinds are the kinds of cooked files that are compared, by extension.
var kinds = map[string]string{".png": "image", ".webp": "image", ".ktx2": "image", ".wav": "sound", ".opus": "sound"}

// writePairs writes the file pairs: for each image and sound a line with its kind, its source and
// its cooked file, separated by tabs.
func writePairs(dir string) error {
	cooked := os.DirFS(filepath.Join(dir, "cooked"))
	load := func(name string) ([]byte, error) { return fs.ReadFile(cooked, name) }
	root, err := load(manifest.Name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	seen := map[string]int{}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			return err
		}
		for _, out := range a.Outputs {
			k := kinds[filepath.Ext(out.Path)]
			if k == "" || strings.HasPrefix(a.Source, "fonts/") || strings.HasSuffix(a.Source, ".hdr") || a.Source == turned {
				continue
			}
			seen[k]++
			fmt.Fprintf(&b, "%s\tassets/%s\tcooked/%s\n", k, a.Source, out.Path)
		}
	}
	if seen["image"] < 30 || seen["sound"] < 5 {
		return fmt.Errorf("%v in the manifest", seen)
	}
	return os.WriteFile(filepath.Join(dir, "pairs"), b.Bytes(), 0o666)
}
