package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/image/astc"
)

// askHDRReader decodes the first level of a sample of high dynamic range, and random blocks, with
// astcenc. It returns the number of images whose half-precision floats differ from our decoder's.
func askHDRReader(ctx context.Context, dir, astcenc string, random *rand.Rand, s *sample) (wrong int, err error) {
	wide, high, _ := s.texture.Format.Block()
	size := astc.Size{W: wide, H: high}
	for _, kind := range []string{"encoded", "random"} {
		w, h, blocks := s.texture.W, s.texture.H, s.texture.Levels[0]
		if kind == "random" {
			w, h, blocks = 96*wide, 96*high, randomHDRBlocks(random, 96*96, size)
		}
		theirs, err := decodeHDR(ctx, dir, astcenc, w, h, size, blocks)
		if err != nil {
			return wrong, err
		}
		differ := 0
		across := (w + wide - 1) / wide
		for at := range len(blocks) / 16 {
			var pix astc.Halves
			astc.DecodeHDR(&pix, (*[16]byte)(blocks[16*at:]), size)
			if !sameHalves(theirs, &pix, w, h, at%across*wide, at/across*high, size) {
				differ++
			}
		}
		answer := "the same half-precision floats"
		if differ > 0 {
			wrong++
			answer = fmt.Sprintf("DIFFERS: %d of %d blocks", differ, len(blocks)/16)
		}
		fmt.Printf("%-10s %-18s %-8s %s\n", "astcenc", s.name, kind, answer)
	}
	return wrong, nil
}

// sameHalves reports whether the block at x, y of an image has the given pixels. NaN equals every
// value, because astcenc changes its bits.
func sameHalves(theirs []byte, pix *astc.Halves, w, h, x, y int, size astc.Size) bool {
	for i := range size.W * size.H {
		px, py := x+i%size.W, y+i/size.W
		if px >= w || py >= h {
			continue
		}
		for c := range 4 {
			got := binary.LittleEndian.Uint16(theirs[8*(py*w+px)+2*c:])
			if nan := got&0x7fff > 0x7c00; !nan && got != pix[4*i+c] {
				return false
			}
		}
	}
	return true
}

// randomHDRBlocks returns random blocks that do not decode to the error color, because astcenc
// returns NaN for it. Two thirds of the blocks have one part, since most other random blocks are
// invalid.
func randomHDRBlocks(random *rand.Rand, n int, size astc.Size) []byte {
	var blocks []byte
	for len(blocks) < 16*n {
		var b [16]byte
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		switch random.IntN(40) {
		case 0: // a block of a single color, of low or high dynamic range
			copy(b[:], []byte{0xfc, 0xfd | byte(random.IntN(2))<<1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13:
		default:
			b[1] &^= 0x18
		}
		var pix astc.Halves
		astc.DecodeHDR(&pix, &b, size)
		magenta := false
		for i := 0; i < 4*size.W*size.H; i += 4 {
			magenta = magenta || [4]uint16(pix[i:]) == [4]uint16{0x3c00, 0, 0x3c00, 0x3c00}
		}
		if !magenta {
			blocks = append(blocks, b[:]...)
		}
	}
	return blocks
}

// decodeHDR decodes blocks with astcenc to half-precision floats, four per pixel.
func decodeHDR(ctx context.Context, dir, astcenc string, w, h int, size astc.Size, blocks []byte) ([]byte, error) {
	in, out := filepath.Join(dir, "blocks.astc"), filepath.Join(dir, "pixels.ktx")
	// This is the header of the file: magic number, block size and image size.
	head := []byte{0x13, 0xab, 0xa1, 0x5c, byte(size.W), byte(size.H), 1, byte(w), byte(w >> 8), 0, byte(h), byte(h >> 8), 0, 1, 0, 0}
	if err := os.WriteFile(in, append(head, blocks...), 0o644); err != nil {
		return nil, err
	}
	if said, err := exec.CommandContext(ctx, astcenc, "-dh", in, out).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s -dh: %w: %s", astcenc, err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	// The size of the header and the number of the type in KTX 1.
	const header, halfFloat = 64, 0x140b
	if len(data) < header+4 || binary.LittleEndian.Uint32(data[16:]) != halfFloat {
		return nil, fmt.Errorf("%s: no KTX file of half-precision floats", astcenc)
	}
	data = data[header+4+int(binary.LittleEndian.Uint32(data[header-4:])):]
	if len(data) == 8*w*h {
		return data, nil
	}
	// An opaque image has no alpha, and its rows have a multiple of four bytes.
	row := (6*w + 3) &^ 3
	if len(data) != row*h {
		return nil, fmt.Errorf("%s: %d bytes of pixels for %d by %d", astcenc, len(data), w, h)
	}
	pix := make([]byte, 0, 8*w*h)
	for y := range h {
		for x := range w {
			pix = append(pix, data[row*y+6*x:][:6]...)
			pix = append(pix, 0x00, 0x3c)
		}
	}
	return pix, nil
}
