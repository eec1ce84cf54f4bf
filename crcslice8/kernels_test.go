package crcslice8

import (
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/internal/guard"
)

// A kernel computes the state after some bytes, given the state before these bytes.
type kernel[R register] struct {
	name string
	run  func(state R, p []byte) R
}

// kernels returns all kernels for any length, even kernels that are not chosen. The last one is the
// kernel that t chooses.
func (t *Table) kernels() []kernel[uint32] {
	ks := []kernel[uint32]{
		{"bytewise", t.bytewise},
		{"slicing-8", t.slicing8},
		{"slicing-16", t.slicing16},
	}
	if m := t.multipleFor(searchFrom); m != nil {
		ks = append(ks, kernel[uint32]{"sparse", func(s uint32, p []byte) uint32 { return t.foldSparse(m, s, p) }})
	}
	ks = append(ks, archKernels(&t.engine)...)
	return append(ks, kernel[uint32]{"Update", func(s uint32, p []byte) uint32 { return t.stateOfSum(t.Update(t.sumOfState(s), p)) }})
}

func (t *Table64) kernels() []kernel[uint64] {
	ks := []kernel[uint64]{{"bytewise", t.bytewise}, {"slicing-8", t.slicing8}}
	ks = append(ks, archKernels(&t.engine)...)
	return append(ks, kernel[uint64]{"Update", func(s uint64, p []byte) uint64 { return t.stateOfSum64(t.Update(t.sumOfState64(s), p)) }})
}

// lengths returns all lengths up to 1200, and lengths around which the kernels change.
func (t *Table) lengths() []int {
	var ns []int
	for n := range 1201 {
		ns = append(ns, n)
	}
	around := func(n int) {
		for _, d := range []int{-chunk - 1, -chunk, -1, 0, 1, chunk - 1, chunk, chunk + 1} {
			ns = append(ns, n+d)
		}
	}
	if m := t.multipleFor(searchFrom); m != nil {
		around(m.degree + chunk)
		around(m.foldedLength() + chunk)
		around(m.fastestFrom())
		around(m.foldedLength() + blockSize)
		around(m.foldedLength() + 3*blockSize)
	}
	around(searchFrom)
	return append(ns, archLengths()...)
}

func TestCheckValues(t *testing.T) {
	check := []byte("123456789")
	for _, m := range models32() {
		if got := define(m, check); uint64(got) != m.Check {
			t.Errorf("%s by definition: %08x, want %08x", m.Name, got, m.Check)
		}
		crc := New(m)
		if got := crc.Checksum(check); uint64(got) != m.Check {
			t.Errorf("%s: %08x, want %08x", m.Name, got, m.Check)
		}
		if got := crc.Slicing8(crc.Empty(), check); uint64(got) != m.Check {
			t.Errorf("%s, Slicing8: %08x, want %08x", m.Name, got, m.Check)
		}
		if got := crc.Slicing16(crc.Empty(), check); uint64(got) != m.Check {
			t.Errorf("%s, Slicing16: %08x, want %08x", m.Name, got, m.Check)
		}
		if crc.Model() != m {
			t.Errorf("Model of %s is %s", m.Name, crc.Model().Name)
		}
	}
	for _, tt := range []struct {
		table *Table
		want  Model
	}{
		{IEEE(), mustModel("CRC-32/ISO-HDLC")}, {Castagnoli(), mustModel("CRC-32/ISCSI")}, {Koopman(), mustModel("CRC-32/KOOPMAN")}, {BZIP2(), mustModel("CRC-32/BZIP2")},
	} {
		if tt.table.Model() != tt.want {
			t.Errorf("shared table of %s has model %s", tt.want.Name, tt.table.Model().Name)
		}
	}
}

func TestUnrealMemCrc(t *testing.T) {
	if got := UnrealMemCrc([]byte("123456789"), 0); got != 0xfc891918 {
		t.Errorf("%08x, want fc891918", got)
	}
	if got := UnrealMemCrc([]byte("6789"), UnrealMemCrc([]byte("12345"), 0)); got != 0xfc891918 {
		t.Errorf("in two parts: %08x, want fc891918", got)
	}
	if got := UnrealMemCrc(nil, 0x12345678); got != 0x12345678 {
		t.Errorf("no bytes change the sum to %08x", got)
	}
}

// TestKernelsAgainstDefinition compares all kernels with the definition. The next test compares
// them with each other at more lengths.
func TestKernelsAgainstDefinition(t *testing.T) {
	data := randomBytes(3000)
	for _, m := range allModels() {
		crc := New(m)
		for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 100, 3000} {
			want := define(m, data[:n])
			for _, k := range crc.kernels() {
				if got := crc.sumOfState(k.run(crc.stateOfSum(crc.Empty()), data[:n])); got != want {
					t.Errorf("%s, %s, %d bytes: %08x, want %08x", m.Name, k.name, n, got, want)
				}
			}
		}
	}
}

func TestKernelsAtEveryLength(t *testing.T) {
	data := randomBytes(searchFrom + 2*chunk)
	for _, m := range allModels() {
		crc := New(m)
		ks, state := crc.kernels(), uint32(m.Poly)*0x9e3779b1+1
		for _, n := range crc.lengths() {
			p := data[len(data)-n:]
			want := ks[0].run(state, p)
			for _, k := range ks[1:] {
				if got := k.run(state, p); got != want {
					t.Fatalf("%s, %s, %d bytes from state %08x: %08x, want %08x", m.Name, k.name, n, state, got, want)
				}
			}
			state = want
		}
	}
}

