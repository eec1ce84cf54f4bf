package intern

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spaolacci/murmur3"
	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/internal/lookup2"
)

// sum returns the 32-bit hash of an unseeded function, which is in both halves of the 64-bit hash.
func sum(hash Hash, s string) uint32 { return uint32((&hasher{hash: hash}).sum(s)) }

func TestHashesEqualTheirLibraries(t *testing.T) {
	for n := range 300 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*i + n)
		}
		s := string(b)
		// The library's Sum32 function makes a pointer beyond the slice, which -race does not
		// allow.
		h := murmur3.New32()
		h.Write(b)
		if got, want := sum(Murmur3, s), h.Sum32(); got != want {
			t.Errorf("murmur3 of %d bytes = %08x, want %08x", n, got, want)
		}
		if got, want := (&hasher{hash: XXH3}).sum(s), xxh3.Hash(b); got != want {
			t.Errorf("xxh3 of %d bytes = %016x, want %016x", n, got, want)
		}
		if got, want := sum(Lookup2, s), lookup2.Sum32(b, 0); got != want {
			t.Errorf("lookup2 of %d bytes = %08x, want %08x", n, got, want)
		}
	}
}

// These values come from the reference implementation of MurmurHash3_x86_32 with seed 0.
func TestMurmur3Vectors(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "test": 0xba6bd213, "Hello, world!": 0xc0363e43} {
		if got := sum(Murmur3, s); got != want {
			t.Errorf("murmur3(%q) = %08x, want %08x", s, got, want)
		}
	}
}

func TestHashNames(t *testing.T) {
	for hash, want := range map[Hash]string{Seeded: "seeded", XXH3: "xxh3", Lookup2: "lookup2", Murmur3: "murmur3", 9: "Hash(9)"} {
		if got := fmt.Sprint(hash); got != want {
			t.Errorf("Hash(%d) prints as %q, want %q", uint8(hash), got, want)
		}
	}
}

// The hashes of a seed must never change, because saved blocks depend on them.
func TestSeededIsStable(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 10)
	s := newSeed(1)
	for n, want := range map[int]uint64{
		0:   0x279ade77d7a12153,
		1:   0xa958ff85be63e05e,
		2:   0xb9b22d1a354d28eb,
		3:   0xb76efd5b83cc80c7,
		4:   0x60d870a92a593ee9,
		7:   0xf73e4e3cfc121cd1,
		8:   0x22173019de0a0134,
		9:   0xf40b222fc7e29a0f,
		15:  0x06e680efd25b8462,
		16:  0x763ab06a6da960ba,
		17:  0x7339c57750176053,
		24:  0xa7e0e391abc92c05,
		31:  0xadae0eb41b74d962,
		32:  0x89a323f3dc7ad0f2,
		33:  0x8acbeeca15548290,
		48:  0xe32b58acd6f4fbe4,
		64:  0x7c4cf993277bb31d,
		100: 0xbf046c0ea8d48ead,
		160: 0xa12111d2d47da6c5,
	} {
		if got := s.sum(text[:n]); got != want {
			t.Errorf("%d: %#016x, want %#016x", n, got, want)
		}
	}
}

func TestSeedHasNoZero(t *testing.T) {
	for step := range uint64(5) {
		number := -step * 0x9e3779b97f4a7c15
		if s := newSeed(number); slices.Contains(s[:], 0) {
			t.Errorf("seed %#x is %#x", number, s)
		}
	}
}

// TestAvalanche expects that flipping one bit of a name flips each bit of the hash in half of all
// cases.
func TestAvalanche(t *testing.T) {
	const rounds = 500
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{3, 7, 16, 24, 48, 100} {
		worst := 0.0
		// Test all bits near both ends of the name, and some bits in the middle.
		for bit := 0; bit < 8*n; bit++ {
			if bit > 24 && bit < 8*n-72 {
				bit += 47
			}
			var flips [64]int
			for range rounds {
				b := make([]byte, n)
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				s := newSeed(r.Uint64())
				before := s.sum(string(b))
				b[bit/8] ^= 1 << (bit % 8)
				for diff := before ^ s.sum(string(b)); diff != 0; diff &= diff - 1 {
					flips[bits.TrailingZeros64(diff)]++
				}
			}
			for _, f := range flips {
				worst = max(worst, math.Abs(float64(f)/rounds-0.5))
			}
		}
		t.Logf("%d bytes: worst bias %.3f", n, worst)
		if worst > 0.15 { // This limit is 6.7 standard deviations.
			t.Errorf("%d bytes: a bit of the hash changes with a bias of %.3f", n, worst)
		}
	}
}

