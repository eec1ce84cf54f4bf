package hashing

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/internal/hashtest"
)

func TestRegistry(t *testing.T) {
	names := Names()
	if names[0] != Default {
		t.Errorf("first name is %q, want %q", names[0], Default)
	}
	all := strings.Fields("crc32 crc32c crc32k crc32-bzip2 unreal-memcrc slice8 crc64 crc64nvme adler32 fnv1a32 fnv1a64 " +
		"murmur3-32 murmur3-128 rapidhash lookup2 xxh32 xxh64 xxh3 xxh128 blake3 sha256 sha512 sha1 md5 maphash")
	slices.Sort(all)
	if got := slices.Sorted(slices.Values(names)); !slices.Equal(got, all) {
		t.Errorf("names are %q, want %q", got, all)
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
		if f.Source == "" || f.Identity != (f.Size >= 32) {
			t.Errorf("%s: source %q, identity %v", name, f.Source, f.Identity)
		}
		sum := f.Sum([]byte("123456789"))
		if sum.Len() != f.Size || len(sum.Bytes()) != f.Size {
			t.Errorf("%s: %d bytes, want %d", name, sum.Len(), f.Size)
		}
		if sum.String() != f.Check && (f.Check != "" || name != "maphash") {
			t.Errorf("%s: check value %v, want %s", name, sum, f.Check)
		}
		if f.Size <= 16 && f.Sum128([]byte("123456789")) != sum.Sum128() {
			t.Errorf("%s: Sum128 %v, Sum %v", name, f.Sum128([]byte("123456789")), sum)
		}
	}
	for _, name := range []string{"", "XXH3", "md4", "xxh3 "} {
		if f, ok := Lookup(name); ok {
			t.Errorf("Lookup(%q) = %q", name, f.Name)
		}
	}
}

func TestRegistryIsImmutable(t *testing.T) {
	Names()[0] = "changed"
	f, _ := Lookup(Default)
	f.Size, f.sum = 0, nil
	if g, ok := Lookup(Names()[0]); !ok || g.Size != 16 || g.Sum(nil).Len() != 16 {
		t.Error("a caller changed the registry")
	}
}

func TestWideSumsPanicAsNumbers(t *testing.T) {
	f, _ := Lookup("sha256")
	for name, misuse := range map[string]func(){
		"Func.Sum128": func() { f.Sum128(nil) },
		"Sum.Sum128":  func() { f.Sum(nil).Sum128() },
		"NewSummer":   func() { NewSummer(f) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			misuse()
		}()
	}
}

// TestDocumentedTableIsRight expects the table in the package comment to be complete, with correct
// bits and classes.
func TestDocumentedTableIsRight(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var rows, want []string
	for line := range strings.Lines(file.Doc.Text()) {
		cells := strings.Fields(line)
		if strings.HasPrefix(line, "\t") && len(cells) > 4 && cells[0] != "name" {
			rows = append(rows, fmt.Sprint(cells[0], cells[1], cells[3]))
		}
	}
	for _, f := range registry {
		class := "accident"
		if f.Identity {
			class = "identity"
		}
		want = append(want, fmt.Sprint(f.Name, strconv.Itoa(8*f.Size), class))
	}
	slices.Sort(rows)
	slices.Sort(want)
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("registry (-) and table (+):\n%s", diff)
	}
}

func BenchmarkSum(b *testing.B) {
	for _, f := range registry {
		for _, size := range []int{16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", f.Name, size), func(b *testing.B) {
				data := hashtest.Bytes(size)
				b.SetBytes(int64(size))
				for b.Loop() {
					f.Sum(data)
				}
			})
		}
	}
}

func BenchmarkSum128(b *testing.B) {
	data := hashtest.Bytes(16)
	for _, f := range registry {
		if f.Size > 16 {
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				f.Sum128(data)
			}
		})
	}
}

func BenchmarkDigest(b *testing.B) {
	for _, size := range []int{16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			data := hashtest.Bytes(size)
			b.SetBytes(int64(size))
			for b.Loop() {
				DigestOf(data)
			}
		})
	}
}

// TestSum64IsTheLastBytes expects the low 64 bits to be the last 8 bytes of a checksum.
func TestSum64IsTheLastBytes(t *testing.T) {
	for _, f := range registry {
		if f.Check == "" || f.Size < 8 {
			continue
		}
		want, err := strconv.ParseUint(f.Check[len(f.Check)-16:], 16, 64)
		if got := f.Sum64([]byte("123456789")); err != nil || got != want {
			t.Errorf("%s: %016x, want %016x, %v", f.Name, got, want, err)
		}
	}
}

// TestAnyCRCSumsFiles computes checksums of files with CRCs of any model and width.
func TestAnyCRCSumsFiles(t *testing.T) {
	name, b := filepath.Join(t.TempDir(), "large"), someBytes(3*blockSize+7)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model  string
		digits int
	}{{"CRC-64/WE", 16}, {"CRC-40/GSM", 10}, {"CRC-16/MODBUS", 4}, {"CRC-12/UMTS", 4}, {"CRC-8/SMBUS", 2}} {
		model, _ := crcslice8.ModelByName(tt.model)
		table := crcslice8.New64(model)
		f := CRC64(table)
		sum, size, err := SumFile(t.Context(), f, name)
		want := fmt.Sprintf("%0*x", tt.digits, table.Slicing8(table.Empty(), b))
		if err != nil || size != int64(len(b)) || sum.String() != want || !f.Parallel() {
			t.Errorf("%s: %v, %d bytes, %v; want %s", tt.model, sum, size, err, want)
		}
		h := f.New()
		h.Write(b)
		if got := sumOf(h.Sum(nil)); got != sum || got != f.Sum(b) {
			t.Errorf("%s: as a stream %v, at once %v, want %v", tt.model, got, f.Sum(b), sum)
		}
		if got := f.Sum([]byte("123456789")).String(); got != f.Check || f.Name != tt.model {
			t.Errorf("%s of the check input: %s, want %s", f.Name, got, f.Check)
		}
	}
}
