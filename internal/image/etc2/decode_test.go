package etc2

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// blocksOf returns n random blocks, which together use all modes.
func blocksOf(n int) []byte {
	random := rand.New(rand.NewPCG(7, 7))
	var blocks []byte
	for range n {
		blocks = binary.BigEndian.AppendUint64(blocks, random.Uint64())
	}
	return blocks
}

// TestDecodeGolden compares checksums with etcpak's decoder (36c3c9c) for the same blocks.
func TestDecodeGolden(t *testing.T) {
	blocks := blocksOf(1 << 15)
	seen := map[mode]int{}
	for at := 0; at < len(blocks); at += 8 {
		seen[unpack(binary.BigEndian.Uint64(blocks[at:])).mode]++
	}
	for m := individual; m <= planar; m++ {
		if seen[m] < 100 {
			t.Errorf("mode %d: %d blocks", m, seen[m])
		}
	}
	for _, c := range []struct {
		alpha bool
		w     int
		want  string
	}{{false, 1024, "1564fa2d225af8b9"}, {true, 512, "d2ce743ba158b372"}} {
		sum := sha256.Sum256(decoded(blocks, c.w, 512, c.alpha))
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("alpha %v: %s, want %s", c.alpha, got, c.want)
		}
	}
}

// TestDecodeEAC compares decoded blocks with values computed by hand from the specification.
func TestDecodeEAC(t *testing.T) {
	for _, c := range []struct {
		block uint64
		want  [2]uint16 // 11-bit values of the first pixel and the pixel below
	}{
		{0x80_1d_924924924924, [2]uint16{1028, 1028}}, // all modifiers are 0
		{0x80_0d_000000000000, [2]uint16{1027, 1027}}, // the modifier is -1, and the multiplier 0 means 1/8
		{0x80_10_200000000000, [2]uint16{1028 - 6*8, 1028 - 3*8}},
		{0x00_f0_600000000000, [2]uint16{0, 0}},
		{0xff_f0_fc0000000000, [2]uint16{2047, 2047}},
	} {
		var block [8]byte
		binary.BigEndian.PutUint64(block[:], c.block)
		got := DecodeEAC(&block)
		if got[0] != from11(int32(c.want[0])) || got[4] != from11(int32(c.want[1])) {
			t.Errorf("%x: %d, %d, want %d, %d of 11 bits", c.block, to11(got[0]), to11(got[4]), c.want[0], c.want[1])
		}
	}
	for v := range int32(2048) {
		if to11(from11(v)) != v {
			t.Errorf("%d became %d", v, to11(from11(v)))
		}
	}
}

func TestPackUnpack(t *testing.T) {
	blocks := blocksOf(20000)
	for at := 0; at < len(blocks); at += 8 {
		c := unpack(binary.BigEndian.Uint64(blocks[at:]))
		// Packing a decoded block may change its free bits and the order of equal colors, but not
		// its pixels.
		var want, got [64]byte
		c.paintColors(&want)
		packed := unpack(c.pack())
		packed.paintColors(&got)
		if got != want || packed.mode != c.mode || packed.base != c.base {
			t.Fatalf("%+v became %+v", c, packed)
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(make([]byte, 64), make([]byte, 16))
	f.Add(append(make([]byte, 32), []byte("colors that are not all alike...")...), []byte("sixteen letters."))
	f.Fuzz(func(t *testing.T, pixels, block []byte) {
		if len(block) >= 16 {
			var dst [64]byte
			DecodeRGBA(&dst, (*[16]byte)(block))
			DecodeEAC((*[8]byte)(block))
		}
		if len(pixels) >= 64 {
			for _, q := range qualities {
				errorIsTrue(t, newEncoder(q.q), (*[64]byte)(pixels))
			}
		}
	})
}
