// Command shaders writes random WGSL, cooks it to SPIR-V, GLSL of several versions, HLSL
// and the Metal shading language, and has independent programs check the results:
//
//   - spirv-val: SPIR-V
//   - glslangValidator: GLSL, and HLSL as far as it knows it
//   - its own arithmetic: the offsets of all numbers in uniforms and storage buffers, in the
//     SPIR-V that cook writes and in the SPIR-V that glslangValidator makes of the GLSL
//
// A shader that cook refuses is not a failure. But for each target, half of the shaders must be
// accepted, or a fifth if the version of GLSL lacks many features.
//
//	go build -o cook ./cmd/cook
//	go run ./proof/readers/shaders -cook ./cook -n 10000
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A target is a rule, and the minimum fraction of shaders that must be accepted.
type target struct {
	name, options string
	least         float64
	extension     string
}

var targets = []target{
	{"spirv", `format = "spirv"`, 0.5, ".spv"},
	{"glsl450", `format = "glsl"`, 0.5, ".glsl"},
	{"glsl430", "format = \"glsl\"\nglsl_version = \"430\"", 0.4, ".glsl"},
	{"glsl330", "format = \"glsl\"\nglsl_version = \"330\"", 0.01, ".glsl"},
	{"es320", "format = \"glsl\"\nglsl_version = \"320 es\"", 0.4, ".glsl"},
	{"es310", "format = \"glsl\"\nglsl_version = \"310 es\"", 0.4, ".glsl"},
	{"es300", "format = \"glsl\"\nglsl_version = \"300 es\"", 0.01, ".glsl"},
	{"hlsl", `format = "hlsl"`, 0.5, ".hlsl"},
	{"msl", `format = "msl"`, 0.5, ".metal"},
}

func main() {
	cook := flag.String("cook", "cook", "the `program`")
	n := flag.Int("n", 100, "how many shaders")
	seed := flag.Uint64("seed", 1, "the seed of the first")
	dir := flag.String("dir", "", "the `directory` for shaders and results, which stay; a temporary one by default")
	flag.Parse()
	if err := compareShaders(*cook, *n, *seed, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "shaders:", err)
		os.Exit(1)
	}
}

// batch is the number of shaders that are cooked together.
const batch = 200

