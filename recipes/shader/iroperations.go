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

// ofKind reports whether a type is a scalar or vector of one of some kinds.
func ofKind(t ir.TypeInner, kinds ...ir.ScalarKind) bool {
	n, s := components(t)
	return n > 0 && slices.Contains(kinds, s.Kind)
}

func (c *typeChecker) unary(h ir.ExpressionHandle, k ir.ExprUnary) error {
	t := c.types[k.Expr]
	kinds := map[ir.UnaryOperator][]ir.ScalarKind{
		ir.UnaryNegate: {ir.ScalarSint, ir.ScalarFloat}, ir.UnaryLogicalNot: {ir.ScalarBool}, ir.UnaryBitwiseNot: {ir.ScalarSint, ir.ScalarUint},
	}[k.Op]
	if _, matrix := t.(ir.MatrixType); !ofKind(t, kinds...) && !(matrix && k.Op == ir.UnaryNegate) {
		return fmt.Errorf("a sign is put before %s", c.name(t))
	}
	c.handles[h] = c.handles[k.Expr]
	return c.set(h, t)
}

func (c *typeChecker) binary(h ir.ExpressionHandle, k ir.ExprBinary) error {
	l, r := c.types[k.Left], c.types[k.Right]
	bad := fmt.Errorf("the operator %s has %s and %s", operatorNames[k.Op], c.name(l), c.name(r))
	switch k.Op {
	case ir.BinaryEqual, ir.BinaryNotEqual, ir.BinaryLess, ir.BinaryLessEqual, ir.BinaryGreater, ir.BinaryGreaterEqual:
		ordered := k.Op != ir.BinaryEqual && k.Op != ir.BinaryNotEqual
		if n, s := components(l); n == 0 || l != r || ordered && s.Kind == ir.ScalarBool {
			return bad
		}
		return c.set(h, withScalar(l, scalarBool))
	case ir.BinaryLogicalAnd, ir.BinaryLogicalOr:
		if l != scalarBool || r != scalarBool {
			return bad
		}
	case ir.BinaryShiftLeft, ir.BinaryShiftRight:
		n, _ := components(l)
		if m, s := components(r); !ofKind(l, ir.ScalarSint, ir.ScalarUint) || m != n || s != scalarU32 {
			return bad
		}
	case ir.BinaryAnd, ir.BinaryExclusiveOr, ir.BinaryInclusiveOr:
		if l != r || !ofKind(l, ir.ScalarSint, ir.ScalarUint, ir.ScalarBool) || k.Op == ir.BinaryExclusiveOr && ofKind(l, ir.ScalarBool) {
			return bad
		}
	default:
		t := arithmetic(k.Op, l, r)
		if t == nil {
			return bad
		}
		return c.set(h, t)
	}
	return c.set(h, l)
}

// arithmetic returns the type of a sum, difference, product, quotient or remainder, or nil.
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
	case ofKind(l, ir.ScalarBool):
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

// condition checks the condition of select: one bool, or one for each component.
func (c *typeChecker) condition(k ir.ExprSelect) error {
	n, s := components(c.types[k.Condition])
	if m, _ := components(c.types[k.Accept]); s != scalarBool || n > 1 && n != m {
		return fmt.Errorf("select of %s has the condition %s", c.name(c.types[k.Accept]), c.name(c.types[k.Condition]))
	}
	return nil
}

// setFloat records the type of an operand, which must be a float or a vector of floats.
func (c *typeChecker) setFloat(h, operand ir.ExpressionHandle, what string) error {
	if !ofKind(c.types[operand], ir.ScalarFloat) {
		return fmt.Errorf("%s of %s", what, c.name(c.types[operand]))
	}
	return c.set(h, c.types[operand])
}

func (c *typeChecker) relational(h ir.ExpressionHandle, k ir.ExprRelational) error {
	t := c.types[k.Argument]
	if k.Fun == ir.RelationalIsNan || k.Fun == ir.RelationalIsInf {
		if err := c.setFloat(h, k.Argument, "a test"); err != nil {
			return err
		}
		return c.set(h, withScalar(t, scalarBool))
	}
	if n, s := components(t); s != scalarBool || n < 2 {
		return fmt.Errorf("all or any has %s", c.name(t))
	}
	return c.set(h, scalarBool)
}

func (c *typeChecker) convert(h ir.ExpressionHandle, k ir.ExprAs) error {
	t := c.types[k.Expr]
	if m, ok := t.(ir.MatrixType); ok && k.Convert != nil && k.Kind == ir.ScalarFloat {
		m.Scalar.Width = *k.Convert
		return c.set(h, m)
	}
	n, s := components(t)
	to := ir.ScalarType{Kind: k.Kind, Width: s.Width}
	if k.Convert != nil {
		to.Width = *k.Convert
	}
	if to.Kind == ir.ScalarBool {
		to.Width = 1
	}
	if n == 0 || k.Convert == nil && (s.Kind == ir.ScalarBool || to.Kind == ir.ScalarBool) {
		return fmt.Errorf("%s is converted to %s", c.name(t), scalarName(to))
	}
	return c.set(h, withScalar(t, to))
}

