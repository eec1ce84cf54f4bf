package crcslice8

import (
	"bytes"
	"cmp"
	"encoding"
	"fmt"
	"hash"
	"hash/crc64"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyModel64 picks a model from the catalogue, or generates a random model.
func anyModel64() *rapid.Generator[Model] {
	return rapid.OneOf(rapid.SampledFrom(allModels64()), rapid.Custom(func(t *rapid.T) Model {
		width := rapid.IntRange(1, 64).Draw(t, "width")
		number := rapid.Uint64Max(math.MaxUint64 >> (64 - width))
		return Model{
			Width:  width,
			Poly:   number.Draw(t, "poly"),
			Init:   number.Draw(t, "init"),
			RefIn:  rapid.Bool().Draw(t, "refin"),
			RefOut: rapid.Bool().Draw(t, "refout"),
			XorOut: number.Draw(t, "xorout"),
		}
	}))
}

func TestCatalogue(t *testing.T) {
	check := []byte("123456789")
	models := Catalogue()
	if len(models) != 113 {
		t.Errorf("%d models, want 113", len(models))
	}
	if !slices.IsSortedFunc(models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(a.Name, b.Name))
	}) {
		t.Error("the models are not sorted by width and name")
	}
	for _, m := range models {
		if got := define64(m, check); got != m.Check {
			t.Errorf("%s by definition: %x, want %x", m.Name, got, m.Check)
		}
		if got := defineResidue(m); got != m.Residue {
			t.Errorf("%s: residue %x, want %x", m.Name, got, m.Residue)
		}
		crc := New64(m)
		if got := crc.Checksum(check); got != m.Check {
			t.Errorf("%s: %x, want %x", m.Name, got, m.Check)
		}
		if got := crc.Slicing8(crc.Empty(), check); got != m.Check {
			t.Errorf("%s, Slicing8: %x, want %x", m.Name, got, m.Check)
		}
		if crc.Model() != m {
			t.Errorf("Model of %s is %v", m.Name, crc.Model())
		}
		if found, ok := ModelByName(strings.ToLower(m.Name)); !ok || found != m {
			t.Errorf("under the name of %s there is %v, %t", m.Name, found, ok)
		}
	}
	if m, ok := ModelByName("CRC-64"); ok {
		t.Errorf("CRC-64 is %v", m)
	}
	if NVME().Model().Name != "CRC-64/NVME" || XZ().Model().Name != "CRC-64/XZ" {
		t.Errorf("the shared tables are of %v and %v", NVME().Model(), XZ().Model())
	}
	models[0].Poly++
	if models[0] == Catalogue()[0] {
		t.Error("a caller changed the catalogue")
	}
}

func TestInvalidModels64AreRefused(t *testing.T) {
	for _, tt := range []struct {
		model Model
		want  string
	}{
		{Model{}, "the width is 0 bits"},
		{Model{Name: "CRC-82/DARC", Width: 82}, "CRC-82/DARC: the width is 82 bits"},
		{Model{Name: "CRC-16", Width: 16, Poly: 0x11021}, "CRC-16: Poly 0x11021 has more than 16 bits"},
		{Model{Width: 8, Poly: 7, Init: 0xffff, XorOut: 0x100}, "Init 0xffff, XorOut 0x100 has more than 8 bits"},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, tt.want) {
					t.Errorf("%v: panic %q, want one with %q", tt.model, got, tt.want)
				}
			}()
			New64(tt.model)
		}()
	}
}

func TestNewRefusesOtherModelsThanCRC32(t *testing.T) {
	for _, name := range []string{"CRC-16/ARC", "CRC-12/UMTS", "CRC-64/XZ", "CRC-32/XFER"} {
		m := mustModel(name)
		if m.Width == 32 {
			m.RefOut = !m.RefOut
		}
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, "use New64") {
					t.Errorf("%v: panic %q, want one with %q", m, got, "use New64")
				}
			}()
			New(m)
		}()
	}
}

func TestKernels64AgainstDefinition(t *testing.T) {
	data := randomBytes(1000)
	for _, m := range allModels64() {
		crc := New64(m)
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200, 1000} {
			want := define64(m, data[:n])
			for _, k := range crc.kernels() {
				if got := crc.sumOfState64(k.run(crc.stateOfSum64(crc.Empty()), data[:n])); got != want {
					t.Errorf("%s, %s, %d bytes: %x, want %x", m.Name, k.name, n, got, want)
				}
			}
		}
	}
}