func TestKernelsAtEveryAlignment(t *testing.T) {
	data := randomBytes(8192)
	for _, m := range []Model{mustModel("CRC-32/ISO-HDLC"), mustModel("CRC-32/BZIP2"), mustModel("CRC-32/KOOPMAN"), mustModel("CRC-32/ISCSI")} {
		crc := New(m)
		for offset := range 64 {
			for _, n := range []int{5, 64, 1000, 8000} {
				p := data[offset : offset+n]
				want := crc.bytewise(0x13579bdf, p)
				for _, k := range crc.kernels() {
					if got := k.run(0x13579bdf, p); got != want {
						t.Fatalf("%s, %s, %d bytes at %d: %08x, want %08x", m.Name, k.name, n, offset, got, want)
					}
				}
			}
		}
	}
}

// TestKernelsStayInside expects kernels not to read outside of the input, and not to write to the
// input.
func TestKernelsStayInside(t *testing.T) {
	buf := guard.New(t, 4096)
	// Of the listed polynomials, Koopman's has the shortest length for folding.
	mef := mustModel("CRC-32/MEF")
	mef.RefIn, mef.RefOut = false, false
	ks := append(Koopman().kernels(), New(mef).kernels()...)
	ks64 := append(NVME().kernels(), New64(mustModel("CRC-64/WE")).kernels()...)
	copy(buf.Start(buf.Len()), randomBytes(buf.Len()))
	buf.ReadOnly(func() {
		for n := range 4097 {
			for _, p := range [][]byte{buf.Start(n), buf.End(n)} {
				for _, k := range ks {
					if err := buf.Catch(func() { k.run(0, p) }); err != nil {
						t.Fatalf("%s, %d bytes: %v", k.name, n, err)
					}
				}
				for _, k := range ks64 {
					if err := buf.Catch(func() { k.run(0, p) }); err != nil {
						t.Fatalf("%s, 64 bits, %d bytes: %v", k.name, n, err)
					}
				}
			}
		}
	})
}

func TestAgainstStandardLibrary(t *testing.T) {
	data := randomBytes(100_000)
	for _, tt := range []struct {
		crc  *Table
		poly uint32
	}{
		{IEEE(), crc32.IEEE}, {Castagnoli(), crc32.Castagnoli}, {Koopman(), crc32.Koopman},
	} {
		std := crc32.MakeTable(tt.poly)
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 31, 63, 64, 65, 255, 1000, 1023, 1024, 1025, 2000, 4096, 10_000, 65_536, 100_000} {
			if got, want := tt.crc.Checksum(data[:n]), crc32.Checksum(data[:n], std); got != want {
				t.Errorf("%s, %d bytes: %08x, want %08x", tt.crc.Model().Name, n, got, want)
			}
			if got, want := tt.crc.Update(0xcafe, data[:n]), crc32.Update(0xcafe, std, data[:n]); got != want {
				t.Errorf("%s, %d bytes after others: %08x, want %08x", tt.crc.Model().Name, n, got, want)
			}
		}
	}
}

// TestKernelByLength expects each portable kernel to be chosen from its minimum length on, unless
// there is an assembly kernel.
func TestKernelByLength(t *testing.T) {
	for _, m := range models32() {
		crc := New(m)
		from := knownMultiple(uint32(m.Poly)).fastestFrom()
		for _, tt := range []struct {
			n    int
			want string
		}{
			{0, "slicing-4"}, {7, "slicing-4"}, {8, "slicing-8"}, {15, "slicing-8"}, {16, "slicing-16"},
			{from - 1, "slicing-16"}, {from, "sparse"}, {from + 1, "sparse"}, {1 << 30, "sparse"},
		} {
			want := tt.want
			if name := archKernel(&crc.arch, tt.n); name != "" {
				want = name
			}
			if got := crc.Kernel(tt.n); got != want {
				t.Errorf("%s, %d bytes: %s, want %s", m.Name, tt.n, got, want)
			}
		}
	}
}

// TestConcurrentFirstLongInputs computes checksums of the first long inputs of one table in several
// goroutines.
func TestConcurrentFirstLongInputs(t *testing.T) {
	m := unlisted()
	crc := New(m)
	if crc.multiple.Load() != nil {
		t.Fatal("the polynomial is listed, so there is no search")
	}
	data := randomBytes(searchFrom)
	want := crc.slicing8(1, data)
	var wg sync.WaitGroup
	got := make([]uint32, 8)
	for i := range got {
		wg.Go(func() {
			if crc.multipleFor(len(data)) == nil {
				t.Errorf("goroutine %d: nothing found", i)
			}
			got[i] = crc.stateOfSum(crc.Update(crc.sumOfState(1), data))
		})
	}
	wg.Wait()
	if !slices.Equal(got, slices.Repeat([]uint32{want}, len(got))) {
		t.Errorf("%08x, want %08x each", got, want)
	}
}

func FuzzKernels(f *testing.F) {
	long := randomBytes(3 * maxDegree)
	for _, m := range allModels() {
		f.Add(uint32(m.Poly), m.RefIn, uint32(m.Init), []byte("123456789"))
		f.Add(uint32(m.Poly), m.RefIn, uint32(m.Init), long)
	}
	f.Fuzz(func(t *testing.T, poly uint32, reflected bool, state uint32, p []byte) {
		m := model32(fmt.Sprintf("%08x reflected %t", poly, reflected), poly, state, reflected, 0)
		crc := New(m)
		want := define(m, p)
		for _, k := range crc.kernels() {
			if got := crc.sumOfState(k.run(crc.stateOfSum(crc.Empty()), p)); got != want {
				t.Errorf("%s, %s, %d bytes: %08x, want %08x", m.Name, k.name, len(p), got, want)
			}
		}
	})
}
