package shader

import (
	"fmt"
	"math"
	"slices"

	"github.com/gogpu/naga/ir"
)

// withScalar returns a type with another component type.
func withScalar(t ir.TypeInner, s ir.ScalarType) ir.TypeInner {
	if v, ok := t.(ir.VectorType); ok {
		return ir.VectorType{Size: v.Size, Scalar: s}
	}
	return s
}

// hasKind reports whether a type is a scalar or vector of one of the given kinds.
func hasKind(t ir.TypeInner, kinds ...ir.ScalarKind) bool {
	n, s := componentsOfType(t)
	return n > 0 && slices.Contains(kinds, s.Kind)
}

func (c *typeChecker) inferUnary(h ir.ExpressionHandle, k ir.ExprUnary) error {
	t := c.types[k.Expr]
	kinds := map[ir.UnaryOperator][]ir.ScalarKind{
		ir.UnaryNegate: {ir.ScalarSint, ir.ScalarFloat}, ir.UnaryLogicalNot: {ir.ScalarBool}, ir.UnaryBitwiseNot: {ir.ScalarSint, ir.ScalarUint},
	}[k.Op]
	if _, matrix := t.(ir.MatrixType); !hasKind(t, kinds...) && !(matrix && k.Op == ir.UnaryNegate) {
		return fmt.Errorf("a unary operator cannot have an operand of type %s", c.wgslName(t))
	}
	c.handles[h] = c.handles[k.Expr]
	return c.setType(h, t)
}

func (c *typeChecker) inferBinary(h ir.ExpressionHandle, k ir.ExprBinary) error {
	l, r := c.types[k.Left], c.types[k.Right]
	bad := fmt.Errorf("the operator %s cannot have operands of types %s and %s", operatorNames[k.Op], c.wgslName(l), c.wgslName(r))
	switch k.Op {
	case ir.BinaryEqual, ir.BinaryNotEqual, ir.BinaryLess, ir.BinaryLessEqual, ir.BinaryGreater, ir.BinaryGreaterEqual:
		ordered := k.Op != ir.BinaryEqual && k.Op != ir.BinaryNotEqual
		if n, s := componentsOfType(l); n == 0 || l != r || ordered && s.Kind == ir.ScalarBool {
			return bad
		}
		return c.setType(h, withScalar(l, scalarBool))
	case ir.BinaryLogicalAnd, ir.BinaryLogicalOr:
		if l != scalarBool || r != scalarBool {
			return bad
		}
	case ir.BinaryShiftLeft, ir.BinaryShiftRight:
		n, _ := componentsOfType(l)
		if m, s := componentsOfType(r); !hasKind(l, ir.ScalarSint, ir.ScalarUint) || m != n || s != scalarU32 {
			return bad
		}
	case ir.BinaryAnd, ir.BinaryExclusiveOr, ir.BinaryInclusiveOr:
		if l != r || !hasKind(l, ir.ScalarSint, ir.ScalarUint, ir.ScalarBool) || k.Op == ir.BinaryExclusiveOr && hasKind(l, ir.ScalarBool) {
			return bad
		}
	default:
		t := arithmetic(k.Op, l, r)
		if t == nil {
			return bad
		}
		return c.setType(h, t)
	}
	return c.setType(h, l)
}

// arithmetic returns the type of a sum, difference, product, quotient or remainder, or nil if
// the operands do not match.
func arithmetic(op ir.BinaryOperator, l, r ir.TypeInner) ir.TypeInner {
	lm, leftMatrix := l.(ir.MatrixType)
	rm, rightMatrix := r.(ir.MatrixType)
	lv, leftVector := l.(ir.VectorType)
	rv, rightVector := r.(ir.VectorType)
	switch {
	case leftMatrix && rightMatrix && (op == ir.BinaryAdd || op == ir.BinarySubtract):
		if lm == rm {
			return l
		}
	case op == ir.BinaryMultiply && leftMatrix && rightMatrix:
		if lm.Columns == rm.Rows {
			return ir.MatrixType{Columns: rm.Columns, Rows: lm.Rows, Scalar: lm.Scalar}
		}
	case op == ir.BinaryMultiply && leftMatrix && rightVector:
		if lm.Columns == rv.Size && lm.Scalar == rv.Scalar {
			return ir.VectorType{Size: lm.Rows, Scalar: lm.Scalar}
		}
	case op == ir.BinaryMultiply && leftVector && rightMatrix:
		if lv.Size == rm.Rows && lv.Scalar == rm.Scalar {
			return ir.VectorType{Size: rm.Columns, Scalar: rm.Scalar}
		}
	case op == ir.BinaryMultiply && leftMatrix && r == lm.Scalar:
		return l
	case op == ir.BinaryMultiply && rightMatrix && l == rm.Scalar:
		return r
	case hasKind(l, ir.ScalarBool):
	case l == r && (leftVector || !leftMatrix):
		return l
	case leftVector && r == lv.Scalar:
		return l
	case rightVector && l == rv.Scalar:
		return r
	}
	return nil
}

