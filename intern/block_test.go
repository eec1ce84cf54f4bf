package intern

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	_ encoding.BinaryMarshaler = (*Table)(nil)
	_ encoding.BinaryAppender  = (*Table)(nil)
	_ encoding.BinaryMarshaler = (*Frozen)(nil)
	_ encoding.BinaryAppender  = (*Frozen)(nil)
)

// Names of every size of table and every hash are all found again, by name and
// by number, and others are not.
func TestFreezeAndOpen(t *testing.T) {
	words, _ := corpus(t, 30_000)
	for hash := range hashes {
		for _, n := range []int{0, 1, 2, 3, 5, 8, 100, 1000, 20_000} {
			table, err := New(Config{Entries: n + 1, Bytes: totalBytes(words[:n]) + 1, Hash: hash})
			if err != nil {
				t.Fatal(err)
			}
			symbols := map[string]Symbol{"": 0}
			for _, s := range words[:n] {
				if symbols[s], err = table.Intern(s); err != nil {
					t.Fatal(err)
				}
			}
			block, err := table.AppendBinary([]byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			f, err := Open(block[1:]) // at an odd address
			if err != nil {
				t.Fatalf("%v, %d names: %v", hash, n, err)
			}
			if again, err := f.MarshalBinary(); err != nil || !bytes.Equal(again, block[1:]) {
				t.Fatalf("%v, %d names: the block is not kept, %v", hash, n, err)
			}
			if f.Hash() != hash {
				t.Errorf("Hash = %v, want %v", f.Hash(), hash)
			}
			checkNames(t, f, symbols, append([]string{""}, words[:n]...))
			checkLookups(t, f, symbols, words)
			if spilled := len(f.spills) / spillLen; spilled > n/1000 {
				t.Errorf("%v: %d of %d names are spilled", hash, spilled, n)
			}
		}
	}
}

// Names whose hashes are all equal, as an opponent can make them, are found by
// bisection.
func TestEqualHashes(t *testing.T) {
	names := equalHashes(t, 64)
	table := tableOf(t, names, Murmur3)
	f := table.Freeze()
	if got := len(f.spills) / spillLen; got != len(names) {
		t.Errorf("%d of %d names are spilled", got, len(names))
	}
	symbols := map[string]Symbol{"": 0}
	for i, s := range names {
		symbols[s] = Symbol(i + 1)
	}
	list := append(equalHashes(t, 128), "absent", "")
	checkLookups(t, table, symbols, list)
	checkLookups(t, f, symbols, list)
	opened, err := Open(f.block)
	if err != nil {
		t.Fatal(err)
	}
	checkLookups(t, opened, symbols, list)
}

// equalHashes returns n names of 8 bytes with one murmur3: each step of that
// hash can be undone, so for any first word there is a second one.
func equalHashes(t *testing.T, n int) []string {
	const c1, c2 = uint32(0xcc9e2d51), uint32(0x1b873593)
	inverse := func(x uint32) uint32 { // modulo 2^32, by Newton's iteration
		y := x
		for range 5 {
			y *= 2 - x*y
		}
		return y
	}
	rotl := func(x uint32, k int) uint32 { return x<<k | x>>(32-k) }
	scramble := func(w uint32) uint32 { return rotl(w*c1, 15) * c2 }
	step := func(h, w uint32) uint32 { return rotl(h^scramble(w), 13)*5 + 0xe6546b64 }
	unscramble := func(k uint32) uint32 { return rotl(k*inverse(c2), 17) * inverse(c1) }
	last := uint32(0x12345678) // the state that all of them are to end in
	names := make([]string, n)
	for i := range names {
		first := uint32(i)*2654435761 + 1
		want := rotl((last-0xe6546b64)*inverse(5), 19)
		second := unscramble(want ^ step(0, first))
		names[i] = string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, first), second))
		if Murmur3.Sum32(names[i]) != Murmur3.Sum32(names[0]) {
			t.Fatalf("murmur3(%x) = %08x, want %08x", names[i], Murmur3.Sum32(names[i]), Murmur3.Sum32(names[0]))
		}
	}
	return names
}

