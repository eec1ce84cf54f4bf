package shader

import (
	"fmt"
	"strings"

	"github.com/gogpu/naga/hlsl"
	"github.com/gogpu/naga/ir"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// toHLSL writes HLSL. A resource at @group(G) @binding(B) gets the register with number B for
// its kind, in space G.
func (o *order) toHLSL(module *ir.Module) ([]byte, error) {
	rewriteFunctions(module, forHLSL)
	out, _, err := hlsl.Compile(module, hlsl.DefaultOptions())
	if err != nil {
		return nil, moveErrorPlace(err)
	}
	out = staticArray().ReplaceAllString(out, "static $1 $3$2 ")
	out = bindSamplers(withoutTwins(out), module)
	if err := checkMatrixCalls(out); err != nil {
		return nil, err
	}
	return []byte(out), nil
}

// checkMatrixCalls refuses shaders that naga compiles to invalid calls of helper functions,
// which it uses for two-row matrices in structs. A call is invalid if naga does not define the
// helper, or if the helper would modify a copy.
func checkMatrixCalls(text string) error {
	defined := map[string]bool{}
	for _, m := range matrixFunction().FindAllStringSubmatch(text, -1) {
		defined[m[1]] = true
	}
	for _, m := range matrixCall().FindAllStringSubmatch(text, -1) {
		if name := m[1]; !defined[name] || strings.HasPrefix(name, "Set") {
			return fmt.Errorf("the WGSL compiler writes invalid HLSL for a matrix of two rows in a struct (%s); use a matrix of four rows", name)
		}
	}
	return nil
}

// forHLSL replaces functions that do not exist in HLSL.
func forHLSL(r *rewriter, kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionKind {
	k, ok := kind.(ir.ExprMath)
	if !ok {
		return kind
	}
	binary := func(op ir.BinaryOperator, a, b ir.ExpressionHandle) ir.ExpressionHandle {
		return r.addExpression(ir.ExprBinary{Op: op, Left: a, Right: b}, t)
	}
	call := func(f ir.MathFunction, a ir.ExpressionHandle) ir.ExpressionHandle {
		return r.addExpression(ir.ExprMath{Fun: f, Arg: a}, t)
	}
	x := k.Arg
	switch k.Fun {
	case ir.MathAsinh: // computed as sign(x) * log(|x| + sqrt(x * x + 1))
		root := call(ir.MathSqrt, binary(ir.BinaryAdd, binary(ir.BinaryMultiply, x, x), r.addLiteral(ir.LiteralF32(1), t)))
		return ir.ExprBinary{Op: ir.BinaryMultiply, Left: call(ir.MathSign, x), Right: call(ir.MathLog, binary(ir.BinaryAdd, call(ir.MathAbs, x), root))}
	case ir.MathAcosh: // computed as log(x + sqrt(x * x - 1))
		root := call(ir.MathSqrt, binary(ir.BinarySubtract, binary(ir.BinaryMultiply, x, x), r.addLiteral(ir.LiteralF32(1), t)))
		return ir.ExprMath{Fun: ir.MathLog, Arg: binary(ir.BinaryAdd, x, root)}
	case ir.MathAtanh: // computed as log((1 + x) / (1 - x)) / 2
		one := r.addLiteral(ir.LiteralF32(1), t)
		quotient := binary(ir.BinaryDivide, binary(ir.BinaryAdd, one, x), binary(ir.BinarySubtract, one, x))
		return ir.ExprBinary{Op: ir.BinaryMultiply, Left: r.addLiteral(ir.LiteralF32(0.5), t), Right: call(ir.MathLog, quotient)}
	}
	return kind
}

var (
	helperStart    = lazyregexp.New(`^[\w<>]+ naga_\w+\(`)
	matrixFunction = lazyregexp.New(`(?m)^\w+ ([GS]etMat\w*On\w+)\(`)
	matrixCall     = lazyregexp.New(`(?m)^ .*?\b([GS]etMat\w*On\w+)\(`)
	staticArray    = lazyregexp.New(`(?m)^static (\w+)((?:\[\d+\])+) (\w+) `) // naga writes the brackets before the name
	samplerHeap    = lazyregexp.New(`(?m)^Sampler(?:Comparison)?State naga\w*SamplerHeap\[\d+\].*\n|^StructuredBuffer<uint> nagaGroup\d+SamplerIndexArray.*\n`)
	heapSampler    = lazyregexp.New(`(?m)^static const (Sampler\w*State) (\w+) = naga\w*SamplerHeap\[nagaGroup(\d+)SamplerIndexArray\[(\d+)\]\];$`)
)

// withoutTwins removes repeated functions. naga writes some helpers once for each calling function.
func withoutTwins(text string) string {
	var out, function strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if function.Len() == 0 && !helperStart().MatchString(line) {
			out.WriteString(line)
			continue
		}
		function.WriteString(line)
		if strings.HasPrefix(line, "}") {
			if !seen[function.String()] {
				out.WriteString(function.String())
			}
			seen[function.String()] = true
			function.Reset()
		}
	}
	return out.String() + function.String()
}

// bindSamplers gives each sampler its own register. naga would use a heap of 2,048 samplers and
// an index buffer, even for one sampler.
func bindSamplers(text string, m *ir.Module) string {
	for _, v := range m.GlobalVariables {
		if _, ok := m.Types[v.Type].Inner.(ir.BindingArrayType); ok {
			return text // arrays of samplers need the heap
		}
	}
	text = samplerHeap().ReplaceAllString(text, "")
	return heapSampler().ReplaceAllString(text, "$1 $2 : register(s$4, space$3);")
}
