//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/etc2"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/image/uastc"
)

// ofASTC returns the contestants for an ASTC format: our encoder, and astcenc if its program is
// given. Our decoder decodes the blocks of both. The test in proof/readers/textures shows that
// astcenc decodes all blocks to the same pixels.
func ofASTC(format, program string) (all []contestant, err error) {
	f, err := texture.ParseFormat(format)
	if err != nil || !f.IsASTC() {
		return nil, fmt.Errorf("format %q: want bc7 or one of ASTC", format)
	}
	wide, high, _ := f.Block()
	block := astc.Size{W: wide, H: high}
	all = withRDO(block, func(ctx context.Context, blocks, pix []byte, q blockfit.Quality, rdo float64) error {
		return astc.Encode(ctx, blocks, pix, side, side, block, astc.Options{Quality: q, RDO: rdo})
	})
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

func decodeASTC(blocks []byte, block astc.Size) []byte {
	return decodeBlocks(blocks, block, 16, func(to *astc.Pixels, b []byte) { astc.DecodeBlock(to, (*[16]byte)(b), block, true) })
}

// astcenc returns Arm's encoder, run on one thread. Its time includes reading an uncompressed file,
// but not the start of the program, which is measured with an image of one block and subtracted.
func astcenc(program, preset string, block astc.Size) contestant {
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

// runAstcenc compresses an image with files in dir. It returns the blocks and the CPU seconds. The
// first option is the color profile.
func runAstcenc(ctx context.Context, program, dir string, pix []byte, side int, block astc.Size, options ...string) ([]byte, float64, error) {
	in, out := filepath.Join(dir, "in.tga"), filepath.Join(dir, "out.astc")
	if err := os.WriteFile(in, targa(pix, side), 0o600); err != nil {
		return nil, 0, err
	}
	arguments := append([]string{options[0], in, out, fmt.Sprintf("%dx%d", block.W, block.H)}, options[1:]...)
	run := exec.CommandContext(ctx, program, append(arguments, "-j", "1", "-silent")...)
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	if err := run.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", program, err, said.String())
	}
	blocks, err := os.ReadFile(out)
	if want := 16 + 16*(blockfit.Grid{W: side, H: side, Side: block.W, Rows: block.H}).Blocks(); err == nil && len(blocks) != want {
		err = fmt.Errorf("%s: %d bytes, want %d", program, len(blocks), want)
	}
	if err != nil {
		return nil, 0, err
	}
	return blocks[16:], (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), nil
}

// targa returns an uncompressed Targa file of pixels that are stored top row first.
func targa(pix []byte, side int) []byte {
	file := []byte{2: 2, 12: byte(side), byte(side >> 8), byte(side), byte(side >> 8), 32, 0x28}
	for i := 0; i < len(pix); i += 4 {
		file = append(file, pix[i+2], pix[i+1], pix[i], pix[i+3])
	}
	return file
}

// An etcFormat is a format of package etc2, with its name in the program built from
// testdata/etc2.cpp.
type etcFormat struct {
	texture.Format
	peer       string
	blockBytes int
}

func parseETC(name string) (f etcFormat, ok bool) {
	format, err := texture.ParseFormat(name)
	f.Format = format
	_, _, f.blockBytes = format.Block()
	switch format {
	case texture.ETC2RGB:
		f.peer = "rgb"
	case texture.ETC2RGBA:
		f.peer = "rgba"
	case texture.EACR11:
		f.peer = "r"
	}
	return f, err == nil && f.peer != ""
}

// ofETC returns the contestants for ETC2 or EAC. Our encoder always takes part. The encoders etcpak
// and etc2comp take part if the program built from testdata/etc2.cpp is given. A second etcpak
// takes part if the program built with vector instructions is given. Our decoder decodes all
// blocks. For ETC2 its output must equal the output of etcpak's decoder.
func ofETC(f etcFormat, program, vector string, slow bool) (all []contestant) {
	all = qualities(square, f.blockBytes, f.encode)
	others := func(program, encoder, name, level string) {
		if program != "" {
			c := peerOf(program, encoder, f.peer+":"+level, f.blockBytes)
			c.name = name
			all = append(all, c)
		}
	}
	others(program, "etcpak", "etcpak", "")
	others(vector, "etcpak", "etcpak (AVX2)", "")
	others(program, "etc2comp", "etc2comp effort 0", "0")
	if slow {
		others(program, "etc2comp", "etc2comp effort 40", "40")
		others(program, "etc2comp", "etc2comp effort 100", "100")
	}
	for i := range all {
		all[i].decode = func(blocks []byte) ([]byte, error) {
			pix := f.decode(blocks)
			if program != "" && f.Format != texture.EACR11 {
				other, err := throughFiles(program, "decode", f.peer+":", blocks)
				if err == nil && !bytes.Equal(other, pix) {
					err = errors.New("etcpak's decoder gives different pixels")
				}
				return pix, err
			}
			return pix, nil
		}
	}
	return all
}

// stored returns copies of the images that have only the channels of format f. A single channel
// becomes gray, and formats without alpha make the image opaque.
func (f etcFormat) stored(pictures []picture) []picture {
	var all []picture
	for _, p := range pictures {
		p.pix = bytes.Clone(p.pix)
		for i := 0; i < len(p.pix); i += 4 {
			if f.Format == texture.EACR11 {
				p.pix[i+1], p.pix[i+2] = p.pix[i], p.pix[i]
			}
			if f.Format != texture.ETC2RGBA {
				p.pix[i+3] = 255
			}
		}
		p.alpha = p.alpha && f.Format == texture.ETC2RGBA
		all = append(all, p)
	}
	return all
}

// encode encodes an image with package etc2.
func (f etcFormat) encode(ctx context.Context, blocks, pix []byte, q blockfit.Quality) error {
	switch o := (blockfit.Options{Quality: q}); f.Format {
	case texture.ETC2RGB:
		return etc2.EncodeRGB(ctx, blocks, pix, side, side, o)
	case texture.ETC2RGBA:
		return etc2.EncodeRGBA(ctx, blocks, pix, side, side, o)
	default:
		red := make([]uint16, side*side)
		for i := range red {
			red[i] = 257 * uint16(pix[4*i])
		}
		return etc2.EncodeEAC(ctx, blocks, red, side, side, 1, o)
	}
}

// decode decodes blocks with our decoder; a single channel becomes gray.
func (f etcFormat) decode(blocks []byte) []byte {
	return decodeBlocks(blocks, square, f.blockBytes, func(to *astc.Pixels, block []byte) {
		switch decoded := (*[64]byte)(to[:]); f.Format {
		case texture.ETC2RGB:
			etc2.DecodeRGB(decoded, (*[8]byte)(block))
		case texture.ETC2RGBA:
			etc2.DecodeRGBA(decoded, (*[16]byte)(block))
		default:
			for i, v := range etc2.DecodeEAC((*[8]byte)(block)) {
				gray := byte((uint32(v) + 128) / 257)
				copy(decoded[4*i:], []byte{gray, gray, gray, 255})
			}
		}
	})
}

// throughFiles decodes blocks with an external program, and passes the data in temporary files.
func throughFiles(program, verb, format string, blocks []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "blocks")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, blocks, 0o600); err != nil {
		return nil, err
	}
	run := exec.Command(program, verb, format, strconv.Itoa(side), strconv.Itoa(side), "1", in, out)
	if said, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, said)
	}
	pix, err := os.ReadFile(out)
	if err == nil && len(pix) != 4*side*side {
		err = fmt.Errorf("%s: %d bytes of a picture", program, len(pix))
	}
	return pix, err
}

