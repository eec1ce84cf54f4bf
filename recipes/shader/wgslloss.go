package shader

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gogpu/naga/ir"

	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// naga ignores unknown names, and some of its writers replace a built-in value that they do not
// support with another built-in value. The functions in this file refuse a shader if the output
// would lack a part of the shader.

var (
	anyAttribute = lazyregexp.New(`@\s*(\w+)`)
	enabled      = lazyregexp.New(`\benable\s+(\w[^;=]*);`)
	required     = lazyregexp.New(`(?:^|[;}\s])(requires)\s+\w`)
	storageMode  = lazyregexp.New(`\bvar\s*<\s*storage\s*,\s*(\w+)`)
	declaration  = lazyregexp.New(`\b(?:const|override|fn|struct|alias|var(?:\s*<[^>]*>)?)\s+(\w+)`)
	override     = lazyregexp.New(`\boverride\s+(\w+)`)
	overrideID   = lazyregexp.New(`@\s*id\s*\([^)]*\)`)
	word         = lazyregexp.New(`\w+`)
)

// knownAttributes are the attributes that naga reads.
var knownAttributes = []string{
	"align", "binding", "blend_src", "builtin", "compute", "const", "diagnostic", "early_depth_test", "fragment", "group", "id",
	"interpolate", "invariant", "location", "must_use", "size", "vertex", "workgroup_size",
}

// knownExtensions are the extensions of WGSL that naga compiles.
var knownExtensions = []string{"f16", "dual_source_blending", "clip_distances", "subgroups", "primitive_index"}

// builtInValues are the built-in values that the writers of all formats know, and the additional
// values of each format. GLSL has a separate check.
var builtInValues = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"": strings.Fields(`vertex_index instance_index position front_facing frag_depth sample_index sample_mask local_invocation_id
		local_invocation_index global_invocation_id workgroup_id subgroup_invocation_id subgroup_size subgroup_id num_subgroups
		view_index barycentric`),
		"spirv": {"num_workgroups", "primitive_index", "clip_distances"},
		"glsl":  {"num_workgroups", "primitive_index", "clip_distances"},
		"msl":   {"num_workgroups", "primitive_index"},
	}
})

// checkNames refuses names that naga would ignore or misread in the format of the order. code is
// the source without comments.
func (o *order) checkNames(code []byte) error {
	refuse := func(at int, format string, args ...any) error {
		return plaintext.Errorf([]byte(o.Source), at, format, args...)
	}
	if at := declaredTwice(code); at >= 0 {
		return refuse(at, "%s is declared twice; remove one declaration", word().Find(code[at:]))
	}
	if m := required().FindSubmatchIndex(code); m != nil {
		return refuse(m[2], "the WGSL compiler ignores requires directives; remove the line")
	}
	for _, m := range enabled().FindAllSubmatchIndex(code, -1) {
		for _, name := range word().FindAllIndex(code[m[2]:m[3]], -1) {
			if at := m[2] + name[0]; !slices.Contains(knownExtensions, string(code[at:m[2]+name[1]])) {
				return refuse(at, "the WGSL compiler does not know the extension %s; it knows %s", code[at:m[2]+name[1]], strings.Join(knownExtensions, ", "))
			}
		}
	}
	for _, m := range storageMode().FindAllSubmatchIndex(code, -1) {
		if mode := string(code[m[2]:m[3]]); mode != "read" && mode != "read_write" {
			return refuse(m[2], "a storage buffer must have the access mode read or read_write, not %s", mode)
		}
	}
	for _, m := range anyAttribute().FindAllSubmatchIndex(code, -1) {
		if err := o.checkAttribute(m[2], string(code[m[2]:m[3]]), argumentsAt(code, m[3])); err != nil {
			return err
		}
	}
	return nil
}

// declaredTwice returns the offset of the second declaration of a name outside of functions. It
// returns -1 if there is none.
func declaredTwice(code []byte) int {
	declared := map[string]bool{}
	depth, from := 0, 0
	for _, m := range declaration().FindAllSubmatchIndex(code, -1) {
		between := code[from:m[0]]
		depth += bytes.Count(between, []byte{'{'}) - bytes.Count(between, []byte{'}'})
		from = m[0]
		if name := string(code[m[2]:m[3]]); depth == 0 && declared[name] {
			return m[2]
		} else if depth == 0 {
			declared[name] = true
		}
	}
	return -1
}

