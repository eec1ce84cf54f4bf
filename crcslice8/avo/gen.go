// Command avo writes the kernels of package crcslice8:
//
//	go generate ./crcslice8
//
// It is a separate module, so that users of the package do not build it.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	arm64Assembly := flag.String("arm64", "", "write the arm64 kernel to this `file`")
	arm64Declarations := flag.String("arm64stubs", "", "write its declarations to this `file`")
	flag.Parse()
	if err := writeARM64(*arm64Assembly, *arm64Declarations); err != nil {
		log.Fatal(err)
	}
	ConstraintExpr("amd64,!purego")

	reverse := bytesGlobal("reverse", 16, func(i int) byte { return byte(15 - i) })
	shift := bytesGlobal("shift", 48, func(i int) byte {
		if i < 16 || i >= 32 {
			return 0x80
		}
		return byte(i - 16)
	})
	k := kernel{reverse: reverse, shift: shift}
	k.inBothOrders("fold16", "fold16 returns the state after n >= 16 bytes, by PCLMULQDQ. It needs AVX.", kernel.narrow)
	k.inBothOrders("fold64", "fold64 returns the state after n >= 64 bytes, by VPCLMULQDQ. It needs AVX-512 F, BW and VL.", kernel.wide)
	words()
	multiply()
	registers("IEEE", 0x04c11db7)
	registers("Castagnoli", 0x1edc6f41)
	registers("Koopman", 0x741b8cd7)
	Generate()
}

// bytesGlobal makes a read-only table, padded so that 16 bytes can be loaded from any offset.
func bytesGlobal(name string, n int, at func(int) byte) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		DATA(i, U8(at(i)))
	}
	return m
}

// kernel is the common part of the carry-less multiplication kernels. If msb is set, polynomials
// have their highest power in the highest bit, and bytes are reversed when loaded. Otherwise bytes
// are already bit-reflected.
type kernel struct {
	msb            bool
	reverse, shift Mem
	order          VecPhysical // reverses the bytes of each lane
	p, n, folds    Register
}

// inBothOrders writes a function with one body for each bit order.
func (k kernel) inBothOrders(name, doc string, body func(kernel)) {
	TEXT(name, NOSPLIT, "func(state uint64, p *byte, n int, f *[11][2]uint64) uint64")
	Doc(doc)
	Pragma("noescape")
	k.p = Load(Param("p"), RSI)
	k.n = Load(Param("n"), RCX)
	k.folds = Load(Param("f"), RDI)
	CMPB(k.row(reduce+8), U8(0))
	JNE(LabelRef("msb"))
	body(k)
	Label("msb")
	k.msb = true
	body(k)
}

// label returns a label that is unique within the function.
func (k kernel) label(name string) string {
	if k.msb {
		return name + "MSB"
	}
	return name
}

// These are byte offsets of the rows in folds; see constants.go.
const (
	by2048 = 16 * iota
	by1536
	by1024
	by512
	by384
	by256
	by128
	none
	reduce
	barrett
	constant
)

func (k kernel) row(offset int) Mem { return Mem{Base: k.folds, Disp: offset} }

// load loads the block at p+offset into x, in the bit order of the polynomial.
func (k kernel) load(offset int, x Register) {
	k.loadAt(Mem{Base: k.p, Disp: offset}, x)
}

func (k kernel) loadAt(m Mem, x Register) {
	if x.Size() == 64 {
		VMOVDQU64(m, x)
	} else {
		VMOVDQU(m, x)
	}
	k.turn(x)
}

func (k kernel) turn(x Register) {
	if !k.msb {
		return
	}
	switch x.Size() {
	case 64:
		VPSHUFB(k.order.AsZ(), x, x)
	default:
		VPSHUFB(k.order.AsX(), x, x)
	}
}

// times shifts a by the distance of the factors in c, by multiplying both halves of a with their
// factors. One product is left in a and the other in t; the caller adds them.
func times(c Op, a, t Register) {
	VPCLMULQDQ(U8(0x11), c, a, t)
	VPCLMULQDQ(U8(0x00), c, a, a)
}

// first loads the first block into x, and adds the state in load to its first bytes.
func (k kernel) first(x, t VecPhysical, load Register) {
	Load(Param("state"), RAX)
	VMOVQ(RAX, t.AsX())
	if load.Size() == 64 {
		VPXORQ(Mem{Base: k.p}, t.AsZ(), load)
	} else {
		VPXOR(Mem{Base: k.p}, t.AsX(), load)
	}
	k.turn(load)
}

