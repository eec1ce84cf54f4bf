package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/image/astc"
)

// askASTCReader decodes the first level of the ASTC samples, and random blocks, with astcenc. It
// returns the number of images whose pixels differ from the output of our decoder.
func askASTCReader(ctx context.Context, dir, astcenc string, samples []sample) (wrong int, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, s := range samples {
		f := s.texture.Format
		if f.IsASTCHDR() {
			differ, err := askHDRReader(ctx, dir, astcenc, random, &s)
			if err != nil {
				return wrong, err
			}
			wrong += differ
		}
		if !f.IsASTC() {
			continue
		}
		wide, high, _ := f.Block()
		block := astc.Size{W: wide, H: high}
		blocks := s.texture.Levels[0]
		for _, kind := range []string{"encoded", "random"} {
			w, h := s.texture.W, s.texture.H
			if kind == "random" {
				w, h = 96*wide, 96*high
				blocks = randomBlocks(random, 96*96, block)
			}
			theirs, err := decodeASTC(ctx, dir, astcenc, w, h, block, s.texture.SRGB, blocks)
			if err != nil {
				return wrong, err
			}
			differ := differingBlocks(theirs, blocks, block, s.texture.SRGB)
			answer := "the same pixels"
			if differ > 0 {
				wrong++
				answer = fmt.Sprintf("DIFFERS: %d of %d blocks", differ, len(blocks)/16)
			}
			fmt.Printf("%-10s %-18s %-8s %s\n", "astcenc", s.name, kind, answer)
		}
	}
	return wrong, nil
}

// randomBlocks returns random blocks, none of which decodes to the error color: astcenc returns
// that color as magenta in floats, whose channels become 254 instead of 255.
func randomBlocks(random *rand.Rand, n int, block astc.Size) []byte {
	var blocks []byte
	for len(blocks) < 16*n {
		var b [16]byte
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if random.IntN(40) == 0 { // a block of a single color
			copy(b[:], []byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		}
		var pix astc.Pixels
		astc.DecodeBlock(&pix, &b, block, true)
		magenta := false
		for i := 0; i < 4*block.W*block.H; i += 4 {
			magenta = magenta || [4]byte(pix[i:]) == [4]byte{255, 0, 255, 255}
		}
		if !magenta {
			blocks = append(blocks, b[:]...)
		}
	}
	return blocks
}

// decodeASTC decodes blocks with astcenc.
func decodeASTC(ctx context.Context, dir, astcenc string, w, h int, block astc.Size, srgb bool, blocks []byte) (*image.NRGBA, error) {
	in, out := filepath.Join(dir, "blocks.astc"), filepath.Join(dir, "pixels.png")
	// This is the header of the file: magic number, block size and image size.
	data := []byte{0x13, 0xab, 0xa1, 0x5c, byte(block.W), byte(block.H), 1, byte(w), byte(w >> 8), 0, byte(h), byte(h >> 8), 0, 1, 0, 0}
	if err := os.WriteFile(in, append(data, blocks...), 0o644); err != nil {
		return nil, err
	}
	mode := "-dl"
	if srgb {
		mode = "-ds"
	}
	if said, err := exec.CommandContext(ctx, astcenc, mode, in, out).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", astcenc, mode, err, said)
	}
	file, err := os.Open(out)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	pix, ok := img.(*image.NRGBA)
	if !ok {
		return nil, fmt.Errorf("%s: a PNG of %T", astcenc, img)
	}
	return pix, nil
}

// differingBlocks returns the number of blocks that our decoder decodes to different pixels.
func differingBlocks(theirs *image.NRGBA, blocks []byte, block astc.Size, srgb bool) (differ int) {
	w, h := theirs.Rect.Dx(), theirs.Rect.Dy()
	across := (w + block.W - 1) / block.W
	for at := range len(blocks) / 16 {
		var pix astc.Pixels
		astc.DecodeBlock(&pix, (*[16]byte)(blocks[16*at:]), block, srgb)
		for i := range block.W * block.H {
			x, y := at%across*block.W+i%block.W, at/across*block.H+i/block.W
			if x < w && y < h && [4]byte(theirs.Pix[theirs.PixOffset(x, y):]) != [4]byte(pix[4*i:]) {
				differ++
				break
			}
		}
	}
	return differ
}
