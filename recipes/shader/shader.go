// Package shader is the recipe for shaders.
//
// WGSL (.wgsl) is compiled to SPIR-V, GLSL, HLSL or the Metal shading language by the library
// naga, which is young. So the recipe itself computes the type of each expression and the offset
// of each member, and refuses a shader that naga got wrong, naming the line of the function or
// declaration. It replaces operators and functions that GLSL or HLSL lacks or defines
// differently. spirv-val and the driver check more. naga does not support hexadecimal floats and
// overrides yet.
//
// In GLSL (.glsl, .vert, .frag, .comp, .geom, .tesc, .tese), includes are expanded, so that a
// driver needs only one file. An external compiler can make SPIR-V of it.
//
// # GLSL and HLSL made of WGSL
//
// GLSL has no groups: the bindings of @group(0) stay, and the bindings of each later group follow
// the group before it. A comment behind #version lists them with the names of blocks and
// textures, also for versions without layout(binding). Structs are padded where std140 or std430
// would place a member differently from WGSL. A texture belongs to one sampler. In HLSL,
// @group(G) @binding(B) is register B of its kind in space G.
//
// # Includes
//
// #include "name" is searched beside the including file and then in include_dirs, #include <name>
// only in include_dirs. Every file is a dependency, including absent files that may appear later.
// Includes are expanded everywhere outside of comments, even in #if branches that a compiler will
// skip: only the compiler knows its macros. Line ends become \n, and a line that ends in a
// backslash is joined with the next before anything else; later lines keep their numbers. A file
// with #pragma once gets #ifndef guards instead. A file that includes itself is an error unless
// it has guards or that line.
//
// If the source has no #version line, it gets the line of its first include. Other #version lines
// of included files are removed, and so are the lines of extensions that let a compiler expand
// includes. The option defines is inserted behind the #version of the source. #line follows the
// GLSL version.
//
// # Hostile shaders
//
// naga does not handle hostile shaders: some cause an infinite recursion, which ends the process.
// So this program starts itself again for each WGSL source and compiles in that process, limited
// by option timeout. In a program that embeds this package, the init functions of packages that
// are initialized earlier also run in that process, but main does not. Sources are refused before
// if they have more than 256 KiB or brackets nested deeper than 200, or if their nested structs
// or expressions would take naga too long.
package shader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/plaintext"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// Shader holds the options of the recipe.
type Shader struct {
	Format         string            `toml:"format" enum:"source,spirv,glsl,hlsl,msl" doc:"output format; source is the WGSL that naga has accepted, or GLSL with its includes expanded"`
	Entry          string            `toml:"entry" doc:"the WGSL entry point for GLSL output; empty for the only one"`
	GLSLVersion    string            `toml:"glsl_version" enum:"330,400,410,420,430,450,460,300 es,310 es,320 es" doc:"the GLSL version of the output for WGSL"`
	SPIRVVersion   string            `toml:"spirv_version" enum:"1.0,1.1,1.2,1.3,1.4,1.5,1.6" doc:"the SPIR-V version of the output for WGSL"`
	Debug          bool              `toml:"debug" doc:"keep names in SPIR-V"`
	IncludeDirs    []string          `toml:"include_dirs" doc:"directories that are searched for GLSL includes: paths from the asset directory with a leading slash"`
	Defines        map[string]string `toml:"defines" doc:"macros for GLSL, put after #version: { LIGHTS = \"4\" }"`
	LineDirectives bool              `toml:"line_directives" doc:"write #line at the begin and after each include of a GLSL file, with the file's number in the list at the top"`
	Compiler       string            `toml:"compiler" doc:"the program that makes SPIR-V of GLSL: \"glslangValidator\", or a file; empty for none"`
	Client         string            `toml:"client" enum:"vulkan,opengl" doc:"the API for which the compiler makes SPIR-V"`
	Stage          string            `toml:"stage" enum:"auto,vert,frag,comp,geom,tesc,tese" doc:"the stage of GLSL for the compiler; auto decides by the extension"`
	Timeout        time.Duration     `toml:"timeout" min:"1ms" doc:"time limit for compiling" unkeyed:"a limit on time changes no byte"`
}

// Recipe returns the recipe "shader".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "shader", Version: 4,
		New: func() recipe.Cooker {
			return &Shader{Format: "source", GLSLVersion: "450", SPIRVVersion: "1.3", Client: "vulkan", Stage: "auto", Timeout: time.Minute}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*Shader)
			return recipe.Traits{Check: o.checkOptions, Estimate: o.estimateMemory, Tools: o.compilerTools(), Machine: o.machineKind()}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *Shader) Outputs() []string {
	if ext := extensions[o.Format]; ext != "" {
		return []string{"{path}" + ext}
	}
	return []string{"{path}"}
}

var extensions = map[string]string{"spirv": ".spv", "glsl": ".glsl", "hlsl": ".hlsl", "msl": ".metal"}

