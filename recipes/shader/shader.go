// Package shader is the recipe for shaders.
//
// WGSL (.wgsl) is compiled to SPIR-V, GLSL, HLSL or the Metal shading language by the library naga,
// which is young. So the recipe itself computes the type of each expression and the offset of each
// member. It refuses a shader that naga compiles wrongly, and names the line of the function or
// declaration. It replaces operators and functions that GLSL or HLSL lacks or defines differently.
// It refuses names that naga would ignore, and replaces overrides by their defaults. spirv-val and
// the driver check further rules. naga does not yet support hexadecimal floats.
//
// In GLSL (.glsl, .vert, .frag, .comp, .geom, .tesc, .tese), includes are expanded, so that a
// driver needs only one file. An external compiler can compile the result to SPIR-V.
//
// # GLSL and HLSL from WGSL
//
// GLSL has no groups. @group(0) keeps its bindings, and the bindings of each later group follow
// the bindings of the previous group. A comment after #version lists them with the names of blocks and
// textures, even for versions without layout(binding). Structs are padded where std140 or std430
// would place a member at another offset than WGSL. A texture can be used with only one sampler. In
// HLSL, @group(G) @binding(B) is the register with number B for its kind, in space G.
//
// # Includes
//
// #include "name" is looked up beside the including file and then in include_dirs, #include <name>
// only in include_dirs. Every included file is a dependency. So is every absent file that an
// include would find if it existed. Includes are expanded everywhere outside of comments, even in
// #if branches that a compiler will skip, because only the compiler knows its macros. Line endings
// become \n. A line that ends with a backslash is first joined with the next line. Later lines keep
// their numbers. #pragma once is replaced by #ifndef guards. A file that includes itself is an
// error unless it has guards or #pragma once.
//
// If the source has no #version line, it gets the line of its first include. Other #version lines
// in included files are removed, with a warning if they differ. Lines that enable includes in a
// compiler are removed, too. The option defines is inserted after the source's #version line. #line
// directives follow the GLSL version.
//
// # Hostile shaders
//
// naga is not hardened against hostile shaders. Some of them cause an infinite recursion, which
// ends the process. So this program starts itself again for each WGSL source, and compiles in the
// child process, limited by option timeout. In a program that embeds this package, the init
// functions of packages that are initialized earlier also run in the child process, but main does
// not. Sources are refused in advance if they have more than 256 KiB or brackets nested deeper than
// 200. They are also refused if naga would take too long for their nested structs or expressions.
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

// shaderOptions are the options of the recipe.
type shaderOptions struct {
	Format         string            `toml:"format" enum:"source,spirv,glsl,hlsl,msl" doc:"output format; source means the checked WGSL, or GLSL with its includes expanded"`
	Entry          string            `toml:"entry" doc:"the WGSL entry point for GLSL output; empty for the only one"`
	GLSLVersion    string            `toml:"glsl_version" enum:"330,400,410,420,430,450,460,300 es,310 es,320 es" doc:"the GLSL version of the output for WGSL"`
	SPIRVVersion   string            `toml:"spirv_version" enum:"1.0,1.1,1.2,1.3,1.4,1.5,1.6" doc:"the SPIR-V version of the output for WGSL"`
	Debug          bool              `toml:"debug" doc:"keep names in SPIR-V"`
	IncludeDirs    []string          `toml:"include_dirs" doc:"directories that are searched for GLSL includes: paths from the asset directory with a leading slash"`
	Defines        map[string]string `toml:"defines" doc:"macros for GLSL, written after #version, such as { LIGHTS = \"4\" }"`
	LineDirectives bool              `toml:"line_directives" doc:"write #line at the beginning and after each include of a GLSL file, with the file's number in the list at the top"`
	Compiler       string            `toml:"compiler" doc:"the program that compiles GLSL to SPIR-V: \"glslangValidator\", or a file; empty for none"`
	Client         string            `toml:"client" enum:"vulkan,opengl" doc:"the graphics API for which the compiler writes SPIR-V"`
	Stage          string            `toml:"stage" enum:"auto,vert,frag,comp,geom,tesc,tese" doc:"the stage of GLSL for the compiler; auto decides by the extension"`
	Timeout        time.Duration     `toml:"timeout" min:"1ms" doc:"time limit for compiling" unkeyed:"a limit on time changes no byte"`
}