var operatorNames = [...]string{
	ir.BinaryAdd: "+", ir.BinarySubtract: "-", ir.BinaryMultiply: "*", ir.BinaryDivide: "/", ir.BinaryModulo: "%",
	ir.BinaryEqual: "==", ir.BinaryNotEqual: "!=", ir.BinaryLess: "<", ir.BinaryLessEqual: "<=", ir.BinaryGreater: ">", ir.BinaryGreaterEqual: ">=",
	ir.BinaryAnd: "&", ir.BinaryExclusiveOr: "^", ir.BinaryInclusiveOr: "|", ir.BinaryLogicalAnd: "&&", ir.BinaryLogicalOr: "||",
	ir.BinaryShiftLeft: "<<", ir.BinaryShiftRight: ">>",
}

// checkSelectCondition checks the condition of select. It must be a single bool, or one bool per
// component.
func (c *typeChecker) checkSelectCondition(k ir.ExprSelect) error {
	n, s := componentsOfType(c.types[k.Condition])
	if m, _ := componentsOfType(c.types[k.Accept]); s != scalarBool || n > 1 && n != m {
		return fmt.Errorf("select of %s cannot have a condition of type %s", c.wgslName(c.types[k.Accept]), c.wgslName(c.types[k.Condition]))
	}
	return nil
}

// setFloat records that the result has the type of the operand. The operand must be a float or a
// vector of floats.
func (c *typeChecker) setFloat(h, operand ir.ExpressionHandle, what string) error {
	if !hasKind(c.types[operand], ir.ScalarFloat) {
		return fmt.Errorf("%s does not accept %s", what, c.wgslName(c.types[operand]))
	}
	return c.setType(h, c.types[operand])
}

func (c *typeChecker) inferRelational(h ir.ExpressionHandle, k ir.ExprRelational) error {
	t := c.types[k.Argument]
	if k.Fun == ir.RelationalIsNan || k.Fun == ir.RelationalIsInf {
		if err := c.setFloat(h, k.Argument, "a test"); err != nil {
			return err
		}
		return c.setType(h, withScalar(t, scalarBool))
	}
	if n, s := componentsOfType(t); s != scalarBool || n < 2 {
		return fmt.Errorf("the functions all() and any() cannot have an argument of type %s", c.wgslName(t))
	}
	return c.setType(h, scalarBool)
}

func (c *typeChecker) inferConversion(h ir.ExpressionHandle, k ir.ExprAs) error {
	t := c.types[k.Expr]
	if m, ok := t.(ir.MatrixType); ok && k.Convert != nil && k.Kind == ir.ScalarFloat {
		m.Scalar.Width = *k.Convert
		return c.setType(h, m)
	}
	n, s := componentsOfType(t)
	to := ir.ScalarType{Kind: k.Kind, Width: s.Width}
	if k.Convert != nil {
		to.Width = *k.Convert
	}
	if to.Kind == ir.ScalarBool {
		to.Width = 1
	}
	if n == 0 || k.Convert == nil && (s.Kind == ir.ScalarBool || to.Kind == ir.ScalarBool) {
		return fmt.Errorf("%s cannot be converted to %s", c.wgslName(t), scalarName(to))
	}
	return c.setType(h, withScalar(t, to))
}

