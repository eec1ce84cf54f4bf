package hashing

import (
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRegistry(t *testing.T) {
	names := Names()
	if names[0] != Default {
		t.Errorf("first name is %q, want %q", names[0], Default)
	}
	for _, want := range []string{"xxh3", "xxh64", "crc32", "crc32c", "murmur3"} {
		if !slices.Contains(names, want) {
			t.Errorf("no function %q", want)
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		f, ok := Lookup(name)
		if !ok || f.Name != name {
			t.Errorf("Lookup(%q) = %q, %v", name, f.Name, ok)
		}
		if seen[name] {
			t.Errorf("two functions are called %q", name)
		}
		seen[name] = true
		if f.Size < 1 || f.Size > 16 || f.Source == "" {
			t.Errorf("%s: size %d, source %q", name, f.Size, f.Source)
		}
		if got := f.Sum([]byte("123456789")); got != f.Check {
			t.Errorf("%s: check value %v, want %v", name, got, f.Check)
		}
		if got, want := f.Hex(f.Check), f.Check.String(); len(got) != 2*f.Size || !strings.HasSuffix(want, got) {
			t.Errorf("%s: hex %s of %s", name, got, want)
		}
		if used := strings.Trim(f.Check.String()[:32-2*f.Size], "0"); used != "" {
			t.Errorf("%s: check value %v is wider than %d bytes", name, f.Check, f.Size)
		}
	}
	for _, name := range []string{"", "XXH3", "md5", "xxh3 "} {
		if f, ok := Lookup(name); ok {
			t.Errorf("Lookup(%q) = %q", name, f.Name)
		}
	}
}

func TestRegistryIsImmutable(t *testing.T) {
	Names()[0] = "changed"
	f, _ := Lookup(Default)
	f.Sum = nil
	if g, ok := Lookup(Names()[0]); !ok || g.Sum == nil {
		t.Error("a caller changed the registry")
	}
}

// TestTable keeps the table of the package comment complete and its widths true.
func TestTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(file.Doc.Text()) {
		if cells := strings.Fields(line); len(cells) > 2 && strings.HasPrefix(line, "\t") {
			rows[cells[0]] = cells[1]
		}
	}
	for _, f := range registry {
		if want := fmt.Sprint(8 * f.Size); rows[f.Name] != want {
			t.Errorf("the table gives %s %q bits, want %s", f.Name, rows[f.Name], want)
		}
	}
}

// borders are lengths at which some function changes its way: blocks, stripes,
// vector units, buffers.
var borders = []int{0, 1, 3, 4, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 240, 241,
	255, 256, 257, 511, 512, 1023, 1024, 1025, 1087, 1088, 1089, 1151, 1152, 1153, 2047, 2048, 2049, 2111, 2112, 2113,
	3072, 4095, 4096, 4097, 4160, 5120, 8192, 8193, 9216, 16384, 16385}

// TestStreamingAtBorders writes every two pieces whose lengths are borders.
func TestStreamingAtBorders(t *testing.T) {
	data := make([]byte, 2*borders[len(borders)-1]+1)
	fill(data, rand.NewPCG(3, 4))
	for _, f := range registry {
		h := f.New()
		for _, first := range borders {
			for _, second := range borders {
				b := data[1 : 1+first+second]
				h.Reset()
				h.Write(b[:first])
				h.Write(b[first:])
				if got, want := h.Sum128(), f.Sum(b); got != want {
					t.Fatalf("%s of %d+%d bytes: %v, one shot %v", f.Name, first, second, got, want)
				}
			}
		}
	}
}

// TestStreamingLaw: however the input is cut, and whether or not the sum is
// asked for in between, the sum is that of the whole; and Reset forgets.
func TestStreamingLaw(t *testing.T) {
	for _, f := range registry {
		t.Run(f.Name, rapid.MakeCheck(func(t *rapid.T) {
			sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 80), rapid.SampledFrom(borders)), 0, 12).Draw(t, "sizes")
			offset := rapid.IntRange(0, 15).Draw(t, "offset")
			total := 0
			for _, n := range sizes {
				total += n
			}
			b := make([]byte, offset+total)
			fill(b, rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			b = b[offset:]

			h := f.New()
			if rapid.Bool().Draw(t, "used before") {
				h.Write(b[:total/2])
				h.Reset()
			}
			at := 0
			for _, n := range sizes {
				if k, err := h.Write(b[at : at+n]); k != n || err != nil {
					t.Fatalf("Write of %d bytes: %d, %v", n, k, err)
				}
				at += n
				if got, want := h.Sum128(), f.Sum(b[:at]); got != want {
					t.Fatalf("after %d of %v: %v, one shot %v", at, sizes, got, want)
				}
			}
			if first, second := h.Sum128(), h.Sum128(); first != second {
				t.Fatalf("asked twice: %v, %v", first, second)
			}
			h.Reset()
			if got, want := h.Sum128(), f.Sum(nil); got != want {
				t.Fatalf("after Reset: %v, want %v", got, want)
			}
		}))
	}
}

// TestWriteKeepsNothing changes the slice after Write.
func TestWriteKeepsNothing(t *testing.T) {
	for _, f := range registry {
		for _, n := range borders {
			b := make([]byte, n)
			fill(b, rand.NewPCG(5, 6))
			want := f.Sum(b)
			h := f.New()
			h.Write(b)
			clear(b)
			if got := h.Sum128(); got != want {
				t.Fatalf("%s of %d bytes: %v, want %v", f.Name, n, got, want)
			}
		}
	}
}

func BenchmarkSum(b *testing.B) {
	for _, f := range registry {
		for _, size := range []int{16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", f.Name, size), func(b *testing.B) {
				data := make([]byte, size)
				fill(data, rand.NewPCG(7, 8))
				b.SetBytes(int64(size))
				for b.Loop() {
					f.Sum(data)
				}
			})
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	for _, size := range []int{16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			data := make([]byte, size)
			fill(data, rand.NewPCG(7, 8))
			b.SetBytes(int64(size))
			for b.Loop() {
				DigestOf(data)
			}
		})
	}
}