// narrow folds 16 bytes at a time in four XMM registers.
func (k kernel) narrow() {
	k.order = X15
	if k.msb {
		VMOVDQU(k.reverse, X15)
	}
	x, t := []VecPhysical{X0, X1, X2, X3}, []VecPhysical{X4, X5, X6, X7}
	k.first(X0, X4, X0)
	CMPQ(k.n, U32(64))
	JB(LabelRef(k.label("one")))
	for i := 1; i < 4; i++ {
		k.load(16*i, x[i])
	}
	ADDQ(U32(64), k.p)
	SUBQ(U32(64), k.n)
	CMPQ(k.n, U32(64))
	JB(LabelRef(k.label("reduce")))
	VMOVDQU(k.row(by512), X8)
	Label(k.label("four"))
	for i := range x {
		times(X8, x[i], t[i])
		if k.msb {
			k.load(16*i, X9)
			VPXOR(X9, t[i], t[i])
		} else {
			VPXOR(Mem{Base: k.p, Disp: 16 * i}, t[i], t[i])
		}
		VPXOR(t[i], x[i], x[i])
	}
	ADDQ(U32(64), k.p)
	SUBQ(U32(64), k.n)
	CMPQ(k.n, U32(64))
	JAE(LabelRef(k.label("four")))

	Label(k.label("reduce"))
	for i, c := range []int{by384, by256, by128} {
		times(k.row(c), x[i], t[i])
		VPXOR(t[i], x[i], x[i])
	}
	VPXOR(X1, X0, X0)
	VPXOR(X3, X2, X2)
	VPXOR(X2, X0, X0)
	JMP(LabelRef(k.label("blocks")))

	Label(k.label("one"))
	ADDQ(U32(16), k.p)
	SUBQ(U32(16), k.n)
	k.end()
}

// wide folds 64 bytes at a time in four ZMM registers.
func (k kernel) wide() {
	k.order = X15
	if k.msb {
		VBROADCASTI32X4(k.reverse, Z15)
	}
	z, t := []VecPhysical{Z0, Z1, Z2, Z3}, []VecPhysical{Z4, Z5, Z6, Z7}
	k.first(X0, X4, Z0)
	VBROADCASTI32X4(k.row(by512), Z10)
	CMPQ(k.n, U32(256))
	JB(LabelRef(k.label("one")))
	for i := 1; i < 4; i++ {
		k.load(64*i, z[i])
	}
	ADDQ(U32(256), k.p)
	SUBQ(U32(256), k.n)
	CMPQ(k.n, U32(256))
	JB(LabelRef(k.label("reduce")))
	VBROADCASTI32X4(k.row(by2048), Z8)
	Label(k.label("four"))
	for i := range z {
		times(Z8, z[i], t[i])
		k.addZ(64*i, t[i], z[i])
	}
	ADDQ(U32(256), k.p)
	SUBQ(U32(256), k.n)
	CMPQ(k.n, U32(256))
	JAE(LabelRef(k.label("four")))

	Label(k.label("reduce"))
	VBROADCASTI32X4(k.row(by1536), Z8)
	VBROADCASTI32X4(k.row(by1024), Z9)
	for i, c := range []VecPhysical{Z8, Z9, Z10} {
		times(c, z[i], t[i])
	}
	VPTERNLOGQ(U8(0x96), t[0], z[0], z[1])
	VPTERNLOGQ(U8(0x96), t[1], t[2], z[2])
	VPTERNLOGQ(U8(0x96), z[1], z[2], z[3])
	VMOVDQA64(Z3, Z0)
	JMP(LabelRef(k.label("singles")))

	Label(k.label("one"))
	ADDQ(U32(64), k.p)
	SUBQ(U32(64), k.n)
	Label(k.label("singles"))
	CMPQ(k.n, U32(64))
	JB(LabelRef(k.label("lanes")))
	Label(k.label("single"))
	times(Z10, Z0, Z4)
	k.addZ(0, Z4, Z0)
	ADDQ(U32(64), k.p)
	SUBQ(U32(64), k.n)
	CMPQ(k.n, U32(64))
	JAE(LabelRef(k.label("single")))

	// The last lane stays in place. The other lanes are shifted to its position and added.
	Label(k.label("lanes"))
	VEXTRACTI32X4(U8(3), Z0, X1)
	VMOVDQU64(k.row(by384), Z10)
	times(Z10, Z0, Z4)
	VPXORQ(Z4, Z0, Z0)
	VEXTRACTI64X4(U8(1), Z0, Y2)
	VPXOR(Y2, Y0, Y0)
	VEXTRACTI128(U8(1), Y0, X2)
	VPXOR(X1, X0, X0)
	VPXOR(X2, X0, X0)
	VZEROUPPER()
	k.end()
}

