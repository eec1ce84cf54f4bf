package shader

import (
	"fmt"
	"strings"

	"github.com/gogpu/naga/ir"
)

// A feature is a language feature that some GLSL versions lack.
type feature struct {
	name        string
	desktop, es int // the first versions with the feature; 0 if no version has it
}

func (f feature) missingError(version string) error {
	want := ""
	switch {
	case f.desktop == 0:
		return fmt.Errorf("GLSL has no form of %s; remove it or choose another output format", f.name)
	case f.es == 0:
		want = fmt.Sprintf(`set glsl_version to "%d" or later; OpenGL ES does not have it`, f.desktop)
	default:
		want = fmt.Sprintf(`set glsl_version to "%d" or "%d es"`, f.desktop, f.es)
	}
	return fmt.Errorf("GLSL %s does not have %s; %s", version, f.name, want)
}

// functionsOf returns the functions that an entry point reaches, starting with itself.
func functionsOf(m *ir.Module, entry *ir.Function) []*ir.Function {
	seen := map[ir.FunctionHandle]bool{}
	list := []*ir.Function{entry}
	for i := 0; i < len(list); i++ {
		for _, k := range list[i].Expressions {
			if c, ok := k.Kind.(ir.ExprCallResult); ok && !seen[c.Function] {
				seen[c.Function] = true
				list = append(list, &m.Functions[c.Function])
			}
		}
		statements(list[i].Body, func(s ir.StatementKind) {
			if c, ok := s.(ir.StmtCall); ok && !seen[c.Function] {
				seen[c.Function] = true
				list = append(list, &m.Functions[c.Function])
			}
		})
	}
	return list
}

// statements calls f for each statement of a block, including nested statements.
func statements(b ir.Block, f func(ir.StatementKind)) {
	for _, s := range b {
		f(s.Kind)
		switch s := s.Kind.(type) {
		case ir.StmtBlock:
			statements(s.Block, f)
		case ir.StmtIf:
			statements(s.Accept, f)
			statements(s.Reject, f)
		case ir.StmtLoop:
			statements(s.Body, f)
			statements(s.Continuing, f)
		case ir.StmtSwitch:
			for _, c := range s.Cases {
				statements(c.Body, f)
			}
		}
	}
}

// checkVersion refuses an entry point that uses features missing in the GLSL version.
func checkVersion(m *ir.Module, entry *ir.EntryPoint, number int, es bool, version string) error {
	missing := func(f feature) bool {
		if es {
			return f.es == 0 || number < f.es
		}
		return f.desktop == 0 || number < f.desktop
	}
	for _, t := range m.Types { // naga writes a helper function for frexp
		if f := (feature{"frexp", 400, 310}); strings.HasPrefix(t.Name, "__frexp_result") && missing(f) {
			return f.missingError(version)
		}
	}
	list := interfaceFeatures(m, &entry.Function)
	if early := entry.EarlyDepthTest; early != nil && early.Conservative != ir.ConservativeDepthUnchanged {
		list = append(list, feature{"@early_depth_test with greater_equal or less_equal", 420, 0})
	} else if early != nil {
		list = append(list, feature{"@early_depth_test", 420, 310})
	}
	for _, f := range list {
		if missing(f) {
			return &declarationError{"fn", entry.Name, f.missingError(version)}
		}
	}
	for _, function := range functionsOf(m, &entry.Function) {
		for i, e := range function.Expressions {
			for _, f := range expressionFeatures(m, function, ir.ExpressionHandle(i), e.Kind) {
				if missing(f) {
					return &declarationError{"fn", function.Name, f.missingError(version)}
				}
			}
		}
	}
	if entry.Stage == ir.StageCompute {
		if f := (feature{"compute shaders", 430, 310}); missing(f) {
			return f.missingError(version)
		}
	}
	return nil
}

