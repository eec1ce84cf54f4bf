//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// ofASTC returns the contestants of an ASTC format: ours, and astcenc if given. Our decoder reads
// the blocks of both; proof/readers/textures shows that astcenc reads all blocks the same.
func ofASTC(format, program string) (all []contestant, err error) {
	f, err := texture.ParseFormat(format)
	if err != nil || !f.IsASTC() {
		return nil, fmt.Errorf("format %q: want bc7 or one of ASTC", format)
	}
	block, _ := f.Block()
	for i, name := range []string{"fast", "normal", "best"} {
		all = append(all, oursASTC(name, block, blockfit.Quality(i)))
	}
	if program != "" {
		for _, preset := range []string{"-fast", "-medium", "-thorough"} {
			all = append(all, astcenc(program, preset, block))
		}
	}
	for i := range all {
		all[i].decode = func(blocks []byte) ([]byte, error) { return decodeASTC(blocks, block), nil }
	}
	return all, nil
}

// oursASTC returns package astc as a contestant.
func oursASTC(name string, block int, q blockfit.Quality) contestant {
	return contestant{name: "ours " + name, run: func(ctx context.Context, pictures []picture) ([][]byte, []float64, error) {
		var all [][]byte
		var seconds []float64
		for _, p := range pictures {
			blocks := make([]byte, 16*blockfit.Grid{W: side, H: side, Side: block}.Blocks())
			start, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			if err := astc.Encode(ctx, blocks, p.pix, side, side, block, astc.Options{Quality: q}); err != nil {
				return nil, nil, err
			}
			end, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			all, seconds = append(all, blocks), append(seconds, end-start)
		}
		return all, seconds, nil
	}}
}

func decodeASTC(blocks []byte, block int) []byte {
	pix := make([]byte, 4*side*side)
	across := (side + block - 1) / block
	for at := range len(blocks) / 16 {
		var decoded [256]byte
		astc.DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]), block, true)
		for i := range block * block {
			if x, y := at%across*block+i%block, at/across*block+i/block; x < side && y < side {
				copy(pix[4*(y*side+x):][:4], decoded[4*i:])
			}
		}
	}
	return pix
}

// astcenc is Arm's program on one thread. Its time includes reading an uncompressed file, but not
// its start, which is measured with a picture of one block.
func astcenc(program, preset string, block int) contestant {
	return contestant{name: "astcenc " + preset, run: func(ctx context.Context, pictures []picture) (all [][]byte, seconds []float64, err error) {
		dir, err := os.MkdirTemp("", "astcbench")
		if err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(dir)
		one := func(pix []byte, side int) ([]byte, float64, error) {
			return runAstcenc(ctx, program, dir, pix, side, block, "-cs", preset)
		}
		_, start, err := one(pictures[0].pix[:4*4*4], 4)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range pictures {
			blocks, s, err := one(p.pix, side)
			if err != nil {
				return nil, nil, err
			}
			all, seconds = append(all, blocks), append(seconds, max(0, s-start))
		}
		return all, seconds, nil
	}}
}

// runAstcenc compresses a picture with files in dir. It returns the blocks and the CPU seconds.
// The first option is the profile.
func runAstcenc(ctx context.Context, program, dir string, pix []byte, side, block int, options ...string) ([]byte, float64, error) {
	in, out := filepath.Join(dir, "in.tga"), filepath.Join(dir, "out.astc")
	if err := os.WriteFile(in, targa(pix, side), 0o600); err != nil {
		return nil, 0, err
	}
	arguments := append([]string{options[0], in, out, fmt.Sprintf("%dx%d", block, block)}, options[1:]...)
	run := exec.CommandContext(ctx, program, append(arguments, "-j", "1", "-silent")...)
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	if err := run.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", program, err, said.String())
	}
	blocks, err := os.ReadFile(out)
	if want := 16 + 16*(blockfit.Grid{W: side, H: side, Side: block}).Blocks(); err == nil && len(blocks) != want {
		err = fmt.Errorf("%s: %d bytes, want %d", program, len(blocks), want)
	}
	if err != nil {
		return nil, 0, err
	}
	return blocks[16:], (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), nil
}

// targa returns an uncompressed Targa file of pixels, from the top down.
func targa(pix []byte, side int) []byte {
	file := []byte{2: 2, 12: byte(side), byte(side >> 8), byte(side), byte(side >> 8), 32, 0x28}
	for i := 0; i < len(pix); i += 4 {
		file = append(file, pix[i+2], pix[i+1], pix[i], pix[i+3])
	}
	return file
}