// addZ loads 64 bytes at p+offset, and adds them and t to z.
func (k kernel) addZ(offset int, t, z VecPhysical) {
	if k.msb {
		k.load(offset, Z9)
		VPTERNLOGQ(U8(0x96), Z9, t, z)
		return
	}
	VPTERNLOGQ(U8(0x96), Mem{Base: k.p, Disp: offset}, t, z)
}

// end folds the last bytes, fewer than 64, into the 16 bytes in X0. It returns the register with
// the result.
func (k kernel) end() {
	Label(k.label("blocks"))
	VMOVDQU(k.row(by128), X8)
	CMPQ(k.n, U32(16))
	JB(LabelRef(k.label("tail")))
	Label(k.label("block"))
	times(X8, X0, X4)
	if k.msb {
		k.load(0, X9)
		VPXOR(X9, X4, X4)
	} else {
		VPXOR(Mem{Base: k.p}, X4, X4)
	}
	VPXOR(X4, X0, X0)
	ADDQ(U32(16), k.p)
	SUBQ(U32(16), k.n)
	CMPQ(k.n, U32(16))
	JAE(LabelRef(k.label("block")))

	// The last n bytes remain, where n < 16. The first n bytes of X0 become a separate block. The
	// remaining bytes of X0 and the tail become the next block.
	Label(k.label("tail"))
	TESTQ(k.n, k.n)
	JZ(LabelRef(k.label("finish")))
	LEAQ(k.shift, RDX)
	k.loadAt(Mem{Base: k.p, Index: k.n, Scale: 1, Disp: -16}, X1)
	if k.msb {
		MOVQ(RDX, RAX)
		SUBQ(k.n, RAX)
		VMOVDQU(Mem{Base: RAX, Disp: 16}, X2) // shift up by n bytes
		VMOVDQU(Mem{Base: RAX, Disp: 32}, X3) // shift down by 16-n bytes
	} else {
		ADDQ(k.n, RDX)
		VMOVDQU(Mem{Base: RDX, Disp: 16}, X2) // shift down by n bytes
		VMOVDQU(Mem{Base: RDX}, X3)           // shift up by 16-n bytes
	}
	VPSHUFB(X2, X0, X5)
	VPSHUFB(X3, X0, X0)
	VPBLENDVB(X2, X1, X5, X5)
	times(X8, X0, X4)
	VPXOR(X5, X4, X4)
	VPXOR(X4, X0, X0)

	// Multiply by x^64, modulo the polynomial. Fold the upper 64 bits, and reduce the remaining 128
	// bits by Barrett's method.
	Label(k.label("finish"))
	VMOVDQU(k.row(reduce), X2)
	VMOVDQU(k.row(barrett), X3)
	if k.msb {
		VPCLMULQDQ(U8(0x01), X2, X0, X1)
		VPSLLDQ(U8(8), X0, X0)
		VPXOR(X1, X0, X0)
		VPCLMULQDQ(U8(0x01), X3, X0, X1)
		VPXOR(X0, X1, X1)
		VPCLMULQDQ(U8(0x11), X3, X1, X1)
		VPXOR(X1, X0, X0)
		VMOVQ(X0, RAX)
		BSWAPQ(RAX)
	} else {
		VPCLMULQDQ(U8(0x00), X2, X0, X1)
		VPSRLDQ(U8(8), X0, X0)
		VPXOR(X1, X0, X0)
		VPCLMULQDQ(U8(0x00), X3, X0, X1)
		VPSLLDQ(U8(8), X1, X2)
		VPAND(k.row(constant), X2, X2) // the quotient times x^0
		VPXOR(X2, X0, X0)
		VPCLMULQDQ(U8(0x10), X3, X1, X1)
		VPXOR(X1, X0, X0)
		VPEXTRQ(U8(1), X0, RAX)
	}
	Store(RAX, ReturnIndex(0))
	RET()
}