// The first version's bytes are for ever.
func TestBlockIsStable(t *testing.T) {
	f := tableOf(t, []string{"ab", "c"}, Lookup2).Freeze()
	want := "intern\n\x01" + "\x39\xb3\x13\x73\xd0\x2a\x1c\x11" +
		"\x01\x00\x00\x00" + "\x03\x00\x00\x00" + "\x03\x00\x00\x00" + "\x00\x00\x00\x00" + "\x01\x00\x00\x00" + "\x1b\x00\x00\x00" +
		"\x00\x00\x00\x00" + "\x08\x00\x00\x00" + "\x12\x00\x00\x00" + // places
		"\x12\x00\x00\x00" + "\x08\x00\x00\x00" + "\x00\x00\x00\x00" + // slots
		"\x01" + // pilot
		"\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x00\x00\x00\x02\x00\x00\x00ab" +
		"\x02\x00\x00\x00\x01\x00\x00\x00c"
	if diff := cmp.Diff([]byte(want), f.block); diff != "" {
		t.Error(diff)
	}
}

func TestOpenErrors(t *testing.T) {
	good := tableOf(t, []string{"ab", "c", "defg"}, XXH3).Freeze()
	// Two buckets: "engrained" and "Seavir" are spilled.
	twins := tableOf(t, []string{"engrained", "Seavir", "other"}, Lookup2).Freeze()
	number := func(b []byte, i int, v uint32) { binary.LittleEndian.PutUint32(b[4*i:], v) }
	for _, c := range []struct {
		name   string
		from   *Frozen
		damage func(f *Frozen) []byte
		sealed bool // with the right checksum
		want   string
	}{
		{"nothing", good, func(f *Frozen) []byte { return nil }, false, "no mark"},
		{"another file", good, func(f *Frozen) []byte { return []byte("PNG.............................") }, false, "no mark"},
		{"only the mark", good, func(f *Frozen) []byte { return f.block[:9] }, false, "cut off after 9 bytes"},
		{"no version", good, func(f *Frozen) []byte { return f.block[:7] }, false, "cut off after 7 bytes"},
		{"version", good, func(f *Frozen) []byte { f.block[7] = 2; return f.block }, false, "version 2, this program reads 1"},
		{"torn", good, func(f *Frozen) []byte { return f.block[:len(f.block)-1] }, false, "its header says"},
		{"longer", good, func(f *Frozen) []byte { return append(f.block, 0) }, false, "its header says"},
		{"huge header", good, func(f *Frozen) []byte { copy(f.block[20:40], strings.Repeat("\xff", 20)); return f.block }, true, "its header says"},
		{"bit", good, func(f *Frozen) []byte { f.arena[9] ^= 1; return f.block }, false, "checksum differs"},
		{"sum", good, func(f *Frozen) []byte { f.block[8] ^= 1; return f.block }, false, "checksum differs"},
		{"hash", good, func(f *Frozen) []byte { f.block[16] = 3; return f.block }, true, "hash number 3 is unknown"},
		{"other hash", good, func(f *Frozen) []byte { f.block[16] = 2; return f.block }, true, "is not found"},
		{"empty", good, func(f *Frozen) []byte { return newBlock(header{}).block }, true, "a part is missing"},
		{"only the empty name", good, func(f *Frozen) []byte { return newBlock(header{0, 1, 0, 0, 0, recordHead}).block }, true, "a part is missing"},
		{"no pilots", good, func(f *Frozen) []byte { return newBlock(header{0, 1, 1, 0, 0, recordHead}).block }, true, "a part is missing"},
		{"first place", good, func(f *Frozen) []byte { number(f.places, 0, 8); return f.block }, true, "symbol 0 has no record"},
		{"place far away", good, func(f *Frozen) []byte { number(f.places, 2, 0xffffffff); return f.block }, true, "symbol 2 has no record"},
		{"record of another", good, func(f *Frozen) []byte { f.arena[8] = 2; return f.block }, true, "symbol 1 has a damaged record"},
		{"record too long", good, func(f *Frozen) []byte { f.arena[15] = 0xff; return f.block }, true, "symbol 1 has a damaged record"},
		{"second empty name", good, func(f *Frozen) []byte { f.arena[12] = 0; return f.block }, true, "symbol 1 has a damaged record"},
		{"bytes at the end", good, func(f *Frozen) []byte { f.arena[len(f.arena)-8] = 3; return f.block }, true, "bytes behind"},
		{"twice", good, func(f *Frozen) []byte {
			names := newBlock(header{uint32(XXH3), 3, 3, 0, 1, 8 + 9 + 9})
			putRecord(names.arena, 8, 1, "x")
			putRecord(names.arena, 17, 2, "x")
			number(names.places, 1, 8)
			number(names.places, 2, 17)
			number(names.slots, 0, 8)
			number(names.slots, 1, 8)
			number(names.slots, 2, 8)
			return names.block
		}, true, "3 positions for 2 names"},
		{"no position", good, func(f *Frozen) []byte { clear(f.slots); return f.block }, true, "0 positions for 3 names"},
		{"wrong pilot", good, func(f *Frozen) []byte { f.pilots[0] = spilled; return f.block }, true, "is not found"},
		{"position far away", good, func(f *Frozen) []byte {
			for i := range len(f.slots) / 4 {
				if u32(f.slots, i) != 0 {
					number(f.slots, i, 0xfffffff0)
				}
			}
			return f.block
		}, true, "is not found"},
		{"spill far away", twins, func(f *Frozen) []byte { number(f.spills, 1, 0xfffffff0); return f.block }, true, "spill 0 leads to no record"},
		{"spill into a record", twins, func(f *Frozen) []byte { number(f.spills, 1, 9); return f.block }, true, "spill 0 leads to no record"},
		{"spills out of order", twins, func(f *Frozen) []byte {
			a, b := u32(f.spills, 1), u32(f.spills, 3)
			number(f.spills, 1, b)
			number(f.spills, 3, a)
			return f.block
		}, true, "is not found"},
	} {
		h := header{uint32(c.from.hash), uint32(c.from.Len()), uint32(len(c.from.slots) / 4),
			uint32(len(c.from.spills) / spillLen), uint32(len(c.from.pilots)), uint32(len(c.from.arena))}
		block := c.damage(h.cut(bytes.Clone(c.from.block)))
		if c.sealed {
			seal(block)
		}
		_, err := Open(block)
		if err == nil || !errors.Is(err, ErrBlock) || !strings.HasPrefix(err.Error(), "intern: open: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
}

// Whatever Open takes is sound, also when the checksum was made to fit.
func FuzzOpen(f *testing.F) {
	for _, words := range [][]string{nil, {"ab"}, {"ab", "c", "defg", "hi", "jkl"}, {"engrained", "Seavir", "x"}} {
		table, err := New(Config{Entries: 10, Bytes: 100, Hash: Lookup2})
		if err != nil {
			f.Fatal(err)
		}
		table.InternAll(words, make([]Symbol, len(words)))
		block, _ := table.MarshalBinary()
		f.Add(block, false)
		f.Add(block, true)
	}
	f.Fuzz(func(t *testing.T, block []byte, fit bool) {
		block = bytes.Clone(block)
		if fit && len(block) >= minBlock {
			seal(block)
		}
		names, err := Open(block)
		if err != nil {
			if !errors.Is(err, ErrBlock) {
				t.Fatalf("error %v is not ErrBlock", err)
			}
			return
		}
		symbols, list := map[string]Symbol{}, []string{}
		for sym := range Symbol(names.Len()) {
			symbols[names.String(sym)] = sym
			list = append(list, names.String(sym))
		}
		if len(symbols) != names.Len() {
			t.Fatalf("%d distinct names of %d", len(symbols), names.Len())
		}
		checkNames(t, names, symbols, list)
		checkLookups(t, names, symbols, append(list, "absent", "ab", "Seavir", "\x00"))
	})
}
