package shader

import (
	"errors"
	"fmt"
)

// value checks an instruction that makes a value of type t from the operands w.
func (m *spirvModule) value(op, t uint32, w []uint32) error {
	if kind := ruleOf(op); kind != [2]uint32{} {
		return m.math(op, kind, t, w)
	}
	switch {
	case op == opVariable && len(w) >= 1 && w[0] == 7 && m.returns == 0:
		return errors.New("a variable of a function lies outside of one")
	case op == opNull:
		if d := m.types[t]; len(d) > 0 && (d[0] == opTypeRuntimeArray || d[0] >= opTypeImage && d[0] <= opTypeSampledImage) {
			return errors.New("an array without size, a texture or a sampler is zero")
		}
	case op == opFunctionCall && len(w) >= 1:
		return m.call(t, w)
	case op == opLoad && len(w) >= 1:
		if of := m.pointee(m.typeOf[w[0]]); of != 0 && of != t {
			return m.mismatch(op, of, t)
		}
	case op >= 65 && op <= 67 && len(w) >= 1: // access chains
		return m.scalars(op, opTypeInt, w[1:]...)
	case op == opVectorShuffle && len(w) >= 2:
		return m.shuffle(t, w)
	case op == opConstantComposite && len(m.types[t]) == 3 && m.types[t][0] == opTypeVector && len(w) != int(m.types[t][2]):
		return fmt.Errorf("a constant %s is made of %d parts", m.name(t), len(w))
	case op == opConstruct || op == opConstantComposite:
		return m.construct(t, w)
	case op == opTranspose || op >= opMatrixTimesScalar && op <= opMatrixTimesMatrix:
		return m.product(op, t, w)
	case op == opExtract && len(w) >= 1:
		return m.extract(op, t, w)
	case op == opSampledImage && len(w) >= 2:
		if !m.is(w[0], opTypeImage) || !m.is(w[1], opTypeSampler) {
			return errors.New("a texture and a sampler are taken together that are none")
		}
	case op >= 87 && op <= 97 && len(w) >= 2:
		return m.sample(op, w[0], w[1])
	case op == opExtInst && len(w) >= 3 && w[0] == m.standard:
		return m.standardFunction(t, w[1], w[2:])
	case op == 148 && len(w) == 2: // dot
		return m.reduces(op, t, w...)
	case op == 142 && len(w) == 2: // vector times scalar
		_, component := m.shape(t)
		if err := m.same(op, t, w[0]); err != nil {
			return err
		}
		return m.same(op, component, w[1])
	case op == 169 && len(w) == 3: // select
		return m.same(op, t, w[1:]...)
	case op == 229 || op >= 234 && op <= 242: // atomics with one value
		return m.same(op, t, w[len(w)-1:]...)
	case op == 245: // phi: values and their blocks
		for i := 0; i+1 < len(w); i += 2 {
			if err := m.same(op, t, w[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ruleOf returns the kinds of numbers that an operation makes and takes, or 0 if it does not work
// component by component.
func ruleOf(op uint32) (kinds [2]uint32) {
	switch {
	case op == 109 || op == 110: // float to integer
		return [2]uint32{opTypeInt, opTypeFloat}
	case op == 111 || op == 112: // and back
		return [2]uint32{opTypeFloat, opTypeInt}
	case op == 113 || op == 114, op == 126 || op == 128 || op == 130 || op == 132 || op == 134 || op == 135 || op >= 137 && op <= 139, op >= 194 && op <= 200:
		return [2]uint32{opTypeInt, opTypeInt}
	case op == 115 || op == 116, floatMath[op] != "", op >= 207 && op <= 215: // the last are derivatives
		return [2]uint32{opTypeFloat, opTypeFloat}
	case op >= 164 && op <= 168:
		return [2]uint32{opTypeBool, opTypeBool}
	case op >= 170 && op <= 179:
		return [2]uint32{opTypeBool, opTypeInt}
	case op >= 180 && op <= 191:
		return [2]uint32{opTypeBool, opTypeFloat}
	}
	return [2]uint32{}
}

// math checks that the result and the operands have these kinds, and the same number of
// components. Floats must also have the same size; the signs of integers may differ.
func (m *spirvModule) math(op uint32, kinds [2]uint32, t uint32, w []uint32) error {
	n, component := m.shape(t)
	if kind := m.types[component]; n == 0 || kind[0] != kinds[0] {
		return fmt.Errorf("%s makes %s", opName(op), m.name(t))
	}
	for _, v := range w {
		if have, _ := m.shape(m.typeOf[v]); have != 0 && have != n {
			return m.mismatch(op, m.typeOf[v], t)
		}
	}
	switch {
	case floatMath[op] != "":
		return m.same(op, t, w...)
	case op >= 180 && op <= 191 && len(w) == 2:
		if err := m.same(op, m.typeOf[w[0]], w[1]); err != nil {
			return err
		}
	}
	return m.ofKind(op, kinds[1], w...)
}

// ofKind checks that all values are numbers of a kind, or vectors of them.
func (m *spirvModule) ofKind(op, kind uint32, values ...uint32) error {
	for _, v := range values {
		of := m.typeOf[v]
		if _, component := m.shape(of); of != 0 && (component == 0 || m.types[component][0] != kind) {
			return fmt.Errorf("%s has %s", opName(op), m.name(of))
		}
	}
	return nil
}

// scalars checks that all values are numbers of a kind.
func (m *spirvModule) scalars(op, kind uint32, values ...uint32) error {
	for _, v := range values {
		if n, _ := m.shape(m.typeOf[v]); n > 1 {
			return fmt.Errorf("%s has %s", opName(op), m.name(m.typeOf[v]))
		}
	}
	return m.ofKind(op, kind, values...)
}

// is reports whether a value's type has an opcode, or is unknown.
func (m *spirvModule) is(value, opcode uint32) bool {
	d := m.types[m.typeOf[value]]
	return len(d) == 0 || d[0] == opcode
}

// sample checks that a coordinate has a number for each dimension of a texture: floats, or
// integers if a single texel is fetched.
func (m *spirvModule) sample(op, image, coordinate uint32) error {
	kind := uint32(opTypeFloat)
	if op == 95 { // fetch
		kind = opTypeInt
	}
	if err := m.ofKind(op, kind, coordinate); err != nil {
		return err
	}
	d := m.types[m.typeOf[image]]
	if len(d) == 2 && d[0] == opTypeSampledImage {
		d = m.types[d[1]]
	}
	if len(d) < 5 || d[0] != opTypeImage || d[2] > 3 {
		return nil
	}
	want := []uint32{1, 2, 3, 3}[d[2]] + d[4]&1 // 1D, 2D, 3D, cube; an array's layer
	if have, _ := m.shape(m.typeOf[coordinate]); have != 0 && have < want {
		return fmt.Errorf("%s has a coordinate of %d components for %d", opName(op), have, want)
	}
	return nil
}

// floatMath maps the operations on floats of one type to their names.
var floatMath = map[uint32]string{127: "OpFNegate", 129: "OpFAdd", 131: "OpFSub", 133: "OpFMul", 136: "OpFDiv", 140: "OpFRem", 141: "OpFMod"}

// opName names an instruction for messages.
func opName(op uint32) string {
	names := map[uint32]string{
		opExtInst: "OpExtInst", opFunctionCall: "OpFunctionCall", opLoad: "OpLoad", opStore: "OpStore", 65: "OpAccessChain",
		opConstruct: "OpCompositeConstruct", opExtract: "OpCompositeExtract", opReturnValue: "OpReturnValue", 142: "OpVectorTimesScalar",
		148: "OpDot", 168: "OpLogicalNot", 169: "OpSelect", 196: "OpShiftLeftLogical", 234: "OpAtomicIAdd", 245: "OpPhi", 250: "OpBranchConditional", 251: "OpSwitch",
	}
	if name := names[op] + floatMath[op]; name != "" {
		return name
	}
	return fmt.Sprint("instruction ", op)
}

// reduces checks that the operands are vectors of one type, whose components have the type of the
// result.
func (m *spirvModule) reduces(op, t uint32, values ...uint32) error {
	of := m.typeOf[values[0]]
	if _, component := m.shape(of); component != 0 && component != t {
		return fmt.Errorf("%s makes %s of %s", opName(op), m.name(t), m.name(of))
	}
	return m.same(op, of, values...)
}

func (m *spirvModule) call(t uint32, w []uint32) error {
	d := m.types[m.functions[w[0]]]
	if len(d) < 2 {
		return nil // it follows later
	}
	if d[1] != t || len(d)-2 != len(w)-1 {
		return errors.New("a call does not fit its function")
	}
	for i, arg := range w[1:] {
		if err := m.same(opFunctionCall, d[2+i], arg); err != nil {
			return err
		}
	}
	return nil
}

func (m *spirvModule) shuffle(t uint32, w []uint32) error {
	n, component := m.shape(t)
	if n < 2 || int(n) != len(w)-2 {
		return fmt.Errorf("a vector of %d components is made as %s", len(w)-2, m.name(t))
	}
	for _, v := range w[:2] {
		if count, of := m.shape(m.typeOf[v]); count == 1 || of != 0 && of != component {
			return fmt.Errorf("a vector of %s is made of %s", m.name(component), m.name(m.typeOf[v]))
		}
	}
	return nil
}

func (m *spirvModule) construct(t uint32, w []uint32) error {
	d := m.types[t]
	if len(d) == 0 {
		return nil
	}
	switch d[0] {
	case opTypeStruct:
		if len(w) != len(d)-1 {
			return fmt.Errorf("a struct of %d members is made of %d", len(d)-1, len(w))
		}
		for i, v := range w {
			if err := m.same(opConstruct, d[1+i], v); err != nil {
				return err
			}
		}
	case opTypeArray, opTypeMatrix:
		return m.same(opConstruct, d[1], w...)
	case opTypeVector:
		total := uint32(0)
		for _, v := range w {
			n, component := m.shape(m.typeOf[v])
			if n == 0 {
				return nil
			}
			if total += n; component != d[1] {
				return fmt.Errorf("%s is made of %s", m.name(t), m.name(component))
			}
		}
		if total != d[2] {
			return fmt.Errorf("%s is made of %d components", m.name(t), total)
		}
	default:
		return fmt.Errorf("%s is made of parts", m.name(t))
	}
	return nil
}

// product checks that the sizes of matrices and vectors fit.
func (m *spirvModule) product(op, t uint32, w []uint32) error {
	size := func(t uint32) (columns, rows uint32) {
		d := m.types[t]
		if len(d) == 3 && d[0] == opTypeMatrix {
			rows, _ := m.shape(d[1])
			return d[2], rows
		}
		n, _ := m.shape(t)
		return 1, n
	}
	columns, rows := size(t)
	first, firstRows := size(m.typeOf[w[0]])
	fits := firstRows == 0
	switch {
	case op == opTranspose:
		fits = fits || first == rows && firstRows == columns
	case len(w) < 2:
	case op == opMatrixTimesScalar:
		fits = fits || m.typeOf[w[0]] == t
	default:
		second, secondRows := size(m.typeOf[w[1]])
		if op == 144 { // a vector on the left is a row
			fits = fits || secondRows == 0 || firstRows == secondRows && rows == second
		} else {
			fits = fits || secondRows == 0 || first == secondRows && rows == firstRows && columns == second
		}
	}
	if !fits {
		return fmt.Errorf("%s makes %s of %s", opName(op), m.name(t), m.name(m.typeOf[w[0]]))
	}
	return nil
}

// extract follows the indices to the extracted part.
func (m *spirvModule) extract(op, t uint32, w []uint32) error {
	of := m.typeOf[w[0]]
	for _, i := range w[1:] {
		d := m.types[of]
		switch {
		case len(d) < 2:
			return nil
		case d[0] == opTypeStruct:
			if int(i) >= len(d)-1 {
				return fmt.Errorf("a struct of %d members has no member %d", len(d)-1, i)
			}
			of = d[1+i]
		case d[0] == opTypeVector || d[0] == opTypeMatrix || d[0] == opTypeArray:
			of = d[1]
		default:
			return fmt.Errorf("a part is taken of %s", m.name(of))
		}
	}
	if of != t {
		return m.mismatch(op, of, t)
	}
	return nil
}

// standardFunction checks functions of GLSL.std.450 whose operands all have the result's type,
// and functions that reduce vectors to one number.
func (m *spirvModule) standardFunction(t, function uint32, w []uint32) error {
	switch {
	case function == 66 || function == 67: // length, distance
		return m.reduces(opExtInst, t, w...)
	case function <= 32 && function != 5 && function != 7, // not those for integers
		function == 37, function == 40, function == 43, function == 46, // min, max, clamp, mix of floats
		function >= 48 && function <= 50,               // step, smoothstep, fma
		function == 68, function == 69, function == 71: // cross, normalize, reflect
		return m.same(opExtInst, t, w...)
	case function == 53 && len(w) == 2: // ldexp
		n, _ := m.shape(t)
		if have, _ := m.shape(m.typeOf[w[1]]); have != n {
			return m.mismatch(opExtInst, m.typeOf[w[1]], t)
		}
	}
	return nil
}