func TestSparseNamesHaveDistinctHashes(t *testing.T) {
	var names []string
	for n := 1; n <= 200; n++ {
		for _, c := range "\x00\x01a\xff" {
			names = append(names, strings.Repeat(string(byte(c)), n))
		}
		for bit := range 8 * min(n, 70) {
			b := make([]byte, n)
			b[bit/8] = 1 << (bit % 8)
			names = append(names, string(b))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	s, seen := newSeed(0), map[uint64]string{}
	for _, name := range names {
		h := s.sum(name)
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have the hash %#x", name, other, h)
		}
		seen[h] = name
	}
	if len(seen) < 60_000 {
		t.Errorf("%d names", len(seen))
	}
}

// TestFindAgreesWithSum checks the inline hash of names of some lengths in find against sum.
func TestFindAgreesWithSum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var names []string
	for n := 1; n <= 200; n++ {
		for range 3 {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			names = append(names, string(b))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	table, err := New(Config{Entries: 2 * len(names), Bytes: 2 * totalBytes(names)})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if _, err := table.insert(name, table.sum(name)); err != nil {
			t.Fatal(err)
		}
		if sym, err := table.Intern(name); int(sym) != i+1 || err != nil {
			t.Errorf("%d bytes: Intern = %d, %v, want %d", len(name), sym, err, i+1)
		}
		for j := range len(name) {
			other := []byte(name)
			other[j] ^= 1
			if sym, ok := table.LookupBytes(other); ok && table.String(sym) != string(other) {
				t.Errorf("%d bytes, byte %d differs, yet it was found", len(name), j)
			}
		}
	}
}

// This test uses names from an older table, which hashed with lookup2 and chose bins by the low 14
// bits. Two of the names have the same hash. The other names of the first bin share only the bin.
func TestPublishedTable(t *testing.T) {
	words := []struct {
		word string
		hash uint32
		bin  uint32
	}{
		{"hairbrush", 0x7f3ef2bb, 0x32bb},
		{"encomiums", 0xa758b2bb, 0x32bb},
		{"engrained", 0x32abb2bb, 0x32bb},
		{"Seavir", 0x32abb2bb, 0x32bb},
		{"phrenologically", 0x888fb2ba, 0x32ba},
		{"Alfreda", 0xee9432ba, 0x32ba},
		{"centillion", 0xb44232bc, 0x32bc},
		{"cyclometer", 0xc5a172bc, 0x32bc},
	}
	table, err := New(Config{Entries: 1 << 13, Bytes: 1 << 16, Hash: Lookup2})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range words {
		if got := sum(Lookup2, w.word); got != w.hash || got&(1<<14-1) != w.bin {
			t.Errorf("%s: hash %08x, bin %04x, want %08x, %04x", w.word, got, got&(1<<14-1), w.hash, w.bin)
		}
		if sym, err := table.Intern(w.word); err != nil || sym != Symbol(i+1) {
			t.Errorf("Intern(%q) = %d, %v, want %d", w.word, sym, err, i+1)
		}
	}
	frozen := freeze(t, table)
	for i, w := range words {
		for _, r := range []*Table{table, frozen} {
			if sym, ok := r.Lookup(w.word); !ok || sym != Symbol(i+1) {
				t.Errorf("Lookup(%q) = %d, %v, want %d", w.word, sym, ok, i+1)
			}
		}
	}
	for _, absent := range []string{"seavir", "Engrained", "alfreda"} {
		for _, r := range []*Table{table, frozen} {
			if sym, ok := r.Lookup(absent); ok {
				t.Errorf("Lookup(%q) = %d", absent, sym)
			}
		}
	}
}

// bytes returns word i of the seed, in the byte order of names.
func (s seed) bytes(i int) string { return string(binary.LittleEndian.AppendUint64(nil, s[i])) }

// hostile returns n names of 16 bytes that have the same hash with the given seed. Their first word
// equals a word of the seed, so one factor of the product is 0.
func hostile(number uint64, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = newSeed(number).bytes(0) + fmt.Sprintf("%08x", i)
	}
	return names
}

// TestHostileNamesDoNotCollide adds names that collide with one fixed seed after another. Freeze
// must use the next seed, and finally a random one. A table that is not frozen always has a random
// seed.
func TestHostileNamesDoNotCollide(t *testing.T) {
	var names []string
	for number := range uint64(fixedTries) {
		more := hostile(number, longest*groupLen+1)
		if s := newSeed(number); s.sum(more[0]) != s.sum(more[1]) {
			t.Fatalf("seed %d: the names do not collide", number)
		}
		names = append(names, more...)
		table := tableOf(t, names, Seeded)
		if row := table.longestRow(); row > 4 {
			t.Errorf("a row of %d full groups in a table", row)
		}
		f := freeze(t, table)
		if number+1 < fixedTries && f.number != number+1 || number+1 == fixedTries && f.number < fixedTries {
			t.Errorf("frozen by seed %d, with the names for 0 to %d", f.number, number)
		}
		symbols := map[string]Symbol{}
		for i, s := range names {
			symbols[s] = Symbol(i + 1)
		}
		checkLookups(t, f, symbols, names)
		block, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		opened, err := Open(block)
		if err != nil {
			t.Fatal(err)
		}
		checkLookups(t, opened, symbols, names)
	}
	table := tableOf(t, names, Seeded)
	if _, err := table.freeze(func(int) uint64 { return 3 }); err != errCollide {
		t.Errorf("frozen by seed 3: %v, want %v", err, errCollide)
	}
}
