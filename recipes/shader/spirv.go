package shader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/gogpu/naga/ir"
)

// SPIR-V opcodes used here, from section 3.52 of the specification.
const (
	opExtInstImport     = 11
	opEntryPoint        = 15
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
	opBranch            = 250 // opcode of OpBranchConditional
	opSwitch            = 251
	opReturnValue       = 254

	decorationBuiltIn   = 11
	decorationInvariant = 18
)

// checkSPIRV detects known faults of the compiler and similar faults. Examples are a later version
// than requested, results and operands whose types do not match the operation, and nested blocks.
// For a full validation, use spirv-val.
func checkSPIRV(module []byte, asked string) error {
	words := spirvWords(module)
	if len(words) < spirvHeader || words[0] != 0x07230203 {
		return errors.New("the WGSL compiler wrote no SPIR-V")
	}
	made := fmt.Sprintf("%d.%d", words[1]>>16&0xff, words[1]>>8&0xff)
	if made > asked {
		return fmt.Errorf("this shader needs SPIR-V %s, spirv_version is %s; set it to %[1]q", made, asked)
	}
	m := spirvModule{types: map[uint32][]uint32{}, typeOf: map[uint32]uint32{}, functions: map[uint32]uint32{}, blocks: map[uint32]bool{}}
	end := spirvHeader
	for at, w := range instructions(words) {
		if err := m.checkInstruction(w[0]&0xffff, w[1:]); err != nil {
			return fmt.Errorf("the WGSL compiler wrote invalid SPIR-V for this shader: %w; write this part another way, or compile the shader by a command", err)
		}
		end = at + len(w)
	}
	if end < len(words) {
		return errors.New("the WGSL compiler wrote SPIR-V that is cut off")
	}
	return nil
}

// spirvHeader is the length of the header of a module, in words.
const spirvHeader = 5

// spirvWords returns the words of a module.
func spirvWords(module []byte) []uint32 {
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	return words
}

// instructions yields the offset and the words of each instruction of a module. It stops at an
// instruction that ends early.
func instructions(words []uint32) iter.Seq2[int, []uint32] {
	return func(yield func(int, []uint32) bool) {
		for at := spirvHeader; at < len(words); {
			n := int(words[at] >> 16)
			if n == 0 || n > len(words)-at || !yield(at, words[at:at+n]) {
				return
			}
			at += n
		}
	}
}

// A spirvModule holds facts from the instructions checked so far.
type spirvModule struct {
	types     map[uint32][]uint32 // opcode and operands of each type
	typeOf    map[uint32]uint32   // type of each value
	functions map[uint32]uint32   // function type of each function
	blocks    map[uint32]bool     // types decorated as Block or BufferBlock
	standard  uint32              // ID of the instruction set GLSL.std.450
	returns   uint32              // result type of the current function
}

// checkInstruction checks one instruction. w holds the words after its opcode.
func (m *spirvModule) checkInstruction(op uint32, w []uint32) error {
	switch {
	case op == opDecorate && len(w) >= 2 && (w[1] == 2 || w[1] == 3):
		m.blocks[w[0]] = true
	case op == opExtInstImport && len(w) > 0:
		m.standard = w[0]
	case op >= 19 && op <= opTypeFunction && len(w) > 0:
		m.types[w[0]] = append([]uint32{op}, w[1:]...)
		if m.blocks[w[0]] && slices.ContainsFunc(w[1:], m.holdsBlock) {
			return errors.New("a struct with a runtime-sized buffer layout (Block) is inside another Block")
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
			return fmt.Errorf("%s refers to a value that does not exist", opName(op))
		}
		m.typeOf[w[1]] = w[0]
		return m.checkMadeValue(op, w[0], w[2:])
	}
	return nil
}

// makesValue reports whether an instruction starts with a result type and a result.
func makesValue(op uint32) bool {
	return op == 1 || op == opExtInst || op >= 41 && op <= 46 || op >= 48 && op <= 52 || op == 55 ||
		op >= 57 && op <= opLoad || op >= 65 && op <= 70 || op >= 77 && op <= 84 || op >= 86 && op <= 191 && op != 99 ||
		op >= 194 && op <= 215 || op == 227 || op >= 229 && op <= 245 || op >= 333 && op <= 366 || op == 400
}

// holdsBlock reports whether a type is a Block or an array of Blocks.
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

// checkSameType checks that all values have type t. Values of unknown type (0) are accepted.
func (m *spirvModule) checkSameType(op, t uint32, values ...uint32) error {
	for _, v := range values {
		if of := m.typeOf[v]; t != 0 && of != 0 && of != t {
			return m.mismatch(op, of, t)
		}
	}
	return nil
}

func (m *spirvModule) mismatch(op, have, want uint32) error {
	return fmt.Errorf("%s has an operand of type %s, want %s", opName(op), m.describeSPIRVType(have), m.describeSPIRVType(want))
}

// componentShape returns the number and type of a type's components. It returns 0 if the type is
// neither a scalar nor a vector.
func (m *spirvModule) componentShape(t uint32) (count, component uint32) {
	switch d := m.types[t]; {
	case len(d) == 0:
	case d[0] == opTypeVector && len(d) == 3:
		return d[2], d[1]
	case d[0] >= opTypeBool && d[0] <= opTypeFloat: // bool, integer and float types
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

// decorateInvariant adds the decoration Invariant to the positions that the shader declares as
// invariant. naga writes it only in other formats.
func decorateInvariant(module []byte, from *ir.Module) []byte {
	invariant := map[string]bool{}
	for _, e := range from.EntryPoints {
		if r := e.Function.Result; r != nil && isInvariant(from, r) {
			invariant[e.Name] = true
		}
	}
	if len(invariant) == 0 {
		return module
	}
	end := len(module)             // offset of the end of the decorations
	written := map[uint32]bool{}   // variables that these entry points use
	positions := map[uint32]bool{} // variables that hold a position
	for at, w := range instructions(spirvWords(module)) {
		switch op := w[0] & 0xffff; {
		case op == opEntryPoint && len(w) > 3:
			name, words := spirvText(w[3:])
			for _, id := range w[3+words:] {
				written[id] = written[id] || invariant[name]
			}
		case op == opDecorate:
			end = 4 * (at + len(w))
			if len(w) == 4 && w[2] == decorationBuiltIn && w[3] == 0 {
				positions[w[1]] = true
			}
		}
	}
	var more []byte
	for _, id := range slices.Sorted(maps.Keys(positions)) {
		if written[id] {
			for _, v := range []uint32{3<<16 | opDecorate, id, decorationInvariant} {
				more = binary.LittleEndian.AppendUint32(more, v)
			}
		}
	}
	return slices.Concat(module[:end], more, module[end:])
}

// isInvariant reports whether a result has a position that is declared invariant.
func isInvariant(m *ir.Module, r *ir.FunctionResult) bool {
	is := func(b *ir.Binding) bool {
		if b == nil {
			return false
		}
		builtIn, ok := (*b).(ir.BuiltinBinding)
		return ok && builtIn.Invariant
	}
	if s, ok := m.Types[r.Type].Inner.(ir.StructType); ok {
		return slices.ContainsFunc(s.Members, func(m ir.StructMember) bool { return is(m.Binding) })
	}
	return is(r.Binding)
}

// spirvText returns the text at the beginning of words, and how many words it takes.
func spirvText(words []uint32) (string, int) {
	var text []byte
	for i, w := range words {
		for b := range 4 {
			c := byte(w >> (8 * b))
			if c == 0 {
				return string(text), i + 1
			}
			text = append(text, c)
		}
	}
	return string(text), len(words)
}
