package shader

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gogpu/naga/glsl"
	"github.com/gogpu/naga/ir"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// maxBinding is the highest binding that naga can write.
const maxBinding = 255

// usedVariables returns the global variables that the functions of a module use.
func usedVariables(m *ir.Module) []ir.GlobalVariable {
	seen := make([]bool, len(m.GlobalVariables))
	functions := []*ir.Function{&m.EntryPoints[0].Function}
	for i := range m.Functions {
		functions = append(functions, &m.Functions[i])
	}
	for _, f := range functions {
		for _, e := range f.Expressions {
			if v, ok := e.Kind.(ir.ExprGlobalVariable); ok {
				seen[v.Variable] = true
			}
		}
	}
	var used []ir.GlobalVariable
	for i, v := range m.GlobalVariables {
		if seen[i] {
			used = append(used, v)
		}
	}
	return used
}

// flatBindings assigns GLSL bindings to the resources of all groups, because GLSL has no groups.
// Group 0 keeps its bindings. The bindings of each later group follow the bindings of the previous group.
// All entry points of a module get the same bindings.
func flatBindings(m *ir.Module) (map[glsl.BindingMapKey]uint8, error) {
	var groups []uint32
	last := map[uint32]uint32{}
	for _, v := range m.GlobalVariables {
		if b := v.Binding; b != nil {
			if _, ok := last[b.Group]; !ok {
				groups = append(groups, b.Group)
			}
			last[b.Group] = max(last[b.Group], b.Binding)
		}
	}
	slices.Sort(groups)
	flat := map[glsl.BindingMapKey]uint8{}
	first := uint64(0)
	for _, group := range groups {
		for _, v := range m.GlobalVariables {
			if b := v.Binding; b != nil && b.Group == group {
				n := first + uint64(b.Binding)
				if n > maxBinding {
					return nil, &declarationError{"var", v.Name, fmt.Errorf("the GLSL binding would be %d, but the limit is %d; use lower bindings", n, maxBinding)}
				}
				flat[glsl.BindingMapKey{Group: group, Binding: b.Binding}] = uint8(n)
			}
		}
		first += uint64(last[group]) + 1
	}
	return flat, nil
}

// roundCall matches calls of the built-in function round. naga writes this name only for that
// function.
var roundCall = lazyregexp.New(`\bround\(`)

// intInput matches inputs that are int in GLSL and u32 in WGSL. sampleMask matches the assignment
// of a sample mask. naga uses the input's name there.
var (
	intInput   = lazyregexp.New(`\bgl_(?:SampleID|PrimitiveID|SampleMaskIn\[0\])`)
	sampleMask = lazyregexp.New(`\buint\(gl_SampleMaskIn\[0\]\) = (.*);`)
)

// finishGLSL completes the output of naga. It names buffer blocks after their variables, lists the
// bindings after #version, and converts the types of inputs and outputs. It makes round() round
// halves to even, as WGSL does.
func finishGLSL(text string, of ir.ShaderStage, used []ir.GlobalVariable, info glsl.TranslationInfo, flat map[glsl.BindingMapKey]uint8) (string, error) {
	text = roundCall().ReplaceAllString(text, "roundEven(")
	text = intInput().ReplaceAllString(text, "uint($0)")
	text = sampleMask().ReplaceAllString(text, "gl_SampleMask[0] = int($1);")
	stage := map[ir.ShaderStage]string{ir.StageVertex: "vertex", ir.StageFragment: "fragment", ir.StageCompute: "compute"}[of]
	var lines []string
	list := func(b ir.ResourceBinding, kind, name, of string) {
		lines = append(lines, fmt.Sprintf("// @group(%d) @binding(%d) %s: binding %d, %s %s\n", b.Group, b.Binding, of, flat[glsl.BindingMapKey(b)], kind, name))
	}
	for _, u := range info.Uniforms {
		variable := variableAt(used, u.Binding)
		name := blockName(text, variable, stage)
		text = regexp.MustCompile(`\b`+regexp.QuoteMeta(u.BlockName)+`\b`).ReplaceAllString(text, name)
		kind := "uniform block"
		if u.IsStorage {
			kind = "buffer"
		}
		list(u.Binding, kind, name, variable)
	}
	for _, found := range textureUniform().FindAllStringSubmatch(text, -1) {
		var b ir.ResourceBinding
		if _, err := fmt.Sscanf(found[1], "_group_%d_binding_%d_", &b.Group, &b.Binding); err != nil {
			return "", fmt.Errorf("the WGSL compiler gave a texture the unexpected name %s", found[1])
		}
		list(b, "uniform", found[1], variableAt(used, b))
	}
	slices.Sort(lines)
	version, rest, _ := strings.Cut(text, "\n")
	return version + "\n" + strings.Join(lines, "") + rest, nil
}