// inferMath infers the result type of a built-in math function.
func (c *typeChecker) inferMath(h ir.ExpressionHandle, k ir.ExprMath) error {
	t := c.types[k.Arg]
	var args []ir.TypeInner
	for _, a := range []*ir.ExpressionHandle{&k.Arg, k.Arg1, k.Arg2, k.Arg3} {
		if a != nil {
			args = append(args, c.types[*a])
		}
	}
	bad := fmt.Errorf("a built-in function (number %d of naga) cannot be called with %s", k.Fun, c.wgslName(t))
	same := func(list ...ir.TypeInner) bool {
		return !slices.ContainsFunc(list, func(a ir.TypeInner) bool { return a != t })
	}
	n, s := componentsOfType(t)
	isFloat, isInteger := hasKind(t, ir.ScalarFloat), hasKind(t, ir.ScalarSint, ir.ScalarUint)
	ok := false
	switch k.Fun {
	case ir.MathAbs, ir.MathMin, ir.MathMax, ir.MathClamp, ir.MathSign:
		ok = (isFloat || isInteger) && same(args...)
	case ir.MathCountTrailingZeros, ir.MathCountLeadingZeros, ir.MathCountOneBits, ir.MathReverseBits, ir.MathFirstTrailingBit, ir.MathFirstLeadingBit:
		ok = isInteger
	case ir.MathExtractBits:
		ok = isInteger && len(args) == 3 && args[1] == scalarU32 && args[2] == scalarU32
	case ir.MathInsertBits:
		ok = isInteger && len(args) == 4 && args[1] == t && args[2] == scalarU32 && args[3] == scalarU32
	case ir.MathDot:
		if (isFloat || isInteger) && n > 1 && same(args...) {
			return c.setType(h, s)
		}
	case ir.MathDistance, ir.MathLength:
		if isFloat && same(args...) {
			return c.setType(h, s)
		}
	case ir.MathMix:
		ok = isFloat && len(args) == 3 && args[1] == t && (args[2] == t || args[2] == s)
	case ir.MathRefract:
		ok = isFloat && len(args) == 3 && args[1] == t && args[2] == s
	case ir.MathLdexp:
		m, exponent := ir.TypeInner(nil), args[len(args)-1]
		if len(args) == 2 {
			m = withScalar(t, scalarI32)
		}
		ok = isFloat && exponent == m
	case ir.MathCross:
		ok = isFloat && n == 3 && same(args...)
	case ir.MathTranspose, ir.MathDeterminant, ir.MathInverse:
		if of := ofMatrix(k.Fun, t); of != nil {
			return c.setType(h, of)
		}
	case ir.MathModf, ir.MathFrexp, ir.MathOuter, ir.MathDot4I8Packed, ir.MathDot4U8Packed:
		r, err := ir.ResolveExpressionType(c.module, c.function, h)
		if err != nil {
			return err
		}
		c.handles[h] = r.Handle
		return c.setType(h, ir.TypeResInner(c.module, r))
	default:
		from, to := packingTypes(k.Fun)
		if to != nil {
			if t != from {
				return bad
			}
			return c.setType(h, to)
		}
		ok = isFloat && same(args...)
	}
	if !ok {
		return bad
	}
	return c.setType(h, t)
}

// ofMatrix returns the result type of a function that takes a matrix. It returns nil if the
// function does not take this matrix.
func ofMatrix(f ir.MathFunction, t ir.TypeInner) ir.TypeInner {
	m, matrix := t.(ir.MatrixType)
	switch {
	case !matrix:
	case f == ir.MathTranspose:
		return ir.MatrixType{Columns: m.Rows, Rows: m.Columns, Scalar: m.Scalar}
	case m.Rows != m.Columns:
	case f == ir.MathDeterminant:
		return m.Scalar
	default:
		return t
	}
	return nil
}

// packingTypes returns the argument and result types of a packing or unpacking function. Both are
// nil for other functions.
func packingTypes(f ir.MathFunction) (from, to ir.TypeInner) {
	vec := func(n ir.VectorSize, s ir.ScalarType) ir.TypeInner { return ir.VectorType{Size: n, Scalar: s} }
	switch f {
	case ir.MathPack4x8snorm, ir.MathPack4x8unorm:
		return vec(4, scalarF32), scalarU32
	case ir.MathPack2x16snorm, ir.MathPack2x16unorm, ir.MathPack2x16float:
		return vec(2, scalarF32), scalarU32
	case ir.MathPack4xI8, ir.MathPack4xI8Clamp:
		return vec(4, scalarI32), scalarU32
	case ir.MathPack4xU8, ir.MathPack4xU8Clamp:
		return vec(4, scalarU32), scalarU32
	case ir.MathUnpack4x8snorm, ir.MathUnpack4x8unorm:
		return scalarU32, vec(4, scalarF32)
	case ir.MathUnpack2x16snorm, ir.MathUnpack2x16unorm, ir.MathUnpack2x16float:
		return scalarU32, vec(2, scalarF32)
	case ir.MathUnpack4xI8:
		return scalarU32, vec(4, scalarI32)
	case ir.MathUnpack4xU8:
		return scalarU32, vec(4, scalarU32)
	}
	return nil, nil
}

