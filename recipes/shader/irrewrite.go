package shader

import (
	"math"
	"reflect"
	"slices"

	"github.com/gogpu/naga/ir"
)

// A rewriter copies a function. It replaces expressions by equivalent expressions that exist in the
// target language.
type rewriter struct {
	module   *ir.Module
	function *ir.Function // the copy of the function
	replace  func(*rewriter, ir.ExpressionKind, ir.TypeInner) ir.ExpressionKind
	first    []ir.ExpressionHandle                   // first new expression for each old expression
	moved    []ir.ExpressionHandle                   // replacement of each old expression
	calls    map[ir.FunctionHandle]ir.FunctionHandle // new handle of each called function; nil if unchanged
}

// rewriteFunctions replaces expressions in all functions of a module. It calls replace with each
// expression and its type. replace may insert expressions before that expression.
func rewriteFunctions(m *ir.Module, replace func(*rewriter, ir.ExpressionKind, ir.TypeInner) ir.ExpressionKind) {
	for i := range m.Functions {
		m.Functions[i] = rewriteFunction(m, m.Functions[i], nil, replace)
	}
	for i := range m.EntryPoints {
		m.EntryPoints[i].Function = rewriteFunction(m, m.EntryPoints[i].Function, nil, replace)
	}
}

// keepFunctions removes the other entry points, and the functions that the given entry point does
// not reach. Otherwise naga would write some of them.
func keepFunctions(m *ir.Module, entry int) {
	m.EntryPoints = m.EntryPoints[entry : entry+1]
	reached := functionsOf(m, &m.EntryPoints[0].Function)
	calls := map[ir.FunctionHandle]ir.FunctionHandle{}
	var kept []ir.Function
	for i := range m.Functions {
		if slices.Contains(reached, &m.Functions[i]) {
			calls[ir.FunctionHandle(i)] = ir.FunctionHandle(len(kept))
			kept = append(kept, m.Functions[i])
		}
	}
	same := func(_ *rewriter, kind ir.ExpressionKind, _ ir.TypeInner) ir.ExpressionKind { return kind }
	m.Functions = kept
	for i := range m.Functions {
		m.Functions[i] = rewriteFunction(m, m.Functions[i], calls, same)
	}
	m.EntryPoints[0].Function = rewriteFunction(m, m.EntryPoints[0].Function, calls, same)
}

func rewriteFunction(m *ir.Module, old ir.Function, calls map[ir.FunctionHandle]ir.FunctionHandle, replace func(*rewriter, ir.ExpressionKind, ir.TypeInner) ir.ExpressionKind) ir.Function {
	f := old
	f.Expressions, f.ExpressionTypes = nil, nil
	r := &rewriter{module: m, function: &f, replace: replace, calls: calls}
	for i, e := range old.Expressions {
		t := old.ExpressionTypes[i]
		r.first = append(r.first, ir.ExpressionHandle(len(f.Expressions)))
		kind := replace(r, r.remap(reflect.ValueOf(e.Kind)).Interface().(ir.ExpressionKind), ir.TypeResInner(m, t))
		f.Expressions = append(f.Expressions, ir.Expression{Kind: kind})
		f.ExpressionTypes = append(f.ExpressionTypes, t)
		r.moved = append(r.moved, ir.ExpressionHandle(len(f.Expressions)-1))
	}
	f.Body = r.remap(reflect.ValueOf(old.Body)).Interface().([]ir.Statement)
	f.LocalVars = r.remap(reflect.ValueOf(old.LocalVars)).Interface().([]ir.LocalVariable)
	f.NamedExpressions = map[ir.ExpressionHandle]string{}
	for h, name := range old.NamedExpressions {
		f.NamedExpressions[r.moved[h]] = name
	}
	return f
}

