package shader

import (
	"errors"
	"fmt"
)

// checkMadeValue checks an instruction whose result has type t and whose operands are w.
func (m *spirvModule) checkMadeValue(op, t uint32, w []uint32) error {
	if kind := ruleOf(op); kind != [2]uint32{} {
		return m.checkMath(op, kind, t, w)
	}
	switch {
	case op == opVariable && len(w) >= 1 && w[0] == 7 && m.returns == 0:
		return errors.New("a local variable is declared outside of any function")
	case op == opNull:
		if d := m.types[t]; len(d) > 0 && (d[0] == opTypeRuntimeArray || d[0] >= opTypeImage && d[0] <= opTypeSampledImage) {
			return errors.New("an unsized array, a texture or a sampler has a zero value")
		}
	case op == opFunctionCall && len(w) >= 1:
		return m.checkCall(t, w)
	case op == opLoad && len(w) >= 1:
		if of := m.pointedType(m.typeOf[w[0]]); of != 0 && of != t {
			return m.mismatch(op, of, t)
		}
	case op >= 65 && op <= 67 && len(w) >= 1: // 65 to 67 are access chains, such as OpAccessChain
		return m.checkScalars(op, opTypeInt, w[1:]...)
	case op == opVectorShuffle && len(w) >= 2:
		return m.checkShuffle(t, w)
	case op == opConstantComposite && len(m.types[t]) == 3 && m.types[t][0] == opTypeVector && len(w) != int(m.types[t][2]):
		return fmt.Errorf("a constant of type %s has the wrong number of components, %d", m.describeSPIRVType(t), len(w))
	case op == opConstruct || op == opConstantComposite:
		return m.checkConstruct(t, w)
	case op == opTranspose || op >= opMatrixTimesScalar && op <= opMatrixTimesMatrix:
		return m.checkProduct(op, t, w)
	case op == opExtract && len(w) >= 1:
		return m.checkExtract(op, t, w)
	case op == opSampledImage && len(w) >= 2:
		if !m.hasOpcode(w[0], opTypeImage) || !m.hasOpcode(w[1], opTypeSampler) {
			return errors.New("a sampling operation does not have a texture and a sampler as operands")
		}
	case op >= 87 && op <= 97 && len(w) >= 2:
		return m.checkSample(op, w[0], w[1])
	case op == opExtInst && len(w) >= 3 && w[0] == m.standard:
		return m.standardFunction(t, w[1], w[2:])
	case op == 148 && len(w) == 2: // 148 is OpDot
		return m.checkReduction(op, t, w...)
	case op == 142 && len(w) == 2: // 142 is OpVectorTimesScalar
		_, component := m.componentShape(t)
		if err := m.checkSameType(op, t, w[0]); err != nil {
			return err
		}
		return m.checkSameType(op, component, w[1])
	case op == 169 && len(w) == 3: // 169 is OpSelect
		return m.checkSameType(op, t, w[1:]...)
	case op == 229 || op >= 234 && op <= 242: // these are atomic operations with one value
		return m.checkSameType(op, t, w[len(w)-1:]...)
	case op == 245: // 245 is OpPhi, which has values and their blocks
		for i := 0; i+1 < len(w); i += 2 {
			if err := m.checkSameType(op, t, w[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ruleOf returns the kinds of numbers that an operation has as result and as operands. They are 0
// if the operation does not work on each component.
func ruleOf(op uint32) (kinds [2]uint32) {
	switch {
	case op == 109 || op == 110: // these opcodes convert a float to an integer
		return [2]uint32{opTypeInt, opTypeFloat}
	case op == 111 || op == 112: // these opcodes convert an integer to a float
		return [2]uint32{opTypeFloat, opTypeInt}
	case op == 113 || op == 114, op == 126 || op == 128 || op == 130 || op == 132 || op == 134 || op == 135 || op >= 137 && op <= 139, op >= 194 && op <= 200:
		return [2]uint32{opTypeInt, opTypeInt}
	case op == 115 || op == 116, floatMath[op] != "", op >= 207 && op <= 215: // 207 to 215 are derivatives
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

// checkMath checks that the result and the operands have the given kinds and the same number of
// components. Floats must also have the same size. Integers may differ in signedness.
func (m *spirvModule) checkMath(op uint32, kinds [2]uint32, t uint32, w []uint32) error {
	n, component := m.componentShape(t)
	if kind := m.types[component]; n == 0 || kind[0] != kinds[0] {
		return fmt.Errorf("%s has the invalid result type %s", opName(op), m.describeSPIRVType(t))
	}
	for _, v := range w {
		if have, _ := m.componentShape(m.typeOf[v]); have != 0 && have != n {
			return m.mismatch(op, m.typeOf[v], t)
		}
	}
	switch {
	case floatMath[op] != "":
		return m.checkSameType(op, t, w...)
	case op >= 180 && op <= 191 && len(w) == 2:
		if err := m.checkSameType(op, m.typeOf[w[0]], w[1]); err != nil {
			return err
		}
	}
	return m.checkNumberKind(op, kinds[1], w...)
}

// checkNumberKind checks that all values are numbers of the given kind, or vectors of such
// numbers.
func (m *spirvModule) checkNumberKind(op, kind uint32, values ...uint32) error {
	for _, v := range values {
		of := m.typeOf[v]
		if _, component := m.componentShape(of); of != 0 && (component == 0 || m.types[component][0] != kind) {
			return fmt.Errorf("%s has an operand of the invalid type %s", opName(op), m.describeSPIRVType(of))
		}
	}
	return nil
}

// checkScalars checks that all values are scalar numbers of the given kind.
func (m *spirvModule) checkScalars(op, kind uint32, values ...uint32) error {
	for _, v := range values {
		if n, _ := m.componentShape(m.typeOf[v]); n > 1 {
			return fmt.Errorf("%s has an operand of the invalid type %s", opName(op), m.describeSPIRVType(m.typeOf[v]))
		}
	}
	return m.checkNumberKind(op, kind, values...)
}

// hasOpcode reports whether a value's type has the given opcode or is unknown.
func (m *spirvModule) hasOpcode(value, opcode uint32) bool {
	d := m.types[m.typeOf[value]]
	return len(d) == 0 || d[0] == opcode
}

// checkSample checks that a coordinate has a component for each dimension of a texture. Components
// must be floats, or integers if a single texel is fetched.
func (m *spirvModule) checkSample(op, image, coordinate uint32) error {
	kind := uint32(opTypeFloat)
	if op == 95 { // 95 is OpImageFetch
		kind = opTypeInt
	}
	if err := m.checkNumberKind(op, kind, coordinate); err != nil {
		return err
	}
	d := m.types[m.typeOf[image]]
	if len(d) == 2 && d[0] == opTypeSampledImage {
		d = m.types[d[1]]
	}
	if len(d) < 5 || d[0] != opTypeImage || d[2] > 3 {
		return nil
	}
	want := []uint32{1, 2, 3, 3}[d[2]] + d[4]&1 // the dimensions of 1D, 2D, 3D and cube; an array's layer adds one
	if have, _ := m.componentShape(m.typeOf[coordinate]); have != 0 && have < want {
		return fmt.Errorf("%s has a coordinate of %d components, want %d", opName(op), have, want)
	}
	return nil
}

// floatMath holds the names of operations on floats of one type, by opcode.
var floatMath = map[uint32]string{127: "OpFNegate", 129: "OpFAdd", 131: "OpFSub", 133: "OpFMul", 136: "OpFDiv", 140: "OpFRem", 141: "OpFMod"}

// opName returns the name of an instruction for messages.
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

// checkReduction checks that all operands are vectors of the same type. The type of their
// components must be the type of the result.
func (m *spirvModule) checkReduction(op, t uint32, values ...uint32) error {
	of := m.typeOf[values[0]]
	if _, component := m.componentShape(of); component != 0 && component != t {
		return fmt.Errorf("%s cannot make %s from %s", opName(op), m.describeSPIRVType(t), m.describeSPIRVType(of))
	}
	return m.checkSameType(op, of, values...)
}

func (m *spirvModule) checkCall(t uint32, w []uint32) error {
	d := m.types[m.functions[w[0]]]
	if len(d) < 2 {
		return nil // the function is defined after this call
	}
	if d[1] != t || len(d)-2 != len(w)-1 {
		return errors.New("a call does not match the parameters of its function")
	}
	for i, arg := range w[1:] {
		if err := m.checkSameType(opFunctionCall, d[2+i], arg); err != nil {
			return err
		}
	}
	return nil
}

func (m *spirvModule) checkShuffle(t uint32, w []uint32) error {
	n, component := m.componentShape(t)
	if n < 2 || int(n) != len(w)-2 {
		return fmt.Errorf("%d components cannot make %s", len(w)-2, m.describeSPIRVType(t))
	}
	for _, v := range w[:2] {
		if count, of := m.componentShape(m.typeOf[v]); count == 1 || of != 0 && of != component {
			return fmt.Errorf("a vector of %s cannot have components of type %s", m.describeSPIRVType(component), m.describeSPIRVType(m.typeOf[v]))
		}
	}
	return nil
}

func (m *spirvModule) checkConstruct(t uint32, w []uint32) error {
	d := m.types[t]
	if len(d) == 0 {
		return nil
	}
	switch d[0] {
	case opTypeStruct:
		if len(w) != len(d)-1 {
			return fmt.Errorf("a struct of %d members is made from %d values", len(d)-1, len(w))
		}
		for i, v := range w {
			if err := m.checkSameType(opConstruct, d[1+i], v); err != nil {
				return err
			}
		}
	case opTypeArray, opTypeMatrix:
		return m.checkSameType(opConstruct, d[1], w...)
	case opTypeVector:
		total := uint32(0)
		for _, v := range w {
			n, component := m.componentShape(m.typeOf[v])
			if n == 0 {
				return nil
			}
			if total += n; component != d[1] {
				return fmt.Errorf("%s cannot be made from %s", m.describeSPIRVType(t), m.describeSPIRVType(component))
			}
		}
		if total != d[2] {
			return fmt.Errorf("%s cannot have %d components", m.describeSPIRVType(t), total)
		}
	default:
		return fmt.Errorf("%s cannot have components", m.describeSPIRVType(t))
	}
	return nil
}

// checkProduct checks that the dimensions of matrices and vectors match.
func (m *spirvModule) checkProduct(op, t uint32, w []uint32) error {
	size := func(t uint32) (columns, rows uint32) {
		d := m.types[t]
		if len(d) == 3 && d[0] == opTypeMatrix {
			rows, _ := m.componentShape(d[1])
			return d[2], rows
		}
		n, _ := m.componentShape(t)
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
		if op == 144 { // 144 is OpVectorTimesMatrix, where the vector is a row vector
			fits = fits || secondRows == 0 || firstRows == secondRows && rows == second
		} else {
			fits = fits || secondRows == 0 || first == secondRows && rows == firstRows && columns == second
		}
	}
	if !fits {
		return fmt.Errorf("%s cannot make %s from %s", opName(op), m.describeSPIRVType(t), m.describeSPIRVType(m.typeOf[w[0]]))
	}
	return nil
}

// checkExtract checks that the indices select a value of the result's type.
func (m *spirvModule) checkExtract(op, t uint32, w []uint32) error {
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
			return fmt.Errorf("%s has no components", m.describeSPIRVType(of))
		}
	}
	if of != t {
		return m.mismatch(op, of, t)
	}
	return nil
}

// standardFunction checks functions of GLSL.std.450. It checks functions whose operands all have
// the result's type, functions that reduce vectors to a scalar, and Ldexp.
func (m *spirvModule) standardFunction(t, function uint32, w []uint32) error {
	switch {
	case function == 66 || function == 67: // 66 and 67 are Length and Distance
		return m.checkReduction(opExtInst, t, w...)
	case function <= 32 && function != 5 && function != 7, // all up to 32, except the integer functions SAbs (5) and SSign (7)
		function == 37, function == 40, function == 43, function == 46, // these are the minimum, maximum, clamp and mix of floats
		function >= 48 && function <= 50,               // 48 to 50 are Step, SmoothStep and Fma
		function == 68, function == 69, function == 71: // 68 is Cross, 69 Normalize, 71 Reflect
		return m.checkSameType(opExtInst, t, w...)
	case function == 53 && len(w) == 2: // 53 is Ldexp
		n, _ := m.componentShape(t)
		if have, _ := m.componentShape(m.typeOf[w[1]]); have != n {
			return m.mismatch(opExtInst, m.typeOf[w[1]], t)
		}
	}
	return nil
}