// argumentsAt returns the text in the brackets that begin at an offset, or nil.
func argumentsAt(code []byte, at int) []byte {
	rest := bytes.TrimLeft(code[at:], " \t\r\n")
	if len(rest) == 0 || rest[0] != '(' {
		return nil
	}
	depth := 0
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return rest[1:i]
			}
		}
	}
	return nil
}

// checkAttribute checks an attribute with its arguments.
func (o *order) checkAttribute(at int, name string, arguments []byte) error {
	refuse := func(format string, args ...any) error { return plaintext.Errorf([]byte(o.Source), at, format, args...) }
	switch {
	case !slices.Contains(knownAttributes, name):
		return refuse("the WGSL compiler does not know the attribute @%s; remove it", name)
	case name == "early_depth_test" && o.Format != "glsl":
		return refuse("only GLSL output supports @early_depth_test; remove it")
	}
	for _, w := range word().FindAll(arguments, -1) {
		switch value := string(w); {
		case name == "builtin" && !slices.Contains(builtInValues()[""], value) && !slices.Contains(builtInValues()[o.Format], value):
			return refuse("the built-in value %s does not exist in %s", value, formatNames[o.Format])
		case name == "interpolate" && !slices.Contains([]string{"flat", "linear", "perspective", "center", "centroid", "sample", "first", "either"}, value):
			return refuse("the interpolation type %s is unknown; use flat, linear or perspective", value)
		}
	}
	return nil
}

// formatNames are the names of the formats for messages.
var formatNames = map[string]string{"spirv": "SPIR-V", "glsl": "GLSL", "hlsl": "HLSL", "msl": "the Metal shading language"}

// checkPushConstants refuses push constants in formats where naga declares them wrongly.
func (o *order) checkPushConstants(module *ir.Module) error {
	for _, v := range module.GlobalVariables {
		if v.Space != ir.SpacePushConstant && v.Space != ir.SpaceImmediate {
			continue
		}
		if o.Format == "msl" || o.Format == "hlsl" {
			return &declarationError{"var", v.Name, fmt.Errorf("output in %s does not support push constants; put them in a uniform", formatNames[o.Format])}
		}
		if _, ok := module.Types[v.Type].Inner.(ir.StructType); !ok && o.Format == "spirv" {
			return &declarationError{"var", v.Name, errors.New("push constants must be in a struct for Vulkan; declare a struct for the variable")}
		}
	}
	return nil
}

// overridesToConstants replaces the overrides in the order's source by constants with their default
// values, because naga cannot write constants that a pipeline sets. It warns about each override
// that the shader uses. Lines and columns stay the same.
func (o *order) overridesToConstants() error {
	code := withoutComments([]byte(o.Source))
	out := []byte(o.Source)
	for _, m := range override().FindAllSubmatchIndex(code, -1) {
		name := code[m[2]:m[3]]
		length := bytes.IndexByte(code[m[3]:], ';')
		if length < 0 {
			break // the WGSL compiler reports the missing end of the declaration
		}
		end := m[3] + length
		uses := 0
		for _, w := range word().FindAll(code, -1) {
			if bytes.Equal(w, name) {
				uses++
			}
		}
		switch hasDefault := bytes.IndexByte(code[m[3]:end], '=') >= 0; {
		case uses == 1: // the only use is the declaration
			blank(out[m[0] : end+1])
			continue
		case !hasDefault:
			return plaintext.Errorf(out, m[2], "the override %s has no default, and a pipeline cannot set it in %s; give it a value", name, formatNames[o.Format])
		}
		o.warned = append(o.warned, fmt.Sprintf("%s: the override %s keeps its default, because a pipeline cannot set it in %s; write const instead of override",
			plaintext.Position(out, m[2]), name, formatNames[o.Format]))
		blank(out[m[0]:m[2]])
		copy(out[m[0]:], "const")
	}
	for _, m := range overrideID().FindAllIndex(code, -1) {
		blank(out[m[0]:m[1]])
	}
	o.Source = string(out)
	return nil
}

// blank replaces a text by spaces, except its line ends.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