// Recipe returns the recipe "shader".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "shader", Version: 5,
		New: func() recipe.Cooker {
			return &shaderOptions{Format: "source", GLSLVersion: "450", SPIRVVersion: "1.3", Client: "vulkan", Stage: "auto", Timeout: time.Minute}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*shaderOptions)
			return recipe.Traits{Check: o.checkOptions, Estimate: o.estimateMemory, Tools: o.compilerTools(), Machine: o.machineKind()}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *shaderOptions) Outputs() []string {
	if ext := extensions[o.Format]; ext != "" {
		return []string{"{path}" + ext}
	}
	return []string{"{path}"}
}

var extensions = map[string]string{"spirv": ".spv", "glsl": ".glsl", "hlsl": ".hlsl", "msl": ".metal"}

// checkOptions implements Traits.Check.
func (o *shaderOptions) checkOptions() error {
	for _, dir := range o.IncludeDirs {
		if !strings.HasPrefix(dir, "/") {
			return &recipe.OptionError{Key: "include_dirs", Got: strconv.Quote(dir), Want: `paths that begin at the asset directory, such as "/shaders/lib"`}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		if !isIdentifier(name) || strings.ContainsAny(o.Defines[name], "\r\n\\\x00") || strings.Contains(o.Defines[name], "/*") {
			return &recipe.OptionError{Key: "defines", Got: strconv.Quote(name), Want: "names of macros, and values of one line without comments"}
		}
	}
	if o.Compiler != "" && o.Format != "spirv" {
		return &recipe.OptionError{Key: "compiler", Got: strconv.Quote(o.Compiler), Want: `format = "spirv", the only format that a compiler writes`}
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
func (o *shaderOptions) compilerTools() []string {
	if o.Compiler == "" {
		return nil
	}
	return []string{o.Compiler}
}

// machineKind returns the kind of this machine, because naga evaluates constants with the
// rounding of the processor.
func (o *shaderOptions) machineKind() string {
	if o.Format == "source" {
		return ""
	}
	return runtime.GOARCH
}

// maxSource limits the size of a shader in bytes.
const maxSource = 4 << 20

// estimateMemory implements Traits.Estimate. Includes may expand to maxFlat bytes. These are in
// memory three times: as read, without comments, and as written. For WGSL, the memory of the child
// per byte was measured, and childHeap limits it.
func (o *shaderOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, fmt.Errorf("the shader has %d bytes; the limit is %d", size, int64(maxSource))
	}
	return max(8*maxFlat, 32<<20+nagaBytes*min(size, maxWGSL)), nil
}

// Cook implements recipe.Cooker.
func (o *shaderOptions) Cook(ctx context.Context, job *recipe.Job) error {
	if job.Size() > maxSource {
		return fmt.Errorf("the shader has %d bytes; the limit is %d", job.Size(), int64(maxSource))
	}
	source, err := job.Source()
	if err != nil {
		return err
	}
	source = bytes.TrimPrefix(source, []byte(plaintext.ByteOrderMark))
	var out []byte
	switch ext := job.Ext(); {
	case ext == ".wgsl":
		if len(o.Defines) > 0 {
			job.Warn("the option defines has no effect, because WGSL has no macros; declare const %s in the shader", slices.Min(slices.Collect(maps.Keys(o.Defines))))
		}
		step := job.Step("compile")
		out, err = o.translate(ctx, job, source)
		step()
	case ext == ".glsl" || stageOf(ext) != "" || o.Stage != "auto":
		return o.glsl(ctx, job, source)
	default:
		err = fmt.Errorf("the extension %q names neither WGSL nor a GLSL stage; set stage", ext)
	}
	if err != nil {
		return err
	}
	return job.Write(0, out)
}

// stageOf returns the shader stage for a file extension, or "".
func stageOf(ext string) string {
	switch ext {
	case ".vert", ".frag", ".comp", ".geom", ".tesc", ".tese":
		return ext[1:]
	case ".vs":
		return "vert"
	case ".fs":
		return "frag"
	}
	return ""
}

// glsl cooks GLSL.
func (o *shaderOptions) glsl(ctx context.Context, job *recipe.Job, source []byte) error {
	if o.Format != "source" && o.Format != "spirv" {
		return fmt.Errorf("format %s needs WGSL; for GLSL, use source or spirv", o.Format)
	}
	stage := o.Stage
	if stage == "auto" {
		stage = stageOf(job.Ext())
	}
	switch {
	case o.Format == "source":
	case o.Compiler == "":
		return fmt.Errorf(`GLSL needs an external compiler for SPIR-V; install glslang-tools and set compiler = "glslangValidator"`)
	case stage == "":
		return fmt.Errorf("the extension %q does not determine the stage; set stage", job.Ext())
	}
	compiled := o.Format == "spirv"
	f := flattening{ctx: ctx, dirs: o.IncludeDirs, lines: o.LineDirectives || compiled, compact: compiled, read: func(name string) ([]byte, error) { return readShader(job, name) }}
	step := job.Step("preprocess")
	text, err := f.flattenIncludes(path.Base("source"+job.Ext()), source, o.Defines)
	step()
	if err != nil {
		return err
	}
	for _, line := range f.warned {
		job.Warn("%s", line)
	}
	if !compiled {
		return job.Write(0, text)
	}
	defer job.Step("compile")()
	// The compiler would open any file that an include names, so no include may remain.
	if line := leftInclude().FindIndex(text); line != nil {
		return fmt.Errorf("cook cannot expand this #include, and the compiler must not: %.100q; move it to its own line", text[line[0]:])
	}
	return o.compileGLSL(ctx, job, stage, text, f.names)
}

// readShader reads an included file, up to the size limit.
func readShader(job *recipe.Job, name string) ([]byte, error) {
	f, err := job.OpenDep(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if len(text) > maxSource {
		return nil, fmt.Errorf("%s: the shader has more than %d bytes, the limit", name, maxSource)
	}
	return text, err
}

// compileGLSL runs the external compiler, which converts GLSL to SPIR-V. The compiler's messages
// contain the file numbers of #line directives.
func (o *shaderOptions) compileGLSL(ctx context.Context, job *recipe.Job, stage string, text []byte, names []string) error {
	scratch, err := job.Scratch()
	if err != nil {
		return err
	}
	source, output := filepath.Join(scratch, "source."+stage), filepath.Join(scratch, "output.spv")
	if err := os.WriteFile(source, text, 0o666); err != nil {
		return err
	}
	client := map[string]string{"vulkan": "-V", "opengl": "-G"}[o.Client]
	printed, err := builtin.Run(ctx, job, scratch, o.Timeout, []string{o.Compiler, client, "-S", stage, "-o", output, source})
	if err == nil {
		for _, m := range compilerWarning().FindAllStringSubmatch(printed, -1) {
			job.Warn("%s", inFile(m, names))
		}
		return builtin.Deliver(job, output)
	}
	if ctx.Err() == nil {
		if m := compilerError().FindStringSubmatch(err.Error()); m != nil {
			return errors.New(inFile(m, names))
		}
	}
	return err
}

var (
	compilerError   = lazyregexp.New(`ERROR: (\d+):(\d+): (.*)`)
	compilerWarning = lazyregexp.New(`WARNING: (\d+):(\d+): (.*)`)
)

// inFile returns a message of the compiler with the file's name and line.
func inFile(m []string, names []string) string {
	where := m[2] + ":1"
	if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < len(names) {
		where = names[n] + ":" + m[2]
	}
	return fmt.Sprintf("%s: %s", where, strings.TrimSpace(m[3]))
}
