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

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/etc2"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// An etcFormat is a format of package etc2 with its name in the program built from
// testdata/etc2.cpp.
type etcFormat struct {
	texture.Format
	peer       string
	blockBytes int
}

func parseETC(name string) (f etcFormat, ok bool) {
	format, err := texture.ParseFormat(name)
	f.Format = format
	_, f.blockBytes = format.Block()
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

// ofETC returns the contestants of ETC2 or EAC: ours, and etcpak and etc2comp if the program
// built from testdata/etc2.cpp is given, and etcpak once more from the program built with vector
// instructions. Our decoder reads the blocks of all; for ETC2 it must agree with etcpak's
// decoder.
func ofETC(f etcFormat, program, vector string, slow bool) (all []contestant) {
	for i, name := range []string{"fast", "normal", "best"} {
		all = append(all, f.ours(name, blockfit.Quality(i)))
	}
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
				other, err := f.decodeByPeer(program, blocks)
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

// stored returns pictures reduced to the channels that f stores: the first as gray, or no alpha.
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

// ours returns package etc2 as a contestant.
func (f etcFormat) ours(name string, q blockfit.Quality) contestant {
	return contestant{name: "ours " + name, run: func(ctx context.Context, pictures []picture) (all [][]byte, seconds []float64, err error) {
		for _, p := range pictures {
			blocks := make([]byte, f.blockBytes*blockfit.Grid{W: side, H: side, Side: 4}.Blocks())
			start, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			switch o := (blockfit.Options{Quality: q}); f.Format {
			case texture.ETC2RGB:
				err = etc2.EncodeRGB(ctx, blocks, p.pix, side, side, o)
			case texture.ETC2RGBA:
				err = etc2.EncodeRGBA(ctx, blocks, p.pix, side, side, o)
			default:
				red := make([]uint16, side*side)
				for i := range red {
					red[i] = 257 * uint16(p.pix[4*i])
				}
				err = etc2.EncodeEAC(ctx, blocks, red, side, side, 1, o)
			}
			if err != nil {
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

// decode decodes blocks with our decoder; a single channel becomes gray.
func (f etcFormat) decode(blocks []byte) []byte {
	pix := make([]byte, 4*side*side)
	for at := range len(blocks) / f.blockBytes {
		var decoded [64]byte
		block := blocks[at*f.blockBytes:]
		switch f.Format {
		case texture.ETC2RGB:
			etc2.DecodeRGB(&decoded, (*[8]byte)(block))
		case texture.ETC2RGBA:
			etc2.DecodeRGBA(&decoded, (*[16]byte)(block))
		default:
			for i, v := range etc2.DecodeEAC((*[8]byte)(block)) {
				gray := byte((uint32(v) + 128) / 257)
				copy(decoded[4*i:], []byte{gray, gray, gray, 255})
			}
		}
		for row := range 4 {
			copy(pix[4*((at/(side/4)*4+row)*side+at%(side/4)*4):][:16], decoded[16*row:])
		}
	}
	return pix
}

// decodeByPeer decodes blocks with etcpak's decoder.
func (f etcFormat) decodeByPeer(program string, blocks []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "etc2bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, blocks, 0o600); err != nil {
		return nil, err
	}
	run := exec.Command(program, "decode", f.peer+":", strconv.Itoa(side), strconv.Itoa(side), "1", in, out)
	if said, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, said)
	}
	return os.ReadFile(out)
}