// words writes crc32q, for the polynomial of SSE4.2's CRC32 instruction.
func words() {
	TEXT("crc32q", NOSPLIT, "func(state uint32, p *byte, n int) uint32")
	Doc("crc32q returns the state of CRC-32C after n bytes. It needs SSE4.2.")
	Pragma("noescape")
	Load(Param("state"), EAX)
	p, n := Load(Param("p"), RSI), Load(Param("n"), RCX)
	SUBQ(U8(8), n)
	JL(LabelRef("four"))
	Label("eight")
	CRC32Q(Mem{Base: p}, RAX)
	ADDQ(U8(8), p)
	SUBQ(U8(8), n)
	JGE(LabelRef("eight"))
	Label("four") // n is now the remaining length minus 8, with the same low bits
	BTQ(U8(2), n)
	JNC(LabelRef("two"))
	CRC32L(Mem{Base: p}, EAX)
	ADDQ(U8(4), p)
	Label("two")
	BTQ(U8(1), n)
	JNC(LabelRef("byte"))
	CRC32W(Mem{Base: p}, EAX)
	ADDQ(U8(2), p)
	Label("byte")
	BTQ(U8(0), n)
	JNC(LabelRef("done"))
	CRC32B(Mem{Base: p}, EAX)
	Label("done")
	Store(EAX, ReturnIndex(0))
	RET()
}

// multiply writes the function that multiplies polynomials for combining checksums.
func multiply() {
	TEXT("clmul", NOSPLIT, "func(a, b uint64) (hi, lo uint64)")
	Doc("clmul returns a times b as polynomials over GF(2). It needs PCLMULQDQ and AVX.")
	VMOVQ(Load(Param("a"), RAX), X0)
	VMOVQ(Load(Param("b"), RCX), X1)
	VPCLMULQDQ(U8(0), X1, X0, X0)
	VPEXTRQ(U8(1), X0, RCX)
	VMOVQ(X0, RAX)
	Store(RCX, Return("hi"))
	Store(RAX, Return("lo"))
	RET()
}

// registers folds by the polynomial itself in units of 64 bytes. Because P(x)^512 = P(x^512) over
// GF(2), a unit may be added to later units, at distances given by the other terms of P. The 32 ZMM
// registers are the 32 units that still receive additions.
func registers(name string, poly uint32) {
	TEXT("registers"+name, NOSPLIT, "func(state uint32, p *byte, n int, rest *[2048]byte)")
	Doc("registers"+name+" reduces n bytes, a multiple of 2048 and at least 4096, to the 2048 bytes at rest,",
		"which have the same remainder. It needs AVX-512 F.")
	Pragma("noescape")
	p, n, rest := Load(Param("p"), RSI), Load(Param("n"), RCX), Load(Param("rest"), RDI)
	Load(Param("state"), EAX)
	z := []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31}
	VMOVD(EAX, X0)
	for i := 1; i < 32; i++ {
		VPXORQ(z[i], z[i], z[i])
	}
	addUnits(poly, p, z, 0, 32)
	JMP(LabelRef("next"))
	Label("block")
	addUnits(poly, p, z, -32, 32)
	Label("next")
	ADDQ(U32(2048), p)
	SUBQ(U32(2048), n)
	CMPQ(n, U32(2048))
	JA(LabelRef("block"))
	// The last 32 units are the result. They receive additions from earlier units, but not from
	// each other.
	addUnits(poly, p, z, -32, 0)
	for i := range z {
		VMOVDQU64(z[i], Mem{Base: rest, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

// addUnits adds the 32 units at p to the registers. It also adds to each register the contributions
// of the units lo to hi-1, where the unit at p is number 0. The contribution at distance 32 is
// already included, because the new unit uses the same register.
func addUnits(poly uint32, p Register, z []VecPhysical, lo, hi int) {
	for i := range z {
		add := []Op{Mem{Base: p, Disp: 64 * i}}
		for term := 1; term < 32; term++ { // add the farthest units first, because they are ready first
			from := i - (32 - term)
			if poly>>term&1 != 0 && lo <= from && from < hi {
				add = append(add, z[(from+32)%32])
			}
		}
		for ; len(add) > 1; add = add[2:] {
			VPTERNLOGQ(U8(0x96), add[0], add[1], z[i])
		}
		if len(add) == 1 {
			VPXORQ(add[0], z[i], z[i])
		}
	}
}