// ofUASTC returns the contestants for UASTC: our encoder, and basis_universal if the program built
// from testdata/uastc.cpp is given. That program then decodes all blocks; otherwise our decoder
// does. For a format such as "uastc-bc7", the blocks are first transcoded to BC7.
func ofUASTC(format, program string) (all []contestant, err error) {
	target := "uastc"
	if _, after, ok := strings.Cut(format, "-"); ok {
		target = after
	}
	all = withRDO(square, func(ctx context.Context, blocks, pix []byte, q blockfit.Quality, rdo float64) error {
		return uastc.Encode(ctx, blocks, pix, side, side, uastc.Options{Quality: q, RDO: rdo})
	})
	decode := func(blocks []byte) ([]byte, error) { return decodeUASTC(blocks), nil }
	switch {
	case program != "":
		for _, level := range []string{"0", "1", "2", "3"} {
			c := peer(program, "uastc", level)
			c.name = "basisu level " + level
			all = append(all, c)
		}
		decode = func(blocks []byte) ([]byte, error) { return throughFiles(program, "transcode", target, blocks) }
	case target != "uastc":
		return nil, fmt.Errorf("format %q needs the program of testdata/uastc.cpp", format)
	}
	for i := range all {
		all[i].decode = decode
	}
	return all, nil
}

func decodeUASTC(blocks []byte) []byte {
	return decodeBlocks(blocks, square, 16, func(to *astc.Pixels, b []byte) { uastc.DecodeBlock((*[64]byte)(to[:]), (*[16]byte)(b)) })
}
