//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/uastc"
)

// ofUASTC returns the contestants of UASTC: ours, and basis_universal in the program built from
// testdata/uastc.cpp, if given. Its decoder reads the blocks of both; without it, ours does. For
// a format "uastc-" and another, blocks are transcoded to the other first.
func ofUASTC(format, program string) (all []contestant, err error) {
	target := "uastc"
	if _, after, ok := strings.Cut(format, "-"); ok {
		target = after
	}
	for i, name := range []string{"fast", "normal", "best"} {
		all = append(all, oursUASTC(name, blockfit.Quality(i)))
	}
	decode := func(blocks []byte) ([]byte, error) { return decodeUASTC(blocks), nil }
	switch {
	case program != "":
		for _, level := range []string{"0", "1", "2", "3"} {
			c := peer(program, "uastc", level)
			c.name = "basisu level " + level
			all = append(all, c)
		}
		decode = func(blocks []byte) ([]byte, error) { return transcoded(program, target, blocks) }
	case target != "uastc":
		return nil, fmt.Errorf("format %q needs the program of testdata/uastc.cpp", format)
	}
	for i := range all {
		all[i].decode = decode
	}
	return all, nil
}

// oursUASTC returns package uastc as a contestant.
func oursUASTC(name string, q blockfit.Quality) contestant {
	return contestant{name: "ours " + name, run: func(ctx context.Context, pictures []picture) (all [][]byte, seconds []float64, err error) {
		for _, p := range pictures {
			blocks := make([]byte, 16*blockfit.Grid{W: side, H: side, Side: 4}.Blocks())
			start, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			if err := uastc.Encode(ctx, blocks, p.pix, side, side, blockfit.Options{Quality: q}); err != nil {
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

func decodeUASTC(blocks []byte) []byte {
	pix := make([]byte, 4*side*side)
	for at := range len(blocks) / 16 {
		var decoded [64]byte
		uastc.DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]))
		for row := range 4 {
			copy(pix[4*((at/(side/4)*4+row)*side+at%(side/4)*4):][:16], decoded[16*row:])
		}
	}
	return pix
}

// transcoded transcodes blocks to a format with basis_universal.
func transcoded(program, format string, blocks []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "uastcbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, blocks, 0o600); err != nil {
		return nil, err
	}
	run := exec.Command(program, "transcode", format, strconv.Itoa(side), strconv.Itoa(side), "1", in, out)
	var complaint bytes.Buffer
	run.Stderr = &complaint
	if err := run.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, complaint.String())
	}
	pix, err := os.ReadFile(out)
	if err == nil && len(pix) != 4*side*side {
		err = fmt.Errorf("%s: %d bytes of a picture", program, len(pix))
	}
	return pix, err
}