// textureUniform matches declarations of textures and images.
var textureUniform = lazyregexp.New(`(?m)^(?:layout\([^)]*\) )?(?:\w+ )*uniform (?:highp )?[iu]?(?:sampler|image)\w+ (_group_\w+);$`)

// variableAt returns the name of the variable at a binding.
func variableAt(used []ir.GlobalVariable, b ir.ResourceBinding) string {
	for _, v := range used {
		if v.Binding != nil && *v.Binding == b {
			return v.Name
		}
	}
	return ""
}

// blockName returns an unused name for the block of a variable. The name differs between stages,
// because GLSL requires blocks of the same name to be equal.
func blockName(text, variable, stage string) string {
	if !isIdentifier(variable) {
		variable = "block"
	}
	name := strings.Trim(strings.ReplaceAll(variable, "__", "_"), "_") + "_" + stage
	for strings.HasPrefix(name, "gl_") || regexp.MustCompile(`\b`+name+`\b`).MatchString(text) {
		name = "b" + name
	}
	return name
}

// checkSamplers refuses a texture that an entry point reads with two samplers. GLSL combines a
// texture with its sampler, and both combinations would get the same binding.
func checkSamplers(used []ir.GlobalVariable, info glsl.TranslationInfo) error {
	with := map[ir.ResourceBinding]ir.ResourceBinding{}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range info.TextureMappings {
			if !yield(name) {
				return
			}
		}
	})
	for _, name := range names {
		pair := info.TextureMappings[name]
		if pair.SamplerBinding == nil {
			continue
		}
		if other, ok := with[pair.TextureBinding]; ok && other != *pair.SamplerBinding {
			return &declarationError{"var", variableAt(used, pair.TextureBinding), fmt.Errorf("the texture is read with two samplers; GLSL ties a texture to one sampler, so bind the texture twice")}
		}
		with[pair.TextureBinding] = *pair.SamplerBinding
	}
	return nil
}

// loadDepth declares a depth texture as a float texture if the shader only loads its texels.
// naga declares such textures as comparison samplers, whose texels GLSL cannot load. A texture
// that is both loaded and sampled is refused.
func loadDepth(m *ir.Module) error {
	loaded, sampled := map[ir.GlobalVariableHandle]bool{}, map[ir.GlobalVariableHandle]bool{}
	functions := functionsOf(m, &m.EntryPoints[0].Function)
	for _, f := range functions {
		note := func(h ir.ExpressionHandle, in map[ir.GlobalVariableHandle]bool) {
			v, ok := f.Expressions[h].Kind.(ir.ExprGlobalVariable)
			if !ok {
				return
			}
			if t, ok := m.Types[m.GlobalVariables[v.Variable].Type].Inner.(ir.ImageType); ok && t.Class == ir.ImageClassDepth {
				in[v.Variable] = true
			}
		}
		for _, e := range f.Expressions {
			switch k := e.Kind.(type) {
			case ir.ExprImageLoad:
				note(k.Image, loaded)
			case ir.ExprImageSample:
				note(k.Image, sampled)
			}
		}
	}
	for v := range ir.GlobalVariableHandle(len(m.GlobalVariables)) {
		variable := &m.GlobalVariables[v]
		switch {
		case loaded[v] && sampled[v]:
			return &declarationError{"var", variable.Name, errors.New("GLSL cannot both load and sample a depth texture; bind the texture twice")}
		case loaded[v]:
			t := m.Types[variable.Type].Inner.(ir.ImageType)
			t.Class, t.SampledKind = ir.ImageClassSampled, ir.ScalarFloat
			m.Types = append(m.Types, ir.Type{Inner: t})
			variable.Type = ir.TypeHandle(len(m.Types) - 1)
		}
	}
	if len(loaded) > 0 {
		rewriteFunctions(m, func(r *rewriter, kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionKind {
			if k, ok := kind.(ir.ExprImageLoad); ok && t == scalarF32 {
				return ir.ExprAccessIndex{Base: r.addExpression(k, ir.VectorType{Size: 4, Scalar: scalarF32})}
			}
			return kind
		})
	}
	return nil
}