// math infers the type of a call of a built-in function.
func (c *typeChecker) math(h ir.ExpressionHandle, k ir.ExprMath) error {
	t := c.types[k.Arg]
	var args []ir.TypeInner
	for _, a := range []*ir.ExpressionHandle{&k.Arg, k.Arg1, k.Arg2, k.Arg3} {
		if a != nil {
			args = append(args, c.types[*a])
		}
	}
	bad := fmt.Errorf("a built-in function (number %d of naga) is called with %s", k.Fun, c.name(t))
	same := func(list ...ir.TypeInner) bool {
		return !slices.ContainsFunc(list, func(a ir.TypeInner) bool { return a != t })
	}
	n, s := components(t)
	isFloat, isInteger := ofKind(t, ir.ScalarFloat), ofKind(t, ir.ScalarSint, ir.ScalarUint)
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
			return c.set(h, s)
		}
	case ir.MathDistance, ir.MathLength:
		if isFloat && same(args...) {
			return c.set(h, s)
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
			return c.set(h, of)
		}
	case ir.MathModf, ir.MathFrexp, ir.MathOuter, ir.MathDot4I8Packed, ir.MathDot4U8Packed:
		r, err := ir.ResolveExpressionType(c.module, c.function, h)
		if err != nil {
			return err
		}
		c.handles[h] = r.Handle
		return c.set(h, ir.TypeResInner(c.module, r))
	default:
		from, to := packing(k.Fun)
		if to != nil {
			if t != from {
				return bad
			}
			return c.set(h, to)
		}
		ok = isFloat && same(args...)
	}
	if !ok {
		return bad
	}
	return c.set(h, t)
}

// ofMatrix returns the result type of a function for a matrix, nil if it does not take the matrix.
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

// packing returns the types that a function packs or unpacks, nil for other functions.
func packing(f ir.MathFunction) (from, to ir.TypeInner) {
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

// image returns the type of a texture.
func (c *typeChecker) image(h ir.ExpressionHandle) (ir.ImageType, error) {
	t, ok := c.types[h].(ir.ImageType)
	if !ok {
		return t, fmt.Errorf("a texture is %s", c.name(c.types[h]))
	}
	return t, nil
}

// texel returns the type of a texel.
func texel(t ir.ImageType) ir.TypeInner {
	switch t.Class {
	case ir.ImageClassDepth:
		return scalarF32
	case ir.ImageClassStorage:
		return ir.VectorType{Size: 4, Scalar: t.StorageFormat.Scalar()}
	}
	return ir.VectorType{Size: 4, Scalar: ir.ScalarType{Kind: t.SampledKind, Width: 4}}
}

// dimensions returns the number of coordinates of a texture.
func dimensions(t ir.ImageType) int {
	return []int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3, ir.DimCube: 3}[t.Dim]
}

func (c *typeChecker) sample(h ir.ExpressionHandle, k ir.ExprImageSample) error {
	t, err := c.image(k.Image)
	if err != nil {
		return err
	}
	if n, s := components(c.types[k.Coordinate]); n != dimensions(t) || s != scalarF32 {
		return fmt.Errorf("a texture of %d dimensions is read at %s", dimensions(t), c.name(c.types[k.Coordinate]))
	}
	if k.ArrayIndex != nil && !ofKind(c.types[*k.ArrayIndex], ir.ScalarSint, ir.ScalarUint) {
		return fmt.Errorf("the layer of a texture is %s", c.name(c.types[*k.ArrayIndex]))
	}
	switch level := k.Level.(type) {
	case ir.SampleLevelExact:
		depth := t.Class == ir.ImageClassDepth && ofKind(c.types[level.Level], ir.ScalarSint, ir.ScalarUint)
		if c.types[level.Level] != scalarF32 && !depth {
			return fmt.Errorf("the level of a texture is %s", c.name(c.types[level.Level]))
		}
	case ir.SampleLevelBias:
		if c.types[level.Bias] != scalarF32 {
			return fmt.Errorf("the bias of a texture is %s", c.name(c.types[level.Bias]))
		}
	case ir.SampleLevelGradient:
		if c.types[level.X] != c.types[k.Coordinate] || c.types[level.Y] != c.types[k.Coordinate] {
			return fmt.Errorf("the gradients of a texture are %s and %s", c.name(c.types[level.X]), c.name(c.types[level.Y]))
		}
	}
	if k.DepthRef != nil && c.types[*k.DepthRef] != scalarF32 {
		return fmt.Errorf("a depth is %s", c.name(c.types[*k.DepthRef]))
	}
	if k.Gather != nil && t.Class == ir.ImageClassDepth {
		return c.set(h, ir.VectorType{Size: 4, Scalar: scalarF32})
	}
	return c.set(h, texel(t))
}

