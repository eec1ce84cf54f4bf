package shader

import (
	"errors"

	"github.com/gogpu/naga/ir"
)

// loadDepth declares a depth texture as a float texture if the shader only loads its texels:
// naga declares comparison samplers, whose texels GLSL cannot load. A texture that is both loaded
// and sampled is refused.
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
			return &declarationError{"var", variable.Name, errors.New("GLSL cannot both load and sample a depth texture; bind it twice")}
		case loaded[v]:
			t := m.Types[variable.Type].Inner.(ir.ImageType)
			t.Class, t.SampledKind = ir.ImageClassSampled, ir.ScalarFloat
			m.Types = append(m.Types, ir.Type{Inner: t})
			variable.Type = ir.TypeHandle(len(m.Types) - 1)
		}
	}
	if len(loaded) > 0 {
		rewrite(m, func(r *rewriter, kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionKind {
			if k, ok := kind.(ir.ExprImageLoad); ok && t == scalarF32 {
				return ir.ExprAccessIndex{Base: r.addExpression(k, ir.VectorType{Size: 4, Scalar: scalarF32})}
			}
			return kind
		})
	}
	return nil
}