// textureType returns the type of a texture.
func (c *typeChecker) textureType(h ir.ExpressionHandle) (ir.ImageType, error) {
	t, ok := c.types[h].(ir.ImageType)
	if !ok {
		return t, fmt.Errorf("a texture cannot be of type %s", c.wgslName(c.types[h]))
	}
	return t, nil
}

// texelType returns the type of a texel of a texture.
func texelType(t ir.ImageType) ir.TypeInner {
	switch t.Class {
	case ir.ImageClassDepth:
		return scalarF32
	case ir.ImageClassStorage:
		return ir.VectorType{Size: 4, Scalar: t.StorageFormat.Scalar()}
	}
	return ir.VectorType{Size: 4, Scalar: ir.ScalarType{Kind: t.SampledKind, Width: 4}}
}

// dimensions returns the number of coordinates that address a texture.
func dimensions(t ir.ImageType) int {
	return []int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3, ir.DimCube: 3}[t.Dim]
}

func (c *typeChecker) inferSample(h ir.ExpressionHandle, k ir.ExprImageSample) error {
	t, err := c.textureType(k.Image)
	if err != nil {
		return err
	}
	if n, s := componentsOfType(c.types[k.Coordinate]); n != dimensions(t) || s != scalarF32 {
		return fmt.Errorf("a texture of %d dimensions cannot have a coordinate of type %s", dimensions(t), c.wgslName(c.types[k.Coordinate]))
	}
	if k.ArrayIndex != nil && !hasKind(c.types[*k.ArrayIndex], ir.ScalarSint, ir.ScalarUint) {
		return fmt.Errorf("the layer of a texture cannot be of type %s", c.wgslName(c.types[*k.ArrayIndex]))
	}
	switch level := k.Level.(type) {
	case ir.SampleLevelExact:
		depth := t.Class == ir.ImageClassDepth && hasKind(c.types[level.Level], ir.ScalarSint, ir.ScalarUint)
		if c.types[level.Level] != scalarF32 && !depth {
			return fmt.Errorf("the level of a texture cannot be of type %s", c.wgslName(c.types[level.Level]))
		}
	case ir.SampleLevelBias:
		if c.types[level.Bias] != scalarF32 {
			return fmt.Errorf("the bias of a texture cannot be of type %s", c.wgslName(c.types[level.Bias]))
		}
	case ir.SampleLevelGradient:
		if c.types[level.X] != c.types[k.Coordinate] || c.types[level.Y] != c.types[k.Coordinate] {
			return fmt.Errorf("the gradients of a texture cannot be of types %s and %s", c.wgslName(c.types[level.X]), c.wgslName(c.types[level.Y]))
		}
	}
	if k.DepthRef != nil && c.types[*k.DepthRef] != scalarF32 {
		return fmt.Errorf("a depth cannot be of type %s", c.wgslName(c.types[*k.DepthRef]))
	}
	if k.Gather != nil && t.Class == ir.ImageClassDepth {
		return c.setType(h, ir.VectorType{Size: 4, Scalar: scalarF32})
	}
	return c.setType(h, texelType(t))
}

func (c *typeChecker) inferLoad(h ir.ExpressionHandle, k ir.ExprImageLoad) error {
	t, err := c.textureType(k.Image)
	if err != nil {
		return err
	}
	if n, _ := componentsOfType(c.types[k.Coordinate]); n != dimensions(t) || !hasKind(c.types[k.Coordinate], ir.ScalarSint, ir.ScalarUint) {
		return fmt.Errorf("a texture of %d dimensions cannot have a coordinate of type %s", dimensions(t), c.wgslName(c.types[k.Coordinate]))
	}
	for _, number := range []*ir.ExpressionHandle{k.ArrayIndex, k.Sample, k.Level} {
		if number != nil {
			if _, ok := c.scalarOf(c.types[*number], ir.ScalarSint, ir.ScalarUint); !ok {
				return fmt.Errorf("the layer, sample or level of a texture cannot be of type %s", c.wgslName(c.types[*number]))
			}
		}
	}
	return c.setType(h, texelType(t))
}