func (c *typeChecker) load(h ir.ExpressionHandle, k ir.ExprImageLoad) error {
	t, err := c.image(k.Image)
	if err != nil {
		return err
	}
	if n, _ := components(c.types[k.Coordinate]); n != dimensions(t) || !ofKind(c.types[k.Coordinate], ir.ScalarSint, ir.ScalarUint) {
		return fmt.Errorf("a texture of %d dimensions is read at %s", dimensions(t), c.name(c.types[k.Coordinate]))
	}
	for _, number := range []*ir.ExpressionHandle{k.ArrayIndex, k.Sample, k.Level} {
		if number != nil {
			if _, ok := c.scalarOf(c.types[*number], ir.ScalarSint, ir.ScalarUint); !ok {
				return fmt.Errorf("the layer, sample or level of a texture is %s", c.name(c.types[*number]))
			}
		}
	}
	return c.set(h, texel(t))
}

// block checks the statements of a block.
func (c *typeChecker) block(b ir.Block) error {
	for _, s := range b {
		if err := c.statement(s.Kind); err != nil {
			return err
		}
	}
	return nil
}

// is checks that an expression has a type.
func (c *typeChecker) is(what string, h ir.ExpressionHandle, t ir.TypeInner) error {
	if !c.equal(c.types[h], t) {
		return fmt.Errorf("%s is %s, not %s", what, c.name(c.types[h]), c.name(t))
	}
	return nil
}

func (c *typeChecker) statement(s ir.StatementKind) error {
	blocks := func(list ...ir.Block) error {
		for _, b := range list {
			if err := c.block(b); err != nil {
				return err
			}
		}
		return nil
	}
	switch s := s.(type) {
	case ir.StmtBlock:
		return c.block(s.Block)
	case ir.StmtIf:
		if err := c.is("a condition", s.Condition, scalarBool); err != nil {
			return err
		}
		return blocks(s.Accept, s.Reject)
	case ir.StmtLoop:
		if s.BreakIf != nil {
			if err := c.is("a condition", *s.BreakIf, scalarBool); err != nil {
				return err
			}
		}
		return blocks(s.Body, s.Continuing)
	case ir.StmtSwitch:
		for _, one := range s.Cases {
			want := map[bool]ir.ScalarType{true: scalarI32, false: scalarU32}
			if _, none := one.Value.(ir.SwitchValueDefault); !none {
				_, signed := one.Value.(ir.SwitchValueI32)
				if err := c.is("the value of a switch", s.Selector, want[signed]); err != nil {
					return err
				}
			}
			if err := c.block(one.Body); err != nil {
				return err
			}
		}
		return nil
	}
	return c.operands(s)
}

// operands checks a statement without nested blocks.
func (c *typeChecker) operands(s ir.StatementKind) error {
	switch s := s.(type) {
	case ir.StmtStore:
		t := c.pointee(c.types[s.Pointer])
		if a, ok := t.(ir.AtomicType); ok {
			t = a.Scalar
		}
		return c.is("the stored value", s.Value, t)
	case ir.StmtReturn:
		if s.Value != nil && c.function.Result != nil {
			return c.is("the result", *s.Value, c.module.Types[c.function.Result.Type].Inner)
		}
	case ir.StmtCall:
		f := c.module.Functions[s.Function]
		for i, a := range s.Arguments {
			if c.pointee(c.types[a]) != nil {
				continue
			}
			if err := c.is(fmt.Sprintf("argument %d of %s", i+1, f.Name), a, c.module.Types[f.Arguments[i].Type].Inner); err != nil {
				return err
			}
		}
	case ir.StmtAtomic:
		if a, ok := c.pointee(c.types[s.Pointer]).(ir.AtomicType); ok {
			if _, load := s.Fun.(ir.AtomicLoad); !load {
				return c.is("the operand of an atomic operation", s.Value, a.Scalar)
			}
		}
	case ir.StmtImageStore:
		t, err := c.image(s.Image)
		if err != nil {
			return err
		}
		return c.is("the texel that is stored", s.Value, texel(t))
	}
	return nil
}

// checkNumber refuses a constant that cannot be written as text, such as an infinity. naga folds
// constant expressions, even to values that WGSL forbids.
func checkNumber(e ir.Expression) error {
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
