package shader

import (
	"errors"
	"fmt"
)

// value judges an instruction that makes a value of type t of the operands w.
func (m *spirvModule) value(op, t uint32, w []uint32) error {
	switch {
	case op == opFunctionCall && len(w) >= 1:
		return m.call(t, w)
	case op == opLoad && len(w) >= 1:
		if of := m.pointee(m.typeOf[w[0]]); of != 0 && of != t {
			return fmt.Errorf("%s has %s for %s", opName(op), m.name(of), m.name(t))
		}
	case op == opVectorShuffle && len(w) >= 2:
		return m.shuffle(t, w)
	case op == opConstruct:
		return m.construct(t, w)
	case op == opExtract && len(w) >= 1:
		return m.extract(op, t, w)
	case op == opExtInst && len(w) >= 3 && w[0] == m.standard:
		return m.standardFunction(t, w[1], w[2:])
	case floatMath[op] != "":
		return m.same(op, t, w...)
	case op == 148 && len(w) == 2: // dot
		return m.reduces(op, t, w...)
	case op == 142 && len(w) == 2: // vector times scalar
		_, component := m.shape(t)
		if err := m.same(op, t, w[0]); err != nil {
			return err
		}
		return m.same(op, component, w[1])
	case op >= 180 && op <= 191 && len(w) == 2: // comparisons of floats
		if err := m.same(op, m.typeOf[w[0]], w[1]); err != nil {
			return err
		}
		return m.sameCount(op, t, w...)
	case op >= 109 && op <= 116, op >= 126 && op <= 139, op >= 164 && op <= 200 && op != 169, op >= 207 && op <= 215:
		// conversions, integers, comparisons, bits, derivatives
		return m.sameCount(op, t, w...)
	case op == 169 && len(w) == 3: // select
		return m.same(op, t, w[1:]...)
	case op == 245: // phi: values and where they come from
		for i := 0; i+1 < len(w); i += 2 {
			if err := m.same(op, t, w[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// floatMath are the operations on floats of one type.
var floatMath = map[uint32]string{127: "OpFNegate", 129: "OpFAdd", 131: "OpFSub", 133: "OpFMul", 136: "OpFDiv", 140: "OpFRem", 141: "OpFMod"}

// opName names an instruction for people.
func opName(op uint32) string {
	names := map[uint32]string{
		opExtInst: "OpExtInst", opFunctionCall: "OpFunctionCall", opLoad: "OpLoad", opStore: "OpStore", opConstruct: "OpCompositeConstruct",
		opExtract: "OpCompositeExtract", opReturnValue: "OpReturnValue", 142: "OpVectorTimesScalar", 148: "OpDot", 169: "OpSelect", 245: "OpPhi",
	}
	if name := names[op] + floatMath[op]; name != "" {
		return name
	}
	return fmt.Sprint("instruction ", op)
}

// sameCount wants all values to have as many components as the result.
func (m *spirvModule) sameCount(op, t uint32, values ...uint32) error {
	n, _ := m.shape(t)
	for _, v := range values {
		if have, _ := m.shape(m.typeOf[v]); n != 0 && have != 0 && have != n {
			return fmt.Errorf("%s has %s for %d components", opName(op), m.name(m.typeOf[v]), n)
		}
	}
	return nil
}

// reduces wants vectors of one type, whose components are like the result.
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
		return nil // it comes later
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
	}
	return nil
}

// extract follows the indices to the part that is taken.
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
		return fmt.Errorf("%s has %s for %s", opName(op), m.name(of), m.name(t))
	}
	return nil
}

// standardFunction judges those functions of GLSL.std.450 whose operands are all of the
// result's type, and those that make one number of vectors.
func (m *spirvModule) standardFunction(t, function uint32, w []uint32) error {
	switch {
	case function == 66 || function == 67: // length, distance
		return m.reduces(opExtInst, t, w...)
	case function <= 32 && function != 5 && function != 7, // not those on integers
		function == 37, function == 40, function == 43, function == 46, // min, max, clamp, mix of floats
		function >= 48 && function <= 50,               // step, smoothstep, fma
		function == 68, function == 69, function == 71: // cross, normalize, reflect
		return m.same(opExtInst, t, w...)
	}
	return nil
}
