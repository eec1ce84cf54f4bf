package shader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Opcodes of SPIR-V used here, from the specification, section 3.52.
const (
	opExtInstImport     = 11
	opExtInst           = 12
	opTypeBool          = 20
	opTypeInt           = 21
	opTypeFloat         = 22
	opTypeVector        = 23
	opTypeMatrix        = 24
	opTypeImage         = 25
	opTypeSampler       = 26
	opTypeSampledImage  = 27
	opTypeArray         = 28
	opTypeRuntimeArray  = 29
	opTypeStruct        = 30
	opTypePointer       = 32
	opTypeFunction      = 33
	opConstantComposite = 44
	opNull              = 46
	opFunction          = 54
	opFunctionCall      = 57
	opVariable          = 59
	opLoad              = 61
	opStore             = 62
	opDecorate          = 71
	opVectorShuffle     = 79
	opConstruct         = 80
	opExtract           = 81
	opTranspose         = 84
	opSampledImage      = 86
	opMatrixTimesScalar = 143
	opMatrixTimesMatrix = 146
	opBranch            = 250 // conditional
	opSwitch            = 251
	opReturnValue       = 254
)

// checkSPIRV detects known faults of the compiler and similar ones: modules of a later version
// than requested, values of another type than their operation makes or takes, and nested blocks.
// For a full validation, see spirv-val.
func checkSPIRV(module []byte, asked string) error {
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	if len(words) < 5 || words[0] != 0x07230203 {
		return errors.New("the WGSL compiler made no SPIR-V")
	}
	made := fmt.Sprintf("%d.%d", words[1]>>16&0xff, words[1]>>8&0xff)
	if made > asked {
		return fmt.Errorf("this shader needs SPIR-V %s, spirv_version is %s; set it to %[1]q", made, asked)
	}
	m := spirvModule{types: map[uint32][]uint32{}, typeOf: map[uint32]uint32{}, functions: map[uint32]uint32{}, blocks: map[uint32]bool{}}
	for rest := words[5:]; len(rest) > 0; {
		n := int(rest[0] >> 16)
		if n == 0 || n > len(rest) {
			return errors.New("the WGSL compiler made SPIR-V that ends early")
		}
		if err := m.checkInstruction(rest[0]&0xffff, rest[1:n]); err != nil {
			return fmt.Errorf("the WGSL compiler made invalid SPIR-V of this shader: %w; write that another way, or have a command compile it", err)
		}
		rest = rest[n:]
	}
	return nil
}

// A spirvModule holds the facts about the instructions so far.
type spirvModule struct {
	types     map[uint32][]uint32 // the opcode of each type, then its operands
	typeOf    map[uint32]uint32   // of each value
	functions map[uint32]uint32   // the type of each
	blocks    map[uint32]bool     // types with the decoration Block or BufferBlock
	standard  uint32              // the instruction set GLSL.std.450
	returns   uint32              // the type of the current function
}

// checkInstruction checks one instruction with the words behind its opcode.
func (m *spirvModule) checkInstruction(op uint32, w []uint32) error {
	switch {
	case op == opDecorate && len(w) >= 2 && (w[1] == 2 || w[1] == 3):
		m.blocks[w[0]] = true
	case op == opExtInstImport && len(w) > 0:
		m.standard = w[0]
	case op >= 19 && op <= opTypeFunction && len(w) > 0:
		m.types[w[0]] = append([]uint32{op}, w[1:]...)
		if m.blocks[w[0]] && slices.ContainsFunc(w[1:], m.holdsBlock) {
			return errors.New("a Block lies within another")
		}
	case op == opStore && len(w) >= 2:
		return m.checkSameType(op, m.pointedType(m.typeOf[w[0]]), w[1])
	case op == opReturnValue && len(w) > 0:
		return m.checkSameType(op, m.returns, w[0])
	case op == opFunction && len(w) >= 4:
		m.returns, m.functions[w[1]] = w[0], w[3]
	case op == opBranch && len(w) > 0:
		return m.checkScalars(op, opTypeBool, w[0])
	case op == opSwitch && len(w) > 0:
		return m.checkScalars(op, opTypeInt, w[0])
	case makesValue(op) && len(w) >= 2:
		if w[0] == 0 || w[1] == 0 || op >= opLoad && len(w) > 2 && w[2] == 0 {
			return fmt.Errorf("%s names nothing", opName(op))
		}
		m.typeOf[w[1]] = w[0]
		return m.checkMadeValue(op, w[0], w[2:])
	}
	return nil
}

// makesValue reports whether the words of an instruction begin with a type and a result.
func makesValue(op uint32) bool {
	return op == 1 || op == opExtInst || op >= 41 && op <= 46 || op >= 48 && op <= 52 || op == 55 ||
		op >= 57 && op <= opLoad || op >= 65 && op <= 70 || op >= 77 && op <= 84 || op >= 86 && op <= 191 && op != 99 ||
		op >= 194 && op <= 215 || op == 227 || op >= 229 && op <= 245 || op >= 333 && op <= 366 || op == 400
}

// holdsBlock reports whether a type is a Block, or an array of Blocks.
func (m *spirvModule) holdsBlock(t uint32) bool {
	for range len(m.types) {
		d := m.types[t]
		if len(d) < 2 || d[0] != opTypeArray && d[0] != opTypeRuntimeArray {
			break
		}
		t = d[1]
	}
	return m.blocks[t]
}

// pointedType returns the type that a pointer type points to.
func (m *spirvModule) pointedType(t uint32) uint32 {
	if d := m.types[t]; len(d) == 3 && d[0] == opTypePointer {
		return d[2]
	}
	return 0
}

// checkSameType checks that all values have one type. Type 0 is unknown.
func (m *spirvModule) checkSameType(op, t uint32, values ...uint32) error {
	for _, v := range values {
		if of := m.typeOf[v]; t != 0 && of != 0 && of != t {
			return m.mismatch(op, of, t)
		}
	}
	return nil
}

func (m *spirvModule) mismatch(op, have, want uint32) error {
	return fmt.Errorf("%s has %s for %s", opName(op), m.describeSPIRVType(have), m.describeSPIRVType(want))
}

// componentShape returns the number and type of a type's components, and 0 unless it is a number or a
// vector.
func (m *spirvModule) componentShape(t uint32) (count, component uint32) {
	switch d := m.types[t]; {
	case len(d) == 0:
	case d[0] == opTypeVector && len(d) == 3:
		return d[2], d[1]
	case d[0] >= opTypeBool && d[0] <= opTypeFloat: // also bool
		return 1, t
	}
	return 0, 0
}

// describeSPIRVType describes a type for messages.
func (m *spirvModule) describeSPIRVType(t uint32) string {
	d := m.types[t]
	if n, of := m.componentShape(t); n > 1 {
		return fmt.Sprintf("a vector of %d %s", n, m.describeSPIRVType(of))
	}
	switch {
	case len(d) == 0:
		return "an unknown type"
	case d[0] == opTypeInt && len(d) == 3:
		return fmt.Sprintf("%s%d", []string{"u", "i"}[d[2]&1], d[1])
	case d[0] == opTypeFloat && len(d) == 2:
		return fmt.Sprintf("f%d", d[1])
	case d[0] == opTypeBool:
		return "bool"
	}
	return fmt.Sprintf("type %d", t)
}