// addExpression adds an expression and returns its handle.
func (r *rewriter) addExpression(kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionHandle {
	f := r.function
	f.Expressions = append(f.Expressions, ir.Expression{Kind: kind})
	f.ExpressionTypes = append(f.ExpressionTypes, ir.TypeResolution{Value: t})
	return ir.ExpressionHandle(len(f.Expressions) - 1)
}

// typeOf returns the type of an expression in the copy.
func (r *rewriter) typeOf(h ir.ExpressionHandle) ir.TypeInner {
	t := r.function.ExpressionTypes[h]
	if t.Handle != nil && int(*t.Handle) >= len(r.module.Types) {
		return nil // naga does not set the type of some constants
	}
	return ir.TypeResInner(r.module, t)
}

var (
	handleType   = reflect.TypeFor[ir.ExpressionHandle]()
	functionType = reflect.TypeFor[ir.FunctionHandle]()
	rangeType    = reflect.TypeFor[ir.Range]()
)

// remap copies a value and all nested values, and updates handles of expressions.
func (r *rewriter) remap(v reflect.Value) reflect.Value {
	switch {
	case v.Type() == handleType:
		return reflect.ValueOf(r.moved[v.Uint()])
	case v.Type() == functionType && r.calls != nil:
		return reflect.ValueOf(r.calls[ir.FunctionHandle(v.Uint())])
	case v.Type() == rangeType:
		old := v.Interface().(ir.Range)
		moved := ir.Range{End: ir.ExpressionHandle(len(r.function.Expressions))}
		moved.Start = moved.End
		if int(old.Start) < len(r.first) {
			moved.Start = r.first[old.Start]
		}
		if int(old.End) < len(r.first) {
			moved.End = r.first[old.End]
		}
		return reflect.ValueOf(moved)
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(r.remap(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(r.remap(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(r.remap(v.Index(i)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(r.remap(v.Field(i)))
		}
	default:
		out.Set(v)
	}
	return out
}

// concrete replaces the abstract numbers of a module with concrete numbers; see literals.
func concrete(m *ir.Module) {
	rewriteFunctions(m, literals)
	r := &rewriter{module: m, function: &ir.Function{Expressions: m.GlobalExpressions}}
	for i, e := range m.GlobalExpressions {
		t, err := ir.ResolveExpressionType(m, r.function, ir.ExpressionHandle(i))
		if err == nil && (t.Handle == nil || int(*t.Handle) < len(m.Types)) { // checkTypes reports the error
			m.GlobalExpressions[i].Kind = literals(r, e.Kind, ir.TypeResInner(m, t))
		}
		r.function.ExpressionTypes = append(r.function.ExpressionTypes, t)
	}
	for i, e := range m.GlobalExpressions {
		if c, ok := e.Kind.(ir.ExprCompose); ok && int(c.Type) >= len(m.Types) {
			m.GlobalExpressions[i].Kind = ir.Literal{Value: ir.LiteralBool(false)} // the constant is no longer used, or has the wrong type
		}
	}
}

// literals replaces abstract numbers with concrete numbers, and named constants with their values.
// naga's GLSL writer would compute with such constants as floats, even if they are integers.
func literals(r *rewriter, kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionKind {
	if c, ok := kind.(ir.ExprConstant); ok {
		constant := r.module.Constants[c.Constant]
		if int(constant.Init) < len(r.module.GlobalExpressions) {
			if l, ok := r.module.GlobalExpressions[constant.Init].Kind.(ir.Literal); ok {
				kind = l
			}
		}
	}
	if c, ok := kind.(ir.ExprCompose); ok {
		return r.wholeVector(c)
	}
	l, ok := kind.(ir.Literal)
	if !ok {
		return kind
	}
	switch n := l.Value.(type) {
	case ir.LiteralAbstractFloat:
		return ir.Literal{Value: ir.LiteralF32(n)}
	case ir.LiteralAbstractInt:
		if n < math.MinInt32 || n > math.MaxInt32 {
			return kind
		}
		switch {
		case t == scalarF32:
			return ir.Literal{Value: ir.LiteralF32(n)}
		case t == scalarU32:
			return ir.Literal{Value: ir.LiteralU32(n)}
		}
		return ir.Literal{Value: ir.LiteralI32(n)}
	}
	return kind
}

// wholeVector expands a constant vector to all its components, as SPIR-V requires. naga does not
// expand vec2(), vec2(1) and vec3(vec2(1, 2), 3) in constants.
func (r *rewriter) wholeVector(c ir.ExprCompose) ir.ExpressionKind {
	if int(c.Type) >= len(r.module.Types) {
		return c
	}
	v, ok := r.module.Types[c.Type].Inner.(ir.VectorType)
	switch {
	case !ok:
		return c
	case len(c.Components) == 0:
		return ir.ExprZeroValue{Type: c.Type}
	case len(c.Components) == 1 && r.typeOf(c.Components[0]) == v.Scalar:
		c.Components = slices.Repeat(c.Components, int(v.Size))
		return c
	}
	var flat []ir.ExpressionHandle
	for _, h := range c.Components {
		inner, ok := r.function.Expressions[h].Kind.(ir.ExprCompose)
		if ok && !slices.ContainsFunc(inner.Components, func(p ir.ExpressionHandle) bool { return r.typeOf(p) != v.Scalar }) {
			flat = append(flat, inner.Components...)
		} else {
			flat = append(flat, h)
		}
	}
	c.Components = flat
	return c
}

// forGLSL replaces expressions that GLSL lacks or evaluates differently from WGSL.
func forGLSL(r *rewriter, kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionKind {
	switch k := kind.(type) {
	case ir.ExprSelect:
		return r.selectComponents(k, t)
	case ir.ExprBinary:
		return r.integerOperator(k, t)
	case ir.ExprMath:
		return r.bitFunction(k, t)
	}
	return kind
}

// forES replaces coarse and fine derivatives, which do not exist in OpenGL ES, with plain
// derivatives.
func forES(_ *rewriter, kind ir.ExpressionKind, _ ir.TypeInner) ir.ExpressionKind {
	if k, ok := kind.(ir.ExprDerivative); ok {
		k.Control = ir.DerivativeNone
		return k
	}
	return kind
}

// forSPIRV replaces a select of matrices with a matrix of selects.
func forSPIRV(r *rewriter, kind ir.ExpressionKind, t ir.TypeInner) ir.ExpressionKind {
	k, ok := kind.(ir.ExprSelect)
	m, matrix := t.(ir.MatrixType)
	if !ok || !matrix {
		return kind
	}
	column := ir.VectorType{Size: m.Rows, Scalar: m.Scalar}
	condition := r.addExpression(ir.ExprSplat{Size: m.Rows, Value: k.Condition}, ir.VectorType{Size: m.Rows, Scalar: scalarBool})
	compose := ir.ExprCompose{Type: r.declareType(t)}
	for i := range uint32(m.Columns) {
		accept := r.addExpression(ir.ExprAccessIndex{Base: k.Accept, Index: i}, column)
		reject := r.addExpression(ir.ExprAccessIndex{Base: k.Reject, Index: i}, column)
		compose.Components = append(compose.Components, r.addExpression(ir.ExprSelect{Condition: condition, Accept: accept, Reject: reject}, column))
	}
	return compose
}

// selectComponents replaces a select with a vector condition by a vector of selects.
func (r *rewriter) selectComponents(k ir.ExprSelect, t ir.TypeInner) ir.ExpressionKind {
	condition, ok := r.typeOf(k.Condition).(ir.VectorType)
	if !ok {
		return k
	}
	_, s := componentsOfType(t)
	compose := ir.ExprCompose{Type: r.declareType(t)}
	for i := range uint32(condition.Size) {
		part := func(h ir.ExpressionHandle, s ir.ScalarType) ir.ExpressionHandle {
			return r.addExpression(ir.ExprAccessIndex{Base: h, Index: i}, s)
		}
		one := ir.ExprSelect{Condition: part(k.Condition, scalarBool), Accept: part(k.Accept, s), Reject: part(k.Reject, s)}
		compose.Components = append(compose.Components, r.addExpression(one, s))
	}
	return compose
}

// declareType returns the handle of a type, adding it to the module if necessary.
func (r *rewriter) declareType(t ir.TypeInner) ir.TypeHandle {
	for i := range r.module.Types {
		if isNumber(t) && r.module.Types[i].Inner == t {
			return ir.TypeHandle(i)
		}
	}
	r.module.Types = append(r.module.Types, ir.Type{Inner: t})
	return ir.TypeHandle(len(r.module.Types) - 1)
}

// addInteger adds an integer literal of type t. If t is a vector, every component is the integer.
func (r *rewriter) addInteger(n uint32, t ir.TypeInner) ir.ExpressionHandle {
	if _, s := componentsOfType(t); s.Kind == ir.ScalarSint {
		return r.addLiteral(ir.LiteralI32(int32(n)), t)
	}
	return r.addLiteral(ir.LiteralU32(n), t)
}

// addLiteral adds a literal of type t. If t is a vector, every component is the literal.
func (r *rewriter) addLiteral(value ir.LiteralValue, t ir.TypeInner) ir.ExpressionHandle {
	size, s := componentsOfType(t)
	h := r.addExpression(ir.Literal{Value: value}, s)
	if size > 1 {
		h = r.addExpression(ir.ExprSplat{Size: ir.VectorSize(size), Value: h}, t)
	}
	return h
}

// integerOperator replaces remainders of signed integers, because GLSL does not define them for
// negative operands. It reduces shift counts modulo 32 as WGSL does.
func (r *rewriter) integerOperator(k ir.ExprBinary, t ir.TypeInner) ir.ExpressionKind {
	switch k.Op {
	case ir.BinaryModulo:
		if !hasKind(t, ir.ScalarSint) {
			return k
		}
		quotient := r.addExpression(ir.ExprBinary{Op: ir.BinaryDivide, Left: k.Left, Right: k.Right}, t)
		product := r.addExpression(ir.ExprBinary{Op: ir.BinaryMultiply, Left: quotient, Right: k.Right}, t)
		return ir.ExprBinary{Op: ir.BinarySubtract, Left: k.Left, Right: product}
	case ir.BinaryShiftLeft, ir.BinaryShiftRight:
		if l, ok := r.function.Expressions[k.Right].Kind.(ir.Literal); ok {
			if n, ok := l.Value.(ir.LiteralU32); ok && n < 32 {
				return k
			}
		}
		by := r.typeOf(k.Right)
		k.Right = r.addExpression(ir.ExprBinary{Op: ir.BinaryAnd, Left: k.Right, Right: r.addInteger(31, by)}, by)
	}
	return k
}

// bitFunction replaces bit functions whose GLSL equivalent has a different result or does not
// accept unsigned integers.
func (r *rewriter) bitFunction(k ir.ExprMath, t ir.TypeInner) ir.ExpressionKind {
	width := uint8(4)
	unsigned := hasKind(t, ir.ScalarUint)
	if !unsigned && !hasKind(t, ir.ScalarSint) {
		return k
	}
	switch k.Fun {
	case ir.MathAbs:
		if unsigned { // the result is a shift by 0, because the value itself may have no name
			return ir.ExprBinary{Op: ir.BinaryShiftRight, Left: k.Arg, Right: r.addInteger(0, t)}
		}
	case ir.MathCountLeadingZeros: // naga writes 31 - findMSB(x), which is signed; for a negative number, findMSB returns the highest 0 bit
		u := withScalar(t, scalarU32)
		if !unsigned {
			k.Arg = r.addExpression(ir.ExprAs{Expr: k.Arg, Kind: ir.ScalarUint}, u)
			return k
		}
		return ir.ExprAs{Expr: r.addExpression(k, withScalar(t, scalarI32)), Kind: ir.ScalarUint, Convert: &width}
	case ir.MathCountTrailingZeros: // naga writes findLSB(x), which is signed and returns -1 for 0
		last := r.addExpression(k, withScalar(t, scalarI32))
		u := withScalar(t, scalarU32)
		count := r.addExpression(ir.ExprAs{Expr: last, Kind: ir.ScalarUint, Convert: &width}, u)
		limit := r.addInteger(32, u)
		least := ir.ExprMath{Fun: ir.MathMin, Arg: count, Arg1: &limit}
		if unsigned {
			return least
		}
		return ir.ExprAs{Expr: r.addExpression(least, u), Kind: ir.ScalarSint, Convert: &width}
	}
	return k
}
