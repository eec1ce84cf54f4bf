// Package shader is the recipe for shaders.
//
// WGSL (.wgsl) is compiled to SPIR-V, GLSL, HLSL or the Metal shading language by the
// library naga, which is young. So the recipe works out the type of each expression and
// the offset of each member itself and refuses a shader that naga got wrong, with the
// line of the function or declaration. It spells out operators and functions that GLSL
// or HLSL lacks or defines in another way. spirv-val and the driver still know more. Naga
// does not know hexadecimal floats and overrides yet. GLSL (.glsl, .vert, .frag, .comp, .geom, .tesc,
// .tese) has its includes expanded, so that one file is all that a driver needs; an
// external compiler can make SPIR-V of it.
//
// # GLSL and HLSL made of WGSL
//
// GLSL has no groups: the bindings of @group(0) stay, the bindings of each later group
// follow the group before it. A comment behind #version lists them with the names of
// blocks and textures, for versions that have no layout(binding) as well. Structs are
// padded where std140 or std430 would place a member elsewhere than WGSL. A texture is
// tied to one sampler. In HLSL, @group(G) @binding(B) is the register B of its kind in
// space G.
//
// # Includes
//
// #include "name" is looked for beside the file that has it and then in
// include_dirs, #include <name> in include_dirs only. Every file is a dependency,
// also where none is: one that appears there later counts. Includes are expanded
// wherever they stand outside of comments, in the branches of #if that a compiler
// will skip as well: which those are only its own macros tell. Line ends become \n,
// and lines that end in a backslash are joined with the next before anything else is
// looked at; the lines below keep their numbers. A file with
// #pragma once gets guards of #ifndef in the place of it. A file that includes
// itself is an error unless it has guards of its own, or that line.
//
// If the source has no #version line, it gets the line of the file that it includes first.
// Other #version lines of included files are dropped, and so are the lines of extensions
// that let a compiler expand includes. The options defines come after the #version of
// the source. #line numbers lines as the GLSL of that version does.
//
// # Hostile shaders
//
// naga was written for shaders that mean well: some that do not send it into a
// recursion without end, which ends a process. So this program starts itself once
// more for each source of WGSL and has that process do the work, for as long as the
// option timeout says at most. In a program that embeds this package, the functions
// init of packages that stand before this one run in that process, too, and none of
// main. Sources that are larger than 256 KiB, nested deeper than 200 brackets, or whose
// structs within structs or expressions would keep naga busy are refused before.
package shader

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Shader holds the options of the recipe.
type Shader struct {
	Format         string            `toml:"format" enum:"source,spirv,glsl,hlsl,msl" doc:"what is written; source is WGSL as it is once naga has accepted it, and GLSL with its includes expanded"`
	Entry          string            `toml:"entry" doc:"the entry point of WGSL that GLSL is written for; empty for the only one"`
	GLSLVersion    string            `toml:"glsl_version" enum:"330,400,410,420,430,450,460,300 es,310 es,320 es" doc:"the version of GLSL that WGSL is turned into"`
	SPIRVVersion   string            `toml:"spirv_version" enum:"1.0,1.1,1.2,1.3,1.4,1.5,1.6" doc:"the version of SPIR-V that WGSL is turned into"`
	Debug          bool              `toml:"debug" doc:"keep names in SPIR-V"`
	IncludeDirs    []string          `toml:"include_dirs" doc:"folders that includes of GLSL are looked for in, with a slash in front: paths from the asset folder"`
	Defines        map[string]string `toml:"defines" doc:"macros for GLSL, put after #version: { LIGHTS = \"4\" }"`
	LineDirectives bool              `toml:"line_directives" doc:"put #line where a file of GLSL begins and goes on, its number being that of the list of files at the top"`
	Compiler       string            `toml:"compiler" doc:"the program that makes SPIR-V of GLSL: \"glslangValidator\", or a file; empty for none"`
	Client         string            `toml:"client" enum:"vulkan,opengl" doc:"whose SPIR-V the compiler makes"`
	Stage          string            `toml:"stage" enum:"auto,vert,frag,comp,geom,tesc,tese" doc:"the stage of GLSL for the compiler; auto goes by the extension"`
	Timeout        time.Duration     `toml:"timeout" min:"1ms" doc:"how long compiling may take" unkeyed:"a limit on time changes no byte"`
}

// Recipe returns the recipe "shader".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "shader", Version: 4,
		New: func() recipe.Cooker {
			return &Shader{Format: "source", GLSLVersion: "450", SPIRVVersion: "1.3", Client: "vulkan", Stage: "auto", Timeout: time.Minute}
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

// Check implements recipe.Checker.
func (o *Shader) Check() error {
	for _, dir := range o.IncludeDirs {
		if !strings.HasPrefix(dir, "/") {
			return &recipe.OptionError{Key: "include_dirs", Got: strconv.Quote(dir), Want: `paths from the asset folder such as "/shaders/lib"`}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		if !identifier(name) || strings.ContainsAny(o.Defines[name], "\r\n\\\x00") || strings.Contains(o.Defines[name], "/*") {
			return &recipe.OptionError{Key: "defines", Got: strconv.Quote(name), Want: "names of macros, and values of one line without comments"}
		}
	}
	if o.Compiler != "" && o.Format != "spirv" {
		return &recipe.OptionError{Key: "compiler", Got: strconv.Quote(o.Compiler), Want: `format = "spirv", the only one that it makes`}
	}
	return nil
}

func identifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Tools implements recipe.ToolUser.
func (o *Shader) Tools() []string {
	if o.Compiler == "" {
		return nil
	}
	return []string{o.Compiler}
}

// Machine implements recipe.MachineUser: naga works out constants as the processor
// rounds.
func (o *Shader) Machine() string {
	if o.Format == "source" {
		return ""
	}
	return runtime.GOARCH
}

// maxSource is the largest shader that is read.
const maxSource = 4 << 20

// Estimate implements recipe.Estimator. Includes may come to maxFlat, held as they are
// read, without comments, and written; what the child takes for each byte of WGSL is measured, with childHeap as its limit.
func (o *Shader) Estimate(_ []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, fmt.Errorf("%d bytes are no shader; at most %d are read", size, int64(maxSource))
	}
	return max(8*maxFlat, 32<<20+nagaBytes*min(size, maxWGSL)), nil
}

// Cook implements recipe.Cooker.
func (o *Shader) Cook(ctx context.Context, job *recipe.Job) error {
	if job.Size() > maxSource {
		return fmt.Errorf("%d bytes are no shader; at most %d are read", job.Size(), int64(maxSource))
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

// stages are those that an extension tells.
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
	text, err := f.flatten(path.Base("source"+job.Ext()), source, o.Defines)
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
	return o.compile(ctx, job, stage, text, f.names)
}

// readShader reads an included file, unless it is too large to be one.
func readShader(job *recipe.Job, name string) ([]byte, error) {
	f, err := job.OpenDep(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if len(text) > maxSource {
		return nil, fmt.Errorf("%s: more than %d bytes are no shader", name, maxSource)
	}
	return text, err
}
