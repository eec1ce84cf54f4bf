package intern

import (
	"fmt"
	"testing"

	"github.com/spaolacci/murmur3"
	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/internal/lookup2"
)

func TestHashesAgainstTheirLibraries(t *testing.T) {
	for n := range 300 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*i + n)
		}
		s := string(b)
		// Its one-shot form makes a pointer behind the slice, which -race refuses.
		h := murmur3.New32()
		h.Write(b)
		if got, want := Murmur3.Sum32(s), h.Sum32(); got != want {
			t.Errorf("murmur3 of %d bytes = %08x, want %08x", n, got, want)
		}
		if got, want := XXH3.Sum32(s), uint32(xxh3.Hash(b)); got != want {
			t.Errorf("xxh3 of %d bytes = %08x, want %08x", n, got, want)
		}
		if got, want := Lookup2.Sum32(s), lookup2.Sum32(b, 0); got != want {
			t.Errorf("lookup2 of %d bytes = %08x, want %08x", n, got, want)
		}
	}
}

// Values of the reference implementation of MurmurHash3_x86_32 with seed 0.
func TestMurmur3Vectors(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "test": 0xba6bd213, "Hello, world!": 0xc0363e43} {
		if got := Murmur3.Sum32(s); got != want {
			t.Errorf("murmur3(%q) = %08x, want %08x", s, got, want)
		}
	}
}

func TestHashNames(t *testing.T) {
	for hash, want := range map[Hash]string{XXH3: "xxh3", Lookup2: "lookup2", Murmur3: "murmur3", 9: "Hash(9)"} {
		if got := fmt.Sprint(hash); got != want {
			t.Errorf("Hash(%d) prints as %q, want %q", uint8(hash), got, want)
		}
	}
}

func TestUnknownHashPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Hash(9).Sum32("x")
}

// The table that this package grew from hashed with lookup2 and put names into
// bins by the low 14 bits. Two of its names have one and the same hash; the
// others of the first bin share only the bin.
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
	if bins := len(table.slots); bins != 1<<14 {
		t.Fatalf("%d slots, want those of 14 bits", bins)
	}
	for i, w := range words {
		if got := Lookup2.Sum32(w.word); got != w.hash || got&(1<<14-1) != w.bin {
			t.Errorf("%s: hash %08x, bin %04x, want %08x, %04x", w.word, got, got&(1<<14-1), w.hash, w.bin)
		}
		if sym, err := table.Intern(w.word); err != nil || sym != Symbol(i+1) {
			t.Errorf("Intern(%q) = %d, %v, want %d", w.word, sym, err, i+1)
		}
	}
	// Eight names in three neighboring bins fill a row of slots, and each
	// slot holds the hash of one of them.
	stored := map[uint32]int{}
	for bin := uint32(0x32ba); bin < 0x32ba+8; bin++ {
		stored[uint32(table.slots[bin].Load()>>32)]++
	}
	frozen := table.Freeze()
	for i, w := range words {
		if stored[w.hash] == 0 {
			t.Errorf("%s: its hash %08x is in none of the slots", w.word, w.hash)
		}
		if sym, ok := table.Lookup(w.word); !ok || sym != Symbol(i+1) {
			t.Errorf("Lookup(%q) = %d, %v, want %d", w.word, sym, ok, i+1)
		}
		if sym, ok := frozen.Lookup(w.word); !ok || sym != Symbol(i+1) {
			t.Errorf("frozen: Lookup(%q) = %d, %v, want %d", w.word, sym, ok, i+1)
		}
	}
	if stored[0x32abb2bb] != 2 {
		t.Errorf("hash 32abb2bb stands in %d slots, want 2", stored[0x32abb2bb])
	}
	if len(frozen.spills) == 0 {
		t.Error("two names of one hash, yet the frozen table has spilled none")
	}
	for _, absent := range []string{"seavir", "Engrained", "alfreda"} {
		if sym, ok := table.Lookup(absent); ok {
			t.Errorf("Lookup(%q) = %d", absent, sym)
		}
		if sym, ok := frozen.Lookup(absent); ok {
			t.Errorf("frozen: Lookup(%q) = %d", absent, sym)
		}
	}
}
