package shader

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gogpu/naga/ir"
)

// checkTypes checks that the values in each function have the types that WGSL requires. It also
// corrects the types that naga has recorded for expressions, because naga infers some wrongly.
// naga's writers for GLSL, HLSL and MSL would accept such a function without an error.
func checkTypes(m *ir.Module) error {
	if err := checkConstants(m); err != nil {
		return err
	}
	for i := range m.Functions {
		if err := checkFunction(m, &m.Functions[i], m.Functions[i].Name); err != nil {
			return err
		}
	}
	for i := range m.EntryPoints {
		if err := checkFunction(m, &m.EntryPoints[i].Function, m.EntryPoints[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// checkConstants checks the constants and initial values of a module.
func checkConstants(m *ir.Module) error {
	c := newTypeChecker(m, &ir.Function{Expressions: m.GlobalExpressions})
	for i, e := range m.GlobalExpressions {
		err := c.infer(ir.ExpressionHandle(i))
		switch e.Kind.(type) {
		case ir.Literal, ir.ExprZeroValue, ir.ExprConstant, ir.ExprCompose, ir.ExprSplat:
		default:
			err = errors.New("the WGSL compiler cannot compute this constant; write its value as a literal") // the compiler would write 0 for this value
		}
		if err == nil {
			err = checkConstant(e)
		}
		if err != nil {
			return &declarationError{"const", constantOf(m, i), err}
		}
	}
	return nil
}

// constantOf returns the name of the module constant that contains an expression. In the list of
// expressions, the parts of a value precede the value.
func constantOf(m *ir.Module, expression int) string {
	for _, c := range m.Constants {
		if int(c.Init) >= expression && c.Name != "" {
			return c.Name
		}
	}
	return "of the module"
}

func newTypeChecker(m *ir.Module, f *ir.Function) *typeChecker {
	return &typeChecker{module: m, function: f, types: make([]ir.TypeInner, len(f.Expressions)), handles: make([]*ir.TypeHandle, len(f.Expressions))}
}

func checkFunction(m *ir.Module, f *ir.Function, name string) error {
	c := newTypeChecker(m, f)
	for i, e := range f.Expressions {
		h := ir.ExpressionHandle(i)
		err := checkConstant(e)
		if err == nil {
			err = c.infer(h)
		}
		if err != nil {
			return &declarationError{"fn", name, err}
		}
		if i < len(f.ExpressionTypes) && isNumber(c.types[h]) && !c.sameType(c.types[h], ir.TypeResInner(m, f.ExpressionTypes[i])) {
			f.ExpressionTypes[i] = ir.TypeResolution{Handle: c.handles[h], Value: c.types[h]}
		}
	}
	if err := c.checkBlock(f.Body); err != nil {
		return &declarationError{"fn", name, err}
	}
	return nil
}

// A declarationError is the reason why a declaration in the source cannot be compiled.
type declarationError struct {
	keyword, name string // keyword and name, as in fn main
	why           error
}

func (e *declarationError) Error() string { return fmt.Sprintf("%s %s: %v", e.keyword, e.name, e.why) }

// A typeChecker infers the types of the expressions of a function.
type typeChecker struct {
	module   *ir.Module
	function *ir.Function
	types    []ir.TypeInner   // types of expressions; nil while unknown
	handles  []*ir.TypeHandle // handles of the types that are declared in the module
}

func isNumber(t ir.TypeInner) bool {
	switch t.(type) {
	case ir.ScalarType, ir.VectorType, ir.MatrixType:
		return true
	}
	return false
}

// sameType reports whether two types are equal. Structs are compared by name.
func (c *typeChecker) sameType(a, b ir.TypeInner) bool {
	switch a := a.(type) {
	case ir.ArrayType:
		b, ok := b.(ir.ArrayType)
		return ok && (a.Size.Constant == nil) == (b.Size.Constant == nil) && (a.Size.Constant == nil || *a.Size.Constant == *b.Size.Constant) &&
			c.sameType(c.module.Types[a.Base].Inner, c.module.Types[b.Base].Inner)
	case ir.StructType:
		b, ok := b.(ir.StructType)
		return ok && slices.EqualFunc(a.Members, b.Members, func(x, y ir.StructMember) bool { return x.Name == y.Name && x.Type == y.Type && x.Offset == y.Offset })
	case ir.PointerType:
		b, ok := b.(ir.PointerType)
		return ok && c.sameType(c.module.Types[a.Base].Inner, c.module.Types[b.Base].Inner)
	case ir.ValuePointerType, ir.BindingArrayType:
		return true // these are not the types of values
	case nil:
		return b == nil
	}
	return a == b
}

// declared returns a type declared in the module.
func (c *typeChecker) declared(h ir.TypeHandle) (ir.TypeInner, error) {
	if int(h) >= len(c.module.Types) {
		return nil, fmt.Errorf("a constant has no type; declare its type")
	}
	return c.module.Types[h].Inner, nil
}

// setType records the type of an expression.
func (c *typeChecker) setType(h ir.ExpressionHandle, t ir.TypeInner) error {
	c.types[h] = t
	return nil
}

// setDeclared records a type declared in the module as the type of an expression.
func (c *typeChecker) setDeclared(h ir.ExpressionHandle, t ir.TypeHandle) (err error) {
	c.types[h], err = c.declared(t)
	c.handles[h] = &t
	return err
}

// infer determines the type of an expression. The types of its operands must be known.
func (c *typeChecker) infer(h ir.ExpressionHandle) error {
	switch k := c.function.Expressions[h].Kind.(type) {
	case ir.Literal:
		t, err := ir.ResolveLiteralType(k)
		if err != nil {
			return err
		}
		return c.setType(h, t.Value)
	case ir.ExprConstant:
		return c.setDeclared(h, c.module.Constants[k.Constant].Type)
	case ir.ExprOverride:
		return c.setDeclared(h, c.module.Overrides[k.Override].Ty)
	case ir.ExprZeroValue:
		return c.setDeclared(h, k.Type)
	case ir.ExprCompose:
		if err := c.setDeclared(h, k.Type); err != nil {
			return err
		}
		return c.checkCompose(c.types[h], k.Components)
	case ir.ExprFunctionArgument, ir.ExprGlobalVariable, ir.ExprLocalVariable, ir.ExprLoad:
		return c.inferVariable(h, k)
	case ir.ExprAccess, ir.ExprAccessIndex, ir.ExprSplat, ir.ExprSwizzle:
		return c.componentsOf(h, k)
	case ir.ExprUnary:
		return c.inferUnary(h, k)
	case ir.ExprBinary:
		return c.inferBinary(h, k)
	case ir.ExprSelect:
		if !c.sameType(c.types[k.Accept], c.types[k.Reject]) {
			return fmt.Errorf("select needs values of one type, have %s and %s", c.wgslName(c.types[k.Reject]), c.wgslName(c.types[k.Accept]))
		}
		if err := c.checkSelectCondition(k); err != nil {
			return err
		}
		c.handles[h] = c.handles[k.Accept]
		return c.setType(h, c.types[k.Accept])
	case ir.ExprDerivative:
		return c.setFloat(h, k.Expr, "a derivative")
	case ir.ExprRelational:
		return c.inferRelational(h, k)
	case ir.ExprMath:
		return c.inferMath(h, k)
	case ir.ExprAs:
		return c.inferConversion(h, k)
	case ir.ExprArrayLength:
		return c.setType(h, scalarU32)
	case ir.ExprImageSample:
		return c.inferSample(h, k)
	case ir.ExprImageLoad:
		return c.inferLoad(h, k)
	}
	// The other expressions are results of statements, and texture queries.
	t, err := ir.ResolveExpressionType(c.module, c.function, h)
	if err != nil {
		return err
	}
	c.handles[h] = t.Handle
	return c.setType(h, ir.TypeResInner(c.module, t))
}

// inferVariable infers the type of an argument, of a variable or of the value that it holds.
func (c *typeChecker) inferVariable(h ir.ExpressionHandle, kind ir.ExpressionKind) error {
	switch k := kind.(type) {
	case ir.ExprFunctionArgument:
		return c.setDeclared(h, c.function.Arguments[k.Index].Type)
	case ir.ExprGlobalVariable:
		if v := c.module.GlobalVariables[k.Variable]; v.Space != ir.SpaceHandle {
			return c.setType(h, ir.PointerType{Base: v.Type, Space: v.Space})
		}
		return c.setDeclared(h, c.module.GlobalVariables[k.Variable].Type)
	case ir.ExprLocalVariable:
		v := c.function.LocalVars[k.Variable]
		if v.Init != nil && int(*v.Init) < int(h) && c.types[*v.Init] != nil && !c.sameType(c.types[*v.Init], c.module.Types[v.Type].Inner) {
			return fmt.Errorf("the variable %s of type %s cannot have an initial value of type %s", v.Name, c.wgslName(c.module.Types[v.Type].Inner), c.wgslName(c.types[*v.Init]))
		}
		return c.setType(h, ir.PointerType{Base: v.Type, Space: ir.SpaceFunction})
	case ir.ExprLoad:
		t := c.typePointedTo(c.types[k.Pointer])
		if a, ok := t.(ir.AtomicType); ok {
			t = a.Scalar
		}
		if p, ok := c.types[k.Pointer].(ir.PointerType); ok && isNumber(t) {
			c.handles[h] = &p.Base
			if c.module.Types[p.Base].Inner != t {
				c.handles[h] = nil
			}
		}
		return c.setType(h, t)
	}
	return nil
}

// componentsOf infers the type of an expression that selects or composes components.
func (c *typeChecker) componentsOf(h ir.ExpressionHandle, kind ir.ExpressionKind) error {
	switch k := kind.(type) {
	case ir.ExprAccess:
		if _, ok := c.scalarOf(c.types[k.Index], ir.ScalarSint, ir.ScalarUint); !ok {
			return fmt.Errorf("an index cannot be of type %s", c.wgslName(c.types[k.Index]))
		}
		return c.inferAccess(h, k.Base, -1)
	case ir.ExprAccessIndex:
		return c.inferAccess(h, k.Base, int(k.Index))
	case ir.ExprSplat:
		s, ok := c.types[k.Value].(ir.ScalarType)
		if !ok {
			return fmt.Errorf("a vector cannot be filled with %s", c.wgslName(c.types[k.Value]))
		}
		return c.setType(h, ir.VectorType{Size: k.Size, Scalar: s})
	case ir.ExprSwizzle:
		v, ok := c.types[k.Vector].(ir.VectorType)
		if !ok || slices.Max(k.Pattern[:k.Size]) >= ir.SwizzleComponent(v.Size) {
			return fmt.Errorf("%s does not have these components", c.wgslName(c.types[k.Vector]))
		}
		return c.setType(h, ir.VectorType{Size: k.Size, Scalar: v.Scalar})
	}
	return nil
}

var (
	scalarBool = ir.ScalarType{Kind: ir.ScalarBool, Width: 1}
	scalarI32  = ir.ScalarType{Kind: ir.ScalarSint, Width: 4}
	scalarU32  = ir.ScalarType{Kind: ir.ScalarUint, Width: 4}
	scalarF32  = ir.ScalarType{Kind: ir.ScalarFloat, Width: 4}
)

// typePointedTo returns the type that a pointer points to.
func (c *typeChecker) typePointedTo(t ir.TypeInner) ir.TypeInner {
	switch t := t.(type) {
	case ir.PointerType:
		return c.module.Types[t.Base].Inner
	case ir.ValuePointerType:
		if t.Size != nil {
			return ir.VectorType{Size: *t.Size, Scalar: t.Scalar}
		}
		return t.Scalar
	}
	return nil
}

// inferAccess infers the type of a part of a value, or of a pointer to the part. index is -1 if it
// is not known.
func (c *typeChecker) inferAccess(h, base ir.ExpressionHandle, index int) error {
	whole := c.types[base]
	space, pointer := ir.AddressSpace(0), false
	switch p := whole.(type) {
	case ir.PointerType:
		whole, space, pointer = c.module.Types[p.Base].Inner, p.Space, true
	case ir.ValuePointerType:
		whole, space, pointer = c.typePointedTo(p), p.Space, true
	}
	bad := fmt.Errorf("%[2]s has no component %[1]d", index, c.wgslName(whole))
	switch w := whole.(type) {
	case ir.VectorType:
		if index >= int(w.Size) {
			return bad
		}
		if pointer {
			return c.setType(h, ir.ValuePointerType{Scalar: w.Scalar, Space: space})
		}
		return c.setType(h, w.Scalar)
	case ir.MatrixType:
		if index >= int(w.Columns) {
			return bad
		}
		if pointer {
			return c.setType(h, ir.ValuePointerType{Size: &w.Rows, Scalar: w.Scalar, Space: space})
		}
		return c.setType(h, ir.VectorType{Size: w.Rows, Scalar: w.Scalar})
	case ir.ArrayType:
		return c.setPartType(h, w.Base, space, pointer)
	case ir.BindingArrayType:
		return c.setDeclared(h, w.Base)
	case ir.StructType:
		if index < 0 || index >= len(w.Members) {
			return bad
		}
		return c.setPartType(h, w.Members[index].Type, space, pointer)
	}
	return bad
}

// setPartType records the type of an element or a member.
func (c *typeChecker) setPartType(h ir.ExpressionHandle, t ir.TypeHandle, space ir.AddressSpace, pointer bool) error {
	if pointer {
		return c.setType(h, ir.PointerType{Base: t, Space: space})
	}
	return c.setDeclared(h, t)
}

// checkCompose checks that the parts of a composed value match its type.
func (c *typeChecker) checkCompose(t ir.TypeInner, parts []ir.ExpressionHandle) error {
	want := func(n int, part func(int) ir.TypeInner) error {
		if len(parts) != n {
			return fmt.Errorf("%s cannot have %d components", c.wgslName(t), len(parts))
		}
		for i, p := range parts {
			if !c.sameType(c.types[p], part(i)) {
				return fmt.Errorf("component %d of %s cannot be of type %s", i, c.wgslName(t), c.wgslName(c.types[p]))
			}
		}
		return nil
	}
	switch t := t.(type) {
	case ir.VectorType:
		n := 0
		for _, p := range parts {
			count, s := componentsOfType(c.types[p])
			if n += count; s != t.Scalar {
				return fmt.Errorf("%s cannot be made from %s", c.wgslName(t), c.wgslName(c.types[p]))
			}
		}
		if n != int(t.Size) {
			return fmt.Errorf("%s cannot have %d components", c.wgslName(t), n)
		}
	case ir.MatrixType:
		return want(int(t.Columns), func(int) ir.TypeInner { return ir.VectorType{Size: t.Rows, Scalar: t.Scalar} })
	case ir.ArrayType:
		if t.Size.Constant != nil {
			return want(int(*t.Size.Constant), func(int) ir.TypeInner { return c.module.Types[t.Base].Inner })
		}
	case ir.StructType:
		return want(len(t.Members), func(i int) ir.TypeInner { return c.module.Types[t.Members[i].Type].Inner })
	default:
		return fmt.Errorf("%s cannot have components", c.wgslName(t))
	}
	return nil
}

// componentsOfType returns the number and type of the components of a scalar or vector. The number
// is 0 for other types.
func componentsOfType(t ir.TypeInner) (int, ir.ScalarType) {
	switch t := t.(type) {
	case ir.ScalarType:
		return 1, t
	case ir.VectorType:
		return int(t.Size), t.Scalar
	}
	return 0, ir.ScalarType{}
}

// scalarOf returns t if it is a scalar type of one of the given kinds.
func (c *typeChecker) scalarOf(t ir.TypeInner, kinds ...ir.ScalarKind) (ir.ScalarType, bool) {
	s, ok := t.(ir.ScalarType)
	return s, ok && slices.Contains(kinds, s.Kind)
}

// wgslName describes a type as WGSL writes it.
func (c *typeChecker) wgslName(t ir.TypeInner) string {
	switch t := t.(type) {
	case ir.ScalarType:
		return scalarName(t)
	case ir.VectorType:
		return fmt.Sprintf("vec%d<%s>", t.Size, scalarName(t.Scalar))
	case ir.MatrixType:
		return fmt.Sprintf("mat%dx%d<%s>", t.Columns, t.Rows, scalarName(t.Scalar))
	case ir.ArrayType:
		if t.Size.Constant != nil {
			return fmt.Sprintf("array<%s, %d>", c.wgslName(c.module.Types[t.Base].Inner), *t.Size.Constant)
		}
		return fmt.Sprintf("array<%s>", c.wgslName(c.module.Types[t.Base].Inner))
	case ir.StructType:
		return fmt.Sprintf("a struct of %d members", len(t.Members))
	case ir.PointerType, ir.ValuePointerType:
		return fmt.Sprintf("a pointer to %s", c.wgslName(c.typePointedTo(t)))
	case ir.SamplerType:
		return "a sampler"
	case ir.ImageType:
		return "a texture"
	case ir.AtomicType:
		return fmt.Sprintf("atomic<%s>", scalarName(t.Scalar))
	}
	return "an unknown type"
}

func scalarName(s ir.ScalarType) string {
	if s.Kind == ir.ScalarBool {
		return "bool"
	}
	letter := map[ir.ScalarKind]string{ir.ScalarSint: "i", ir.ScalarUint: "u", ir.ScalarFloat: "f"}[s.Kind]
	return fmt.Sprintf("%s%d", letter, 8*int(s.Width))
}