// interfaceFeatures returns the features that the arguments and results of an entry
// point need.
func interfaceFeatures(m *ir.Module, f *ir.Function) (list []feature) {
	add := func(b *ir.Binding) {
		if b == nil {
			return
		}
		switch b := (*b).(type) {
		case ir.BuiltinBinding:
			switch b.Builtin {
			case ir.BuiltinSampleIndex, ir.BuiltinSampleMask:
				list = append(list, feature{"sample_index and sample_mask", 400, 320})
			case ir.BuiltinPrimitiveIndex:
				list = append(list, feature{"primitive_index", 330, 320})
			case ir.BuiltinClipDistance:
				list = append(list, feature{"clip_distances", 330, 0})
			case ir.BuiltinPosition, ir.BuiltinVertexIndex, ir.BuiltinInstanceIndex, ir.BuiltinFrontFacing, ir.BuiltinFragDepth, ir.BuiltinLocalInvocationID,
				ir.BuiltinLocalInvocationIndex, ir.BuiltinGlobalInvocationID, ir.BuiltinWorkGroupID, ir.BuiltinNumWorkGroups, ir.BuiltinPointSize:
			default:
				list = append(list, feature{name: fmt.Sprintf("a built-in value (number %d of naga)", b.Builtin)})
			}
		case ir.LocationBinding:
			if b.BlendSrc != nil {
				list = append(list, feature{name: "@blend_src"})
			}
			if b.Interpolation == nil {
				return
			}
			if b.Interpolation.Kind == ir.InterpolationLinear {
				list = append(list, feature{"@interpolate(linear)", 330, 0})
			}
			if b.Interpolation.Sampling == ir.SamplingSample {
				list = append(list, feature{"@interpolate(..., sample)", 400, 320})
			}
		}
	}
	bindings := func(b *ir.Binding, t ir.TypeHandle) {
		add(b)
		if s, ok := m.Types[t].Inner.(ir.StructType); ok {
			for _, member := range s.Members {
				add(member.Binding)
			}
		}
	}
	for _, a := range f.Arguments {
		bindings(a.Binding, a.Type)
	}
	if f.Result != nil {
		bindings(f.Result.Binding, f.Result.Type)
	}
	return list
}

// expressionFeatures returns the features that an expression needs.
func expressionFeatures(m *ir.Module, f *ir.Function, h ir.ExpressionHandle, kind ir.ExpressionKind) []feature {
	image := func(h ir.ExpressionHandle) ir.ImageType {
		t, _ := ir.TypeResInner(m, f.ExpressionTypes[h]).(ir.ImageType)
		return t
	}
	_, s := componentsOfType(ir.TypeResInner(m, f.ExpressionTypes[h]))
	if s.Kind != ir.ScalarBool && s.Width != 4 && s.Width != 0 {
		return []feature{{name: "a number of type " + scalarName(s)}}
	}
	switch k := kind.(type) {
	case ir.ExprMath:
		if name := mathFeature(k.Fun); name.name != "" {
			return []feature{name}
		}
	case ir.ExprImageLoad:
		if _, parameter := f.Expressions[k.Image].Kind.(ir.ExprFunctionArgument); parameter && image(k.Image).Class == ir.ImageClassDepth {
			return []feature{{name: "textureLoad of a depth texture that is a parameter of a function"}}
		}
	case ir.ExprImageQuery:
		switch k.Query.(type) {
		case ir.ImageQueryNumLevels:
			return []feature{{"textureNumLevels", 430, 0}}
		case ir.ImageQueryNumSamples:
			return []feature{{"textureNumSamples", 450, 0}}
		case ir.ImageQueryNumLayers:
			if image(k.Image).Class == ir.ImageClassStorage {
				return []feature{{name: "textureNumLayers of a storage texture"}}
			}
		}
	case ir.ExprImageSample:
		if _, parameter := f.Expressions[k.Image].Kind.(ir.ExprFunctionArgument); parameter {
			return []feature{{name: "sampling a texture that is a parameter of a function"}}
		}
		if k.Gather != nil {
			return []feature{{"textureGather", 400, 310}}
		}
		return shadowFeatures(image(k.Image), k)
	case ir.ExprGlobalVariable:
		if v := m.GlobalVariables[k.Variable]; v.Space == ir.SpaceStorage {
			return []feature{{"storage buffers such as " + v.Name, 430, 310}}
		}
		if _, ok := m.Types[m.GlobalVariables[k.Variable].Type].Inner.(ir.BindingArrayType); ok {
			return []feature{{name: "a binding_array"}}
		}
		t, ok := m.Types[m.GlobalVariables[k.Variable].Type].Inner.(ir.ImageType)
		if !ok {
			break
		}
		return textureFeatures(t)
	}
	return nil
}

// textureFeatures returns the features that declaring a texture needs.
func textureFeatures(t ir.ImageType) (list []feature) {
	if t.Class == ir.ImageClassStorage {
		list = append(list, feature{"storage textures", 420, 310})
		if onlyInGLSL(t.StorageFormat) {
			list = append(list, feature{"storage textures of this format", 420, 0})
		}
		if t.StorageAccess == ir.StorageAccessReadWrite && !isReadWriteES(t.StorageFormat) {
			list = append(list, feature{"storage textures of this format that are read and written", 420, 0})
		}
	}
	if t.Multisampled {
		list = append(list, feature{"multisampled textures", 330, 310})
		if t.Arrayed {
			list = append(list, feature{"multisampled arrays", 330, 320})
		}
	}
	if t.Dim == ir.Dim1D {
		list = append(list, feature{"1D textures", 330, 0})
	}
	if t.Dim == ir.DimCube && t.Arrayed {
		list = append(list, feature{"arrays of cubes", 400, 320})
	}
	return list
}