func TestKernels64AtEveryLength(t *testing.T) {
	data := randomBytes(12 << 10)
	for _, m := range allModels64() {
		crc := New64(m)
		ks, state := crc.kernels(), crc.stateOfSum64(m.Poly*0x9e3779b97f4a7c15+1)
		lengths := archLengths()
		for n := range 1201 {
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			p := data[len(data)-n:]
			want := ks[0].run(state, p)
			for _, k := range ks[1:] {
				if got := k.run(state, p); got != want {
					t.Fatalf("%s, %s, %d bytes from state %x: %x, want %x", m.Name, k.name, n, state, got, want)
				}
			}
			state = want
		}
	}
}

func TestKernels64AtEveryAlignment(t *testing.T) {
	data := randomBytes(1000)
	for _, name := range []string{"CRC-64/NVME", "CRC-64/ECMA-182", "CRC-16/ARC", "CRC-16/XMODEM"} {
		crc := New64(mustModel(name))
		state := crc.stateOfSum64(0x13579bdf02468ace)
		for offset := range 64 {
			for _, n := range []int{5, 16, 31, 64, 79, 128, 256, 300, 900} {
				p := data[offset : offset+n]
				want := crc.bytewise(state, p)
				for _, k := range crc.kernels() {
					if got := k.run(state, p); got != want {
						t.Fatalf("%s, %s, %d bytes at %d: %x, want %x", name, k.name, n, offset, got, want)
					}
				}
			}
		}
	}
}

func TestAnyCRCMatchesTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel64().Draw(t, "model")
		crc := New64(m)
		p := rapid.SliceOfN(rapid.Byte(), 0, 1500).Draw(t, "p")
		at := rapid.IntRange(0, len(p)).Draw(t, "at")
		checkAnyCRC(t, crc, p, at)
	})
}

// FuzzAnyCRC runs TestAnyCRCMatchesTheDefinition on the fuzzer's inputs.
func FuzzAnyCRC(f *testing.F) {
	for _, m := range allModels64() {
		f.Add(uint8(m.Width), m.Poly, m.Init, m.RefIn, m.RefOut, m.XorOut, []byte("123456789"), uint(4))
		f.Add(uint8(m.Width), m.Poly, m.Init, m.RefIn, m.RefOut, m.XorOut, randomBytes(777), uint(130))
	}
	f.Fuzz(func(t *testing.T, width uint8, poly, init uint64, refIn, refOut bool, xorOut uint64, p []byte, at uint) {
		m := Model{Width: int(width-1)%64 + 1, RefIn: refIn, RefOut: refOut}
		bits := uint64(math.MaxUint64) >> (64 - m.Width)
		m.Poly, m.Init, m.XorOut = poly&bits, init&bits, xorOut&bits
		checkAnyCRC(t, New64(m), p, int(at%uint(len(p)+1)))
	})
}

func checkAnyCRC(t interface{ Fatalf(string, ...any) }, crc *Table64, p []byte, at int) {
	m, a, b := crc.Model(), p[:at], p[at:]
	want := define64(m, p)
	for _, k := range crc.kernels() {
		if got := crc.sumOfState64(k.run(k.run(crc.stateOfSum64(crc.Empty()), a), b)); got != want {
			t.Fatalf("%v, %s: %x, want %x", m, k.name, got, want)
		}
	}
	sumA, sumB := define64(m, a), define64(m, b)
	if got := crc.Combine(sumA, sumB, int64(len(b))); got != want {
		t.Fatalf("%v, Combine: %x, want %x", m, got, want)
	}
	if got := crc.Combiner(int64(len(b)))(sumA, sumB); got != want {
		t.Fatalf("%v, Combiner: %x, want %x", m, got, want)
	}
	if got := crc.Update(sumA|^crc.mask, b); got != want {
		t.Fatalf("%v, Update after a number of more bits: %x, want %x", m, got, want)
	}

	h := crc.Hash()
	h.Write(a)
	saved, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	clone, err := h.(hash.Cloner).Clone()
	if err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	restored := crc.Hash()
	if err := restored.(encoding.BinaryUnmarshaler).UnmarshalBinary(saved); err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	bytesOf := make([]byte, (m.Width+7)/8)
	for i := range bytesOf {
		bytesOf[len(bytesOf)-1-i] = byte(want >> (8 * i))
	}
	for name, h := range map[string]hash.Hash{"hash": h, "clone": clone, "restored hash": restored} {
		h.Write(b)
		if got := h.(hash.Hash64).Sum64(); got != want || h.Size() != len(bytesOf) || !bytes.Equal(h.Sum([]byte("x"))[1:], bytesOf) {
			t.Fatalf("%v, %s: %x in %x, want %x", m, name, got, h.Sum(nil), want)
		}
		if h.Reset(); h.(hash.Hash64).Sum64() != crc.Empty() {
			t.Fatalf("%v, %s: %x after Reset", m, name, h.Sum(nil))
		}
	}
}