// checkOptions implements Traits.Check.
func (o *Shader) checkOptions() error {
	for _, dir := range o.IncludeDirs {
		if !strings.HasPrefix(dir, "/") {
			return &recipe.OptionError{Key: "include_dirs", Got: strconv.Quote(dir), Want: `paths from the asset directory such as "/shaders/lib"`}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		if !isIdentifier(name) || strings.ContainsAny(o.Defines[name], "\r\n\\\x00") || strings.Contains(o.Defines[name], "/*") {
			return &recipe.OptionError{Key: "defines", Got: strconv.Quote(name), Want: "names of macros, and values of one line without comments"}
		}
	}
	if o.Compiler != "" && o.Format != "spirv" {
		return &recipe.OptionError{Key: "compiler", Got: strconv.Quote(o.Compiler), Want: `format = "spirv", the only one that it makes`}
	}
	return nil
}

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// compilerTools implements Traits.Tools.
func (o *Shader) compilerTools() []string {
	if o.Compiler == "" {
		return nil
	}
	return []string{o.Compiler}
}

// machineKind returns the kind of this machine: naga evaluates constants with the rounding of the
// processor.
func (o *Shader) machineKind() string {
	if o.Format == "source" {
		return ""
	}
	return runtime.GOARCH
}

// maxSource is the size limit of a shader.
const maxSource = 4 << 20

// estimateMemory implements Traits.Estimate. Includes may expand to maxFlat, held three times: as
// read, without comments, and written. The child's memory per byte of WGSL is measured, with
// childHeap as its limit.
func (o *Shader) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, fmt.Errorf("%d bytes are too many for a shader; at most %d are read", size, int64(maxSource))
	}
	return max(8*maxFlat, 32<<20+nagaBytes*min(size, maxWGSL)), nil
}

// Cook implements recipe.Cooker.
func (o *Shader) Cook(ctx context.Context, job *recipe.Job) error {
	if job.Size() > maxSource {
		return fmt.Errorf("%d bytes are too many for a shader; at most %d are read", job.Size(), int64(maxSource))
	}
	source, err := job.Source()
	if err != nil {
		return err
	}
	source = bytes.TrimPrefix(source, []byte(plaintext.ByteOrderMark))
	var out []byte
	switch ext := job.Ext(); {
	case ext == ".wgsl":
		step := job.Step("compile")
		out, err = o.translate(ctx, source)
		step()
	case ext == ".glsl" || stages[ext] != "" || o.Stage != "auto":
		return o.glsl(ctx, job, source)
	default:
		err = fmt.Errorf("the extension %q tells neither WGSL nor a stage of GLSL; set stage", ext)
	}
	if err != nil {
		return err
	}
	return job.Write(0, out)
}

// stages maps extensions to stages.
var stages = map[string]string{
	".vert": "vert", ".frag": "frag", ".comp": "comp", ".geom": "geom", ".tesc": "tesc", ".tese": "tese",
	".vs": "vert", ".fs": "frag",
}

// glsl cooks GLSL.
func (o *Shader) glsl(ctx context.Context, job *recipe.Job, source []byte) error {
	if o.Format != "source" && o.Format != "spirv" {
		return fmt.Errorf("format %s is made of WGSL only; for GLSL there are source and spirv", o.Format)
	}
	stage := o.Stage
	if stage == "auto" {
		stage = stages[job.Ext()]
	}
	switch {
	case o.Format == "source":
	case o.Compiler == "":
		return fmt.Errorf(`SPIR-V of GLSL is made by an external compiler; install glslang-tools and set compiler = "glslangValidator"`)
	case stage == "":
		return fmt.Errorf("the extension %q does not tell the stage; set stage", job.Ext())
	}
	compiled := o.Format == "spirv"
	f := flattening{ctx: ctx, dirs: o.IncludeDirs, lines: o.LineDirectives || compiled, compact: compiled, read: func(name string) ([]byte, error) { return readShader(job, name) }}
	step := job.Step("preprocess")
	text, err := f.flattenIncludes(path.Base("source"+job.Ext()), source, o.Defines)
	step()
	if err != nil {
		return err
	}
	if !compiled {
		return job.Write(0, text)
	}
	defer job.Step("compile")()
	// The compiler would open any file.
	if line := leftInclude().FindIndex(text); line != nil {
		return fmt.Errorf("an #include is left for the compiler: %.100q", text[line[0]:])
	}
	return o.compileGLSL(ctx, job, stage, text, f.names)
}

// readShader reads an included file of limited size.
func readShader(job *recipe.Job, name string) ([]byte, error) {
	f, err := job.OpenDep(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if len(text) > maxSource {
		return nil, fmt.Errorf("%s: more than %d bytes are too many for a shader", name, maxSource)
	}
	return text, err
}

// compileGLSL calls the external compiler, which makes SPIR-V of GLSL. The compiler's messages
// identify files by the numbers of #line.
func (o *Shader) compileGLSL(ctx context.Context, job *recipe.Job, stage string, text []byte, names []string) error {
	scratch, err := job.Scratch()
	if err != nil {
		return err
	}
	source, output := filepath.Join(scratch, "source."+stage), filepath.Join(scratch, "output.spv")
	if err := os.WriteFile(source, text, 0o666); err != nil {
		return err
	}
	client := map[string]string{"vulkan": "-V", "opengl": "-G"}[o.Client]
	err = builtin.Run(ctx, job, scratch, o.Timeout, []string{o.Compiler, client, "-S", stage, "-o", output, source})
	if err == nil {
		return builtin.Deliver(job, output)
	}
	if ctx.Err() == nil {
		if m := compilerError().FindStringSubmatch(err.Error()); m != nil {
			return errors.New(inFile(m, names))
		}
	}
	return err
}

var compilerError = lazyregexp.New(`ERROR: (\d+):(\d+): (.*)`)

// inFile returns a compiler's error with its file and line.
func inFile(m []string, names []string) string {
	where := m[2] + ":1"
	if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < len(names) {
		where = names[n] + ":" + m[2]
	}
	return fmt.Sprintf("%s: %s", where, strings.TrimSpace(m[3]))
}
