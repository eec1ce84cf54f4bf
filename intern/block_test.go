package intern

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

var _ encoding.BinaryMarshaler = (*Table)(nil)

// TestFrozenTablesFindAllNames builds tables of many sizes with every hash. All names must be found
// by name and by number, and no other name.
func TestFrozenTablesFindAllNames(t *testing.T) {
	words, _ := corpus(t, 10_000)
	for hash := range hashes {
		for _, n := range []int{0, 1, 2, 3, 5, 8, 100, 9000} {
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
			block, err := table.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			for _, shift := range []int{0, 1} { // The second block begins at an odd address, so Open must copy it.
				moved := append(make([]byte, shift, shift+len(block)), block...)[shift:]
				f, err := Open(moved)
				if err != nil {
					t.Fatalf("%v, %d names: %v", hash, n, err)
				}
				if inPlace := unsafe.Pointer(unsafe.SliceData(f.groups)) == unsafe.Pointer(&moved[bodyAt]); inPlace != (shift == 0) && littleEndian {
					t.Fatalf("%v, %d names, shifted by %d: in place: %v", hash, n, shift, inPlace)
				}
				if again, err := f.MarshalBinary(); err != nil || !bytes.Equal(again, block) {
					t.Fatalf("%v, %d names: the block is not kept, %v", hash, n, err)
				}
				if f.hash != hash {
					t.Errorf("Hash = %v, want %v", f.hash, hash)
				}
				checkNames(t, f, symbols, append([]string{""}, words[:n]...))
				checkLookups(t, f, symbols, words[:min(len(words), 2*n+100)])
			}
			if again, err := table.MarshalBinary(); err != nil || !bytes.Equal(again, block) {
				t.Fatalf("%v, %d names: a second block differs, %v", hash, n, err)
			}
		}
	}
}

// TestEqualHashes adds names with equal hashes, as an attacker can make them for an unseeded hash.
// A frozen table with too many such names must use another hash.
func TestEqualHashes(t *testing.T) {
	for n, want := range map[int]Hash{64: Murmur3, longest * groupLen: Murmur3, longest*groupLen + 1: Seeded, 1000: Seeded} {
		names := equalHashes(t, n)
		table := tableOf(t, names, Murmur3)
		symbols := map[string]Symbol{"": 0}
		for i, s := range names {
			symbols[s] = Symbol(i + 1)
		}
		list := append(equalHashes(t, n+10), "absent", "")
		checkLookups(t, table, symbols, list)
		block, err := table.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(block)
		if err != nil {
			t.Fatal(err)
		}
		if f.hash != want {
			t.Errorf("%d names: frozen by %v, want %v", n, f.hash, want)
		}
		checkLookups(t, f, symbols, list)
	}
}

// equalHashes returns n names of 8 bytes with the same murmur3 hash. Each step of murmur3 is
// invertible, so for any first word there is a second word that gives this hash.
func equalHashes(t *testing.T, n int) []string {
	const c1, c2 = uint32(0xcc9e2d51), uint32(0x1b873593)
	inverse := func(x uint32) uint32 { // This is Newton's iteration modulo 2^32.
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
	last := uint32(0x12345678) // the hash state before the final mixing, equal for all names
	names := make([]string, n)
	for i := range names {
		first := uint32(i)*2654435761 + 1
		want := rotl((last-0xe6546b64)*inverse(5), 19)
		second := unscramble(want ^ step(0, first))
		names[i] = string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, first), second))
		if sum(Murmur3, names[i]) != sum(Murmur3, names[0]) {
			t.Fatalf("murmur3(%x) = %08x, want %08x", names[i], sum(Murmur3, names[i]), sum(Murmur3, names[0]))
		}
	}
	return names
}

// TestBlockIsStable compares a block with its known bytes, which only a new format version may
// change.
func TestBlockIsStable(t *testing.T) {
	block, err := tableOf(t, []string{"ab", "c"}, Lookup2).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	want := "intern\n\x02" + "\x2d\x24\x64\x0d\x9d\x4c\x16\x7e" +
		"\x02\x00\x00\x00" + "\x03\x00\x00\x00" + "\x01\x00\x00\x00" + "\x1b\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\xc1\xdb\x00\x00\x00\x00\x00\x00" +
		"\x08\x00\x00\x00" + "\x12\x00\x00\x00" + strings.Repeat("\x00", 24) +
		"\x00\x00\x00\x00" + "\x08\x00\x00\x00" + "\x12\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x00\x00\x00\x02\x00\x00\x00ab" +
		"\x02\x00\x00\x00\x01\x00\x00\x00c"
	if diff := cmp.Diff([]byte(want), block); diff != "" {
		t.Error(diff)
	}
}