// TestCombine64Lengths expects Combine to be associative, for lengths that are too large to
// process.
func TestCombine64Lengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		crc := New64(anyModel64().Draw(t, "model"))
		a := rapid.Uint64().Draw(t, "a") & crc.mask
		b := rapid.Uint64().Draw(t, "b") & crc.mask
		c := rapid.Uint64().Draw(t, "c") & crc.mask
		lenB := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "lenB")
		lenC := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "lenC")
		left := crc.Combine(crc.Combine(a, b, lenB), c, lenC)
		right := crc.Combine(a, crc.Combine(b, c, lenC), lenB+lenC)
		if left != right {
			t.Fatalf("(ab)c %x, a(bc) %x", left, right)
		}
	})
}

func TestAgainstHashCRC64(t *testing.T) {
	data := randomBytes(100_000)
	goISO := New64(mustModel("CRC-64/GO-ISO"))
	for _, tt := range []struct {
		crc *Table64
		std *crc64.Table
	}{{goISO, crc64.MakeTable(crc64.ISO)}, {XZ(), crc64.MakeTable(crc64.ECMA)}} {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 127, 128, 1000, 65_536, 100_000} {
			if got, want := tt.crc.Update(0xcafe, data[:n]), crc64.Update(0xcafe, tt.std, data[:n]); got != want {
				t.Errorf("%s, %d bytes: %x, want %x", tt.crc.Model().Name, n, got, want)
			}
		}
	}
}

// TestForeignStates64AreRefused expects an error if a hash continues a saved state of another model
// or of a Table.
func TestForeignStates64AreRefused(t *testing.T) {
	save := func(h hash.Hash) []byte {
		saved, err := h.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	arc, _ := ModelByName("CRC-16/ARC")
	saved := save(New64(arc).Hash())
	for name, change := range map[string]func(*Model){
		"width":  func(m *Model) { m.Width = 17 },
		"poly":   func(m *Model) { m.Poly ^= 2 },
		"init":   func(m *Model) { m.Init = 1 },
		"refin":  func(m *Model) { m.RefIn = false },
		"refout": func(m *Model) { m.RefOut = false },
		"xorout": func(m *Model) { m.XorOut = 1 },
	} {
		m := arc
		change(&m)
		err := New64(m).Hash().(encoding.BinaryUnmarshaler).UnmarshalBinary(saved)
		if err == nil || !strings.Contains(err.Error(), "saved by model") {
			t.Errorf("another %s: error %v", name, err)
		}
	}
	iso := mustModel("CRC-32/ISO-HDLC")
	for _, tt := range []struct {
		from, to hash.Hash
	}{
		{New(iso).Hash(), New64(iso).Hash()},
		{New64(iso).Hash(), New(iso).Hash()},
	} {
		if err := tt.to.(encoding.BinaryUnmarshaler).UnmarshalBinary(save(tt.from)); err == nil {
			t.Errorf("%T takes the state of a %T", tt.to, tt.from)
		}
	}
}

func TestZeroTable64(t *testing.T) {
	var crc Table64
	for name, f := range map[string]func(){
		"Checksum, short": func() { crc.Checksum([]byte("1")) },
		"Checksum, long":  func() { crc.Checksum(make([]byte, 100_000)) },
		"Slicing8":        func() { crc.Slicing8(0, []byte("1")) },
		"Hash":            func() { crc.Hash().Write([]byte("1")) },
		"Combine":         func() { crc.Combine(1, 2, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestModelString(t *testing.T) {
	const want = "CRC-32/ISO-HDLC(width=32 poly=0x04c11db7 init=0xffffffff refin=true refout=true xorout=0xffffffff check=0xcbf43926)"
	m := mustModel("CRC-32/ISO-HDLC")
	for _, got := range []string{m.String(), fmt.Sprint(m), fmt.Sprintf("%v", &m), fmt.Sprintf("%+v", m)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	m, _ = ModelByName("CRC-12/UMTS")
	if got, want := m.String(), "CRC-12/UMTS(width=12 poly=0x80f init=0x000 refin=false refout=true xorout=0x000 check=0xdaf)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := (Model{Width: 5, Poly: 5}).String(), "CRC-5(width=5 poly=0x05 init=0x00 refin=false refout=false xorout=0x00)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