// onlyInGLSL reports whether a storage format exists in desktop GLSL but not in OpenGL ES.
func onlyInGLSL(f ir.StorageFormat) bool {
	switch f {
	case ir.StorageFormatRg32Uint, ir.StorageFormatRg32Sint, ir.StorageFormatRg32Float, ir.StorageFormatRg11b10Ufloat,
		ir.StorageFormatRgb10a2Unorm, ir.StorageFormatRgb10a2Uint, ir.StorageFormatR8Unorm, ir.StorageFormatR8Snorm,
		ir.StorageFormatR8Uint, ir.StorageFormatR8Sint, ir.StorageFormatRg8Unorm, ir.StorageFormatRg8Snorm,
		ir.StorageFormatRg8Uint, ir.StorageFormatRg8Sint, ir.StorageFormatR16Uint, ir.StorageFormatR16Sint,
		ir.StorageFormatR16Float, ir.StorageFormatRg16Uint, ir.StorageFormatRg16Sint, ir.StorageFormatRg16Float,
		ir.StorageFormatR16Unorm, ir.StorageFormatR16Snorm, ir.StorageFormatRg16Unorm, ir.StorageFormatRg16Snorm,
		ir.StorageFormatRgba16Unorm, ir.StorageFormatRgba16Snorm:
		return true
	}
	return false
}

// isReadWriteES reports whether OpenGL ES allows both reads and writes through one variable of a
// format.
func isReadWriteES(f ir.StorageFormat) bool {
	return f == ir.StorageFormatR32Uint || f == ir.StorageFormatR32Sint || f == ir.StorageFormatR32Float
}

// shadowFeatures returns the features that reading a depth texture needs.
func shadowFeatures(t ir.ImageType, k ir.ExprImageSample) []feature {
	array2D := t.Dim == ir.Dim2D && t.Arrayed
	_, exact := k.Level.(ir.SampleLevelExact)
	_, bias := k.Level.(ir.SampleLevelBias)
	_, zero := k.Level.(ir.SampleLevelZero)
	switch {
	case k.DepthRef == nil:
	case t.Dim == ir.DimCube && t.Arrayed && zero:
		return []feature{{name: "textureSampleCompareLevel of an array of cubes"}}
	case (array2D || t.Dim == ir.DimCube) && k.Offset != nil && (exact || zero):
		return []feature{{name: "textureSampleCompareLevel of this texture with an offset"}}
	case array2D && k.Offset != nil:
		return []feature{{"textureSampleCompare of an array with an offset", 430, 300}}
	case bias:
		return []feature{{name: "a depth comparison with a bias"}}
	}
	return nil
}

// mathFeature returns the feature that a math function needs.
func mathFeature(f ir.MathFunction) feature {
	switch f {
	case ir.MathFrexp, ir.MathLdexp:
		return feature{"frexp and ldexp", 400, 310}
	case ir.MathCountTrailingZeros, ir.MathCountLeadingZeros, ir.MathCountOneBits, ir.MathReverseBits, ir.MathExtractBits,
		ir.MathInsertBits, ir.MathFirstTrailingBit, ir.MathFirstLeadingBit, ir.MathUnpack4xI8, ir.MathUnpack4xU8, ir.MathDot4I8Packed, ir.MathDot4U8Packed:
		return feature{"functions on bits", 400, 310}
	case ir.MathPack4x8snorm, ir.MathPack4x8unorm:
		return feature{"pack4x8snorm and pack4x8unorm", 400, 310}
	case ir.MathPack2x16unorm:
		return feature{"pack2x16unorm", 400, 300}
	case ir.MathPack2x16snorm, ir.MathUnpack2x16snorm:
		return feature{"pack2x16snorm and unpack2x16snorm", 420, 300}
	case ir.MathUnpack4x8snorm: // naga's replacement would return -128 / 127
		return feature{"unpack4x8snorm", 400, 310}
	case ir.MathPack2x16float, ir.MathUnpack2x16float, ir.MathQuantizeF16:
		return feature{"16-bit floats", 420, 300}
	}
	return feature{}
}