func compareShaders(cook string, n int, seed uint64, dir string) error {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "shaders-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	accepted := map[string]int{}
	wrong := 0
	for first := 0; first < n; first += batch {
		c := &campaign{dir: filepath.Join(dir, fmt.Sprint(first)), accepted: accepted}
		if err := c.writeCampaign(seed+uint64(first), min(batch, n-first)); err != nil {
			return err
		}
		if err := c.cookShaders(cook); err != nil {
			return err
		}
		wrong += c.judgeResults()
		if wrong == 0 {
			os.RemoveAll(c.dir)
		}
	}
	for _, t := range targets {
		fmt.Printf("shaders: %s: %d of %d accepted\n", t.name, accepted[t.name], n)
		if n >= 50 && float64(accepted[t.name]) < t.least*float64(n) {
			return fmt.Errorf("%s: only %d of %d shaders are accepted", t.name, accepted[t.name], n)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d results are wrong", wrong)
	}
	return nil
}

// A campaign is a batch of shaders.
type campaign struct {
	dir      string
	shaders  []*shader
	accepted map[string]int
}

// A shader is a generated shader. name is its file name without extension.
type shader struct {
	name, stage, source string
	layouts             []layout
}

func (c *campaign) writeCampaign(seed uint64, n int) error {
	assets := filepath.Join(c.dir, "assets")
	if err := os.MkdirAll(assets, 0o777); err != nil {
		return err
	}
	var rules strings.Builder
	for _, t := range targets {
		fmt.Fprintf(&rules, "[target.%s]\n", t.name)
	}
	for _, t := range targets {
		fmt.Fprintf(&rules, "[[rule]]\nmatch = \"*.wgsl\"\ntarget = %q\nrecipe = \"shader\"\n%s\n", t.name, t.options)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "rules.toml"), []byte(rules.String()), 0o666); err != nil {
		return err
	}
	for i := range uint64(n) {
		s := &shader{name: fmt.Sprintf("shader%06d", seed+i)}
		s.source, s.layouts = randomShader(seed + i)
		s.stage = "frag"
		if strings.Contains(s.source, "@compute") {
			s.stage = "comp"
		} else if strings.Contains(s.source, "@vertex") {
			s.stage = "vert"
		}
		c.shaders = append(c.shaders, s)
		if err := os.WriteFile(filepath.Join(assets, s.name+".wgsl"), []byte(s.source), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// cookShaders cooks all shaders for all targets. It ignores the exit status, because some shaders always
// fail.
func (c *campaign) cookShaders(program string) error {
	cmd := exec.Command(program, "-q", "-dir", filepath.Join(c.dir, "assets"), "-config", filepath.Join(c.dir, "rules.toml"),
		"-target", "all", "-cache", filepath.Join(c.dir, "store"), "-out", filepath.Join(c.dir, "out"))
	said, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.dir, "out")); err != nil {
		return fmt.Errorf("nothing was cooked: %.2000s", said)
	}
	return nil
}

// judgeResults checks all results and returns the number of wrong results.
func (c *campaign) judgeResults() int {
	var mutex sync.Mutex
	var group sync.WaitGroup
	wrong := 0
	slots := make(chan bool, 2)
	for _, t := range targets {
		for _, s := range c.shaders {
			result := filepath.Join(c.dir, "out", t.name, s.name+".wgsl"+t.extension)
			if _, err := os.Stat(result); err != nil {
				continue // cook refused the shader
			}
			c.accepted[t.name]++
			group.Add(1)
			slots <- true
			go func() {
				defer group.Done()
				err := s.judgeShader(t, result)
				<-slots
				if err != nil {
					mutex.Lock()
					defer mutex.Unlock()
					wrong++
					fmt.Printf("shaders: %s: %s: %v\n", t.name, s.name, err)
				}
			}()
		}
	}
	group.Wait()
	return wrong
}

func (s *shader) judgeShader(t target, result string) error {
	made := result + ".judged"
	var cmd *exec.Cmd
	switch {
	case t.name == "spirv":
		// In WGSL, uniforms that contain matrices of two rows need the feature
		// uniformBufferStandardLayout.
		cmd = exec.Command("spirv-val", "--target-env", "vulkan1.1", "--uniform-buffer-standard-layout", result)
		made = result
	case t.name == "hlsl":
		text, err := os.ReadFile(result)
		if err != nil {
			return err
		}
		if structMatrix.Match(text) {
			return nil
		}
		if err := os.WriteFile(made+".hlsl", []byte(forGlslang(string(text))), 0o666); err != nil {
			return err
		}
		cmd = exec.Command("glslangValidator", "-D", "-V", "-e", "main", "-S", s.stage, "--auto-map-locations", "-o", made, made+".hlsl")
	case t.extension == ".glsl" && s.explicit(t):
		cmd = exec.Command("glslangValidator", "-G", "-S", s.stage, "--auto-map-locations", "-o", made, result)
	case t.extension == ".glsl":
		cmd = exec.Command("glslangValidator", "-S", s.stage, result)
	default:
		return nil
	}
	if _, err := exec.LookPath(cmd.Args[0]); err != nil {
		return nil
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %s", cmd.Args[0], firstError(string(said)))
	}
	module, err := os.ReadFile(made)
	if err != nil {
		return nil // the command wrote no module to check
	}
	place := func(group, binding int) (int, int) { return group, binding }
	if t.extension == ".glsl" {
		place = s.flat
	}
	if t.name == "hlsl" {
		return nil // glslangValidator uses one numbering for all kinds of registers
	}
	return checkLayouts(module, s.layouts, place)
}

// explicit reports whether the GLSL of a target declares bindings, which glslangValidator needs
// to compile it to SPIR-V.
func (s *shader) explicit(t target) bool { return t.name != "glsl330" && t.name != "es300" }

// flat returns the binding in GLSL, computed as the recipe's docs page describes it.
func (s *shader) flat(group, binding int) (int, int) {
	last := map[int]int{}
	for _, m := range regexp.MustCompile(`@group\((\d+)\) @binding\((\d+)\)`).FindAllStringSubmatch(s.source, -1) {
		var g, b int
		fmt.Sscan(m[1], &g)
		fmt.Sscan(m[2], &b)
		last[g] = max(last[g], b+1)
	}
	for g := range group {
		binding += last[g]
	}
	return 0, binding
}

var (
	zeroArray    = regexp.MustCompile(` = \([A-Za-z0-9_]+(\[\d+\])+\)0;`)
	structMatrix = regexp.MustCompile(`\(\(float\dx2\)`) // a struct cast, which glslangValidator does not support
	staticArray  = regexp.MustCompile(`(static const .*\]) = Construct.*;`)
)

// forGlslang removes HLSL that glslangValidator does not support: casts of 0 to arrays, and
// function calls as the first values of static arrays.
func forGlslang(text string) string {
	return staticArray.ReplaceAllString(zeroArray.ReplaceAllString(text, ";"), "$1;")
}

// firstError returns the first error line.
func firstError(said string) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "rror") && !strings.Contains(line, "parsing failed") && !strings.Contains(line, "compilation errors") {
			return strings.TrimSpace(line)
		}
	}
	return fmt.Sprintf("%.300s", said)
}
