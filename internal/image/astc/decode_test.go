package astc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

func TestPackUnpack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for range 300000 {
		size := sizes[random.IntN(len(sizes))]
		block := stream{random.Uint64(), random.Uint64()}
		if random.IntN(2) == 0 {
			block.low &^= 3 << 11
		}
		c, ok := unpack(&block, size)
		if !ok || c.parts > 1 && block.bitsAt(23, 2) != 0 {
			continue
		}
		n++
		packed := c.pack()
		back, ok := unpack(&packed, size)
		if !ok || back != c {
			t.Fatalf("%+v became %+v", c, back)
		}
	}
	if n < 10000 {
		t.Errorf("%d blocks", n)
	}
}

func TestDecodeErrors(t *testing.T) {
	single := [16]byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 2, 2, 3, 3, 4, 4}
	change := func(at int, v byte) [16]byte {
		b := single
		b[at] = v
		return b
	}
	mode := func(bits ...byte) (b [16]byte) {
		copy(b[:], bits)
		return b
	}
	for name, c := range map[string]struct {
		block [16]byte
		want  [4]byte
	}{
		"a single color":                   {single, [4]byte{1, 2, 3, 4}},
		"with an extent":                   {mode(0xfc, 0x0d, 0, 0xfe, 0x3f, 0, 0xf8, 0xff, 1, 1, 2, 2, 3, 3, 4, 4), [4]byte{1, 2, 3, 4}},
		"with an extent of nothing":        {change(1, 0x0d), magenta},
		"of high dynamic range":            {change(1, 0xff), magenta},
		"with a reserved bit":              {change(1, 0xf5), magenta},
		"a reserved mode":                  {mode(), magenta},
		"another":                          {mode(0xc4, 1), magenta},
		"weights in less than 24 bits":     {mode(0x41), magenta},
		"a grid wider than the block":      {mode(0x45), magenta},
		"ends of high dynamic range":       {mode(0x42, 0x40), magenta},
		"four parts with two planes":       {mode(0x42, 0x1c), magenta},
		"more numbers than a block's ends": {mode(0x42, 0x18, 0, 0x18), magenta},
	} {
		var pix Pixels
		DecodeBlock(&pix, &c.block, Size{4, 4}, true)
		if got := [4]byte(pix[:]); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestDecodeGolden compares the checksum of the decoded pixels of random blocks. The program
// proof/readers/textures shows that another decoder returns the same pixels.
func TestDecodeGolden(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	sum := sha256.New()
	colors := 0
	for range 40000 {
		var block [16]byte
		binary.LittleEndian.PutUint64(block[:], random.Uint64())
		binary.LittleEndian.PutUint64(block[8:], random.Uint64())
		for _, size := range sizes {
			for _, srgb := range []bool{false, true} {
				var pix Pixels
				DecodeBlock(&pix, &block, size, srgb)
				sum.Write(pix[:4*size.W*size.H])
				if [4]byte(pix[:]) != magenta {
					colors++
				}
			}
		}
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), "56dfeb21fed05083"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if colors < 15000 {
		t.Errorf("%d blocks of colors", colors)
	}
}

// Some tests use the tables without calling Encode or DecodeBlock, which compute them.
func init() { prepare() }