// checkBlock checks the statements of a block.
func (c *typeChecker) checkBlock(b ir.Block) error {
	for _, s := range b {
		if err := c.checkStatement(s.Kind); err != nil {
			return err
		}
	}
	return nil
}

// checkTypeIs checks that an expression has the given type.
func (c *typeChecker) checkTypeIs(what string, h ir.ExpressionHandle, t ir.TypeInner) error {
	if !c.sameType(c.types[h], t) {
		return fmt.Errorf("%s is of type %s, want %s", what, c.wgslName(c.types[h]), c.wgslName(t))
	}
	return nil
}

func (c *typeChecker) checkStatement(s ir.StatementKind) error {
	blocks := func(list ...ir.Block) error {
		for _, b := range list {
			if err := c.checkBlock(b); err != nil {
				return err
			}
		}
		return nil
	}
	switch s := s.(type) {
	case ir.StmtBlock:
		return c.checkBlock(s.Block)
	case ir.StmtIf:
		if err := c.checkTypeIs("a condition", s.Condition, scalarBool); err != nil {
			return err
		}
		return blocks(s.Accept, s.Reject)
	case ir.StmtLoop:
		if s.BreakIf != nil {
			if err := c.checkTypeIs("a condition", *s.BreakIf, scalarBool); err != nil {
				return err
			}
		}
		return blocks(s.Body, s.Continuing)
	case ir.StmtSwitch:
		for _, one := range s.Cases {
			want := map[bool]ir.ScalarType{true: scalarI32, false: scalarU32}
			if _, none := one.Value.(ir.SwitchValueDefault); !none {
				_, signed := one.Value.(ir.SwitchValueI32)
				if err := c.checkTypeIs("the value of a switch", s.Selector, want[signed]); err != nil {
					return err
				}
			}
			if err := c.checkBlock(one.Body); err != nil {
				return err
			}
		}
		return nil
	}
	return c.checkOperands(s)
}

// checkOperands checks the operands of a statement, but not its nested blocks.
func (c *typeChecker) checkOperands(s ir.StatementKind) error {
	switch s := s.(type) {
	case ir.StmtStore:
		t := c.typePointedTo(c.types[s.Pointer])
		if a, ok := t.(ir.AtomicType); ok {
			t = a.Scalar
		}
		return c.checkTypeIs("the stored value", s.Value, t)
	case ir.StmtReturn:
		if s.Value != nil && c.function.Result != nil {
			return c.checkTypeIs("the result", *s.Value, c.module.Types[c.function.Result.Type].Inner)
		}
	case ir.StmtCall:
		f := c.module.Functions[s.Function]
		for i, a := range s.Arguments {
			if c.typePointedTo(c.types[a]) != nil {
				continue
			}
			if err := c.checkTypeIs(fmt.Sprintf("argument %d of %s", i+1, f.Name), a, c.module.Types[f.Arguments[i].Type].Inner); err != nil {
				return err
			}
		}
	case ir.StmtAtomic:
		if a, ok := c.typePointedTo(c.types[s.Pointer]).(ir.AtomicType); ok {
			if _, load := s.Fun.(ir.AtomicLoad); !load {
				return c.checkTypeIs("the operand of an atomic operation", s.Value, a.Scalar)
			}
		}
	case ir.StmtImageStore:
		t, err := c.textureType(s.Image)
		if err != nil {
			return err
		}
		return c.checkTypeIs("the texel that is stored", s.Value, texelType(t))
	}
	return nil
}

// checkConstant refuses constants that cannot be written as text, such as infinity. naga evaluates
// constant expressions, even to values that WGSL forbids.
func checkConstant(e ir.Expression) error {
	l, ok := e.Kind.(ir.Literal)
	if !ok {
		return nil
	}
	v := 0.0
	switch f := l.Value.(type) {
	case ir.LiteralF32:
		v = float64(f)
	case ir.LiteralF64:
		v = float64(f)
	case ir.LiteralAbstractFloat:
		v = float64(f)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("a constant expression gives %v, which WGSL forbids", v)
	}
	return nil
}