// parts holds slices of the parts of a block. Tests change these slices to damage the block.
type parts struct{ block, groups, places, arena []byte }

func (p parts) number(part []byte, i int, v uint32) { binary.LittleEndian.PutUint32(part[4*i:], v) }

// place returns the bytes from place j of a group on.
func (p parts) place(group, j int) []byte { return p.groups[groupSize*group+8+4*j:] }

func partsOf(block []byte) parts {
	u32 := func(i int) int { return int(binary.LittleEndian.Uint32(block[headAt+4*i:])) }
	groups, places := bodyAt+groupSize*u32(2), 4*u32(1)
	return parts{block, block[bodyAt:groups], block[groups : groups+places], block[groups+places:]}
}

// blockOf returns a block with the given header and the size that the header implies.
func blockOf(h header) []byte {
	b := append([]byte(magic), version)
	b = append(b, make([]byte, h.size()-8)...)
	for i, v := range []uint32{h.hash, h.symbols, h.groups, h.arena} {
		binary.LittleEndian.PutUint32(b[headAt+4*i:], v)
	}
	return b
}

func TestOpenRefusesDamagedBlocks(t *testing.T) {
	good, err := tableOf(t, []string{"ab", "c", "defg"}, Lookup2).MarshalBinary() // The table has only one group.
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		damage func(p parts) []byte
		sealed bool // true to recompute the checksum after the damage
		want   string
	}{
		{"nothing", func(p parts) []byte { return nil }, false, "is not a block of names"},
		{"another file", func(p parts) []byte { return []byte("PNG.............................") }, false, "is not a block of names"},
		{"only the mark", func(p parts) []byte { return p.block[:9] }, false, "the block is cut off after 9 bytes"},
		{"no version", func(p parts) []byte { return p.block[:7] }, false, "the block is cut off after 7 bytes"},
		{"an old version", func(p parts) []byte { p.block[7] = 1; return p.block }, false, "the block has version 1, and this program reads 2"},
		{"torn", func(p parts) []byte { return p.block[:len(p.block)-1] }, false, "its header says"},
		{"longer", func(p parts) []byte { return append(p.block, 0) }, false, "its header says"},
		{"huge header", func(p parts) []byte { copy(p.block[20:32], strings.Repeat("\xff", 12)); return p.block }, true, "its header says"},
		{"bit", func(p parts) []byte { p.arena[9] ^= 1; return p.block }, false, "checksum differs"},
		{"sum", func(p parts) []byte { p.block[8] ^= 1; return p.block }, false, "checksum differs"},
		{"hash", func(p parts) []byte { p.block[16] = 4; return p.block }, true, "hash number 4 is unknown"},
		{"other hash", func(p parts) []byte { p.block[16] = 0; return p.block }, true, "does not find it"},
		{"empty", func(p parts) []byte { return blockOf(header{}) }, true, "a part of the block is missing"},
		{"no groups", func(p parts) []byte { return blockOf(header{0, 1, 0, recordHead}) }, true, "a part of the block is missing"},
		{"first place", func(p parts) []byte { p.number(p.places, 0, 8); return p.block }, true, "the record of symbol 0"},
		{"place far away", func(p parts) []byte { p.number(p.places, 2, 0xffffffff); return p.block }, true, "the record of symbol 2"},
		{"record of another", func(p parts) []byte { p.arena[8] = 2; return p.block }, true, "symbol 1 has a damaged record"},
		{"record too long", func(p parts) []byte { p.arena[15] = 0xff; return p.block }, true, "symbol 1 has a damaged record"},
		{"second empty name", func(p parts) []byte { p.arena[12] = 0; return p.block }, true, "symbol 1 has a damaged record"},
		{"bytes at the end", func(p parts) []byte { p.arena[len(p.arena)-8] = 3; return p.block }, true, "there are extra bytes after the last record"},
		{"no position", func(p parts) []byte { clear(p.groups); return p.block }, true, "0 entries for 3 names"},
		{"a name without a position", func(p parts) []byte { p.groups[2] = 0; p.number(p.place(0, 2), 0, 0); return p.block }, true, "2 entries for 3 names"},
		{"wrong tag", func(p parts) []byte { p.groups[1] ^= 1; return p.block }, true, "the name of symbol 2 does not find it"},
		{"tag without its top bit", func(p parts) []byte { p.groups[1] &= 0x7f; return p.block }, true, "group 0 of the hash table has an empty or damaged entry"},
		{"low tag behind the last", func(p parts) []byte { p.groups[7] = 1; return p.block }, true, "group 0 of the hash table has an empty or damaged entry"},
		{"gap", func(p parts) []byte { p.groups[7] = p.groups[0]; return p.block }, true, "group 0 of the hash table has an empty or damaged entry"},
		{"position far away", func(p parts) []byte { p.number(p.place(0, 1), 0, 0xfffffff0); return p.block }, true, "group 0 of the hash table refers to a record that does not exist"},
		{"position at the end", func(p parts) []byte { p.number(p.place(0, 1), 0, uint32(len(p.arena))); return p.block }, true, "group 0 of the hash table refers to a record that does not exist"},
		{"position in a record", func(p parts) []byte { p.number(p.place(0, 1), 0, 9); return p.block }, true, "group 0 of the hash table refers to a record that does not exist"},
		{"position of the empty name", func(p parts) []byte { p.number(p.place(0, 1), 0, 0); return p.block }, true, "group 0 of the hash table refers to a record that does not exist"},
		{"place behind the last", func(p parts) []byte { p.number(p.place(0, 3), 0, 8); return p.block }, true, "group 0 of the hash table refers to a record that does not exist"},
		{"one name's position twice", func(p parts) []byte { copy(p.place(0, 1)[:4], p.place(0, 0)); return p.block }, true, "the name of symbol 2 does not find it"},
		{"a name twice", func(p parts) []byte {
			b := blockOf(header{uint32(Lookup2), 3, 1, 8 + 9 + 9})
			p = partsOf(b)
			tag := byte(sum(Lookup2, "x") | 0x80)
			putRecord(p.arena, 8, 1, "x")
			putRecord(p.arena, 17, 2, "x")
			for i, at := range []uint32{8, 17} {
				p.groups[i] = tag
				p.number(p.place(0, i), 0, at)
				p.number(p.places, i+1, at)
			}
			return b
		}, true, "the name of symbol 2 does not find it"},
	} {
		block := c.damage(partsOf(bytes.Clone(good)))
		if c.sealed {
			seal(block)
		}
		_, err := Open(block)
		if err == nil || !errors.Is(err, ErrBlock) || !strings.HasPrefix(err.Error(), "intern: open: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
}

// Open must refuse blocks with many consecutive full groups, because a lookup scans them all.
// Without any free position, a lookup would never end.
func TestOpenRefusesLongRows(t *testing.T) {
	for _, c := range []struct{ names, groups, want int }{
		{groupLen, 1, 1}, // Every position is used.
		{2 * groupLen, 2, 2},
		{longest * groupLen, longest + 1, 0},
		{(longest + 1) * groupLen, longest + 2, longest + 1},
	} {
		// The names have the same hash and are added in order, so they fill the first groups.
		names := equalHashes(t, c.names)
		table := tableOf(t, names, Murmur3)
		f := &Table{groups: make([]group, c.groups), arena: table.arena, places: table.places, frozen: true}
		f.count.Store(table.count.Load())
		f.setHash(Murmur3, 0)
		for sym, at := range f.places {
			if sym > 0 && !f.enterRecord(f.sum(names[sym-1]), at, c.groups) {
				t.Fatal("no room")
			}
		}
		block, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(block)
		if c.want == 0 && err != nil || c.want > 0 && !errors.Is(err, ErrBlock) {
			t.Errorf("%d names in %d groups: %v", c.names, c.groups, err)
		}
		if c.want > 0 && !strings.Contains(err.Error(), "full groups in a row") {
			t.Errorf("%d names in %d groups: %v", c.names, c.groups, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, words := range [][]string{nil, {"ab"}, {"ab", "c", "defg", "hi", "jkl"}, {"engrained", "Seavir", "x"}, made(40)} {
		for _, hash := range []Hash{Lookup2, Seeded} {
			table, err := New(Config{Entries: 100, Bytes: 4000, Hash: hash})
			if err != nil {
				f.Fatal(err)
			}
			if _, err := table.InternAll(words, make([]Symbol, len(words))); err != nil {
				f.Fatal(err)
			}
			block, err := table.MarshalBinary()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(block, false)
			f.Add(block, true)
		}
	}
	f.Fuzz(func(t *testing.T, block []byte, fit bool) {
		block = bytes.Clone(block)
		if fit && len(block) >= bodyAt {
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
