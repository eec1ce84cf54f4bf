//go:build amd64 || arm64

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/woozymasta/bcn"

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// A contestant compresses pictures.
type contestant struct {
	name string
	// run returns the blocks of each picture, and the CPU seconds for each.
	run func(ctx context.Context, pictures []picture) (blocks [][]byte, seconds []float64, err error)
	// decode returns the pixels of blocks; nil for BC7.
	decode func(blocks []byte) ([]byte, error)
}

// ours returns package bc7 as a contestant.
func ours(name string, o bc7.Options) contestant {
	return contestant{name: "ours " + name, run: func(ctx context.Context, pictures []picture) ([][]byte, []float64, error) {
		var all [][]byte
		var seconds []float64
		for _, p := range pictures {
			blocks := make([]byte, 16*blockfit.Grid{W: side, H: side, Side: 4}.Blocks())
			start, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			if err := bc7.Encode(ctx, blocks, p.pix, side, side, o); err != nil {
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

// library returns github.com/woozymasta/bcn as a contestant.
func library(level int) contestant {
	return contestant{name: fmt.Sprintf("bcn (Go) %d", level), run: func(_ context.Context, pictures []picture) ([][]byte, []float64, error) {
		var all [][]byte
		var seconds []float64
		for _, p := range pictures {
			start, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			blocks, err := bcn.EncodeBC7WithOptions(p.pix, side, side, &bcn.EncodeOptions{QualityLevel: level, Workers: 1})
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

// peer is an encoder in the program built from testdata/peer.cpp, with blocks of 16 bytes.
func peer(program, encoder, level string) contestant { return peerOf(program, encoder, level, 16) }

// peerOf is an encoder in a program with the command line of testdata/peer.cpp.
func peerOf(program, encoder, level string, blockBytes int) contestant {
	size := side * side / 16 * blockBytes
	return contestant{name: encoder + " " + level, run: func(ctx context.Context, pictures []picture) (blocks [][]byte, seconds []float64, err error) {
		dir, err := os.MkdirTemp("", "bc7bench")
		if err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(dir)
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		var all []byte
		for _, p := range pictures {
			all = append(all, p.pix...)
		}
		if err := os.WriteFile(in, all, 0o600); err != nil {
			return nil, nil, err
		}
		run := exec.CommandContext(ctx, program, encoder, level, strconv.Itoa(side), strconv.Itoa(side), "1", in, out)
		var complaint bytes.Buffer
		run.Stderr = &complaint
		answer, err := run.Output()
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w: %s", program, encoder, err, complaint.String())
		}
		for lines := bufio.NewScanner(bytes.NewReader(answer)); lines.Scan(); {
			s, err := strconv.ParseFloat(strings.TrimSpace(lines.Text()), 64)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", program, err)
			}
			seconds = append(seconds, s)
		}
		all, err = os.ReadFile(out)
		if err != nil {
			return nil, nil, err
		}
		if len(all) != len(pictures)*size || len(seconds) != len(pictures) {
			return nil, nil, fmt.Errorf("%s %s: %d bytes and %d times of %d pictures", program, encoder, len(all), len(seconds), len(pictures))
		}
		for range pictures {
			blocks = append(blocks, all[:size])
			all = all[size:]
		}
		return blocks, seconds, nil
	}}
}

// A result is a contestant's result for one picture.
type result struct {
	seconds float64 // minimum of all rounds
	psnr    float64
	zstd    int     // bytes
	leaks   bool    // an opaque picture got transparent pixels
	degrees float64 // mean angle error of a normal map's vectors
}

// contest runs all contestants in turn, round after round, so that other load on the
// machine affects all of them.
func contest(ctx context.Context, pictures []picture, all []contestant, rounds int) ([][]result, error) {
	results := make([][]result, len(all))
	for round := range rounds {
		for i, c := range all {
			blocks, seconds, err := c.run(ctx, pictures)
			if err != nil {
				return nil, err
			}
			if round == 0 {
				for j, p := range pictures {
					r, err := judge(p, blocks[j], c.decode)
					if err != nil {
						return nil, err
					}
					r.seconds = seconds[j]
					results[i] = append(results[i], r)
				}
			}
			for j, s := range seconds {
				results[i][j].seconds = min(results[i][j].seconds, s)
			}
		}
	}
	return results, nil
}

// judge measures blocks. If decode is nil, they are BC7 and are decoded by a decoder that is
// independent of all contestants.
func judge(p picture, blocks []byte, decode func([]byte) ([]byte, error)) (r result, err error) {
	if decode == nil {
		decode = func(blocks []byte) ([]byte, error) { return bcn.DecodeBC7(blocks, side, side) }
	}
	pix, err := decode(blocks)
	if err != nil {
		return r, err
	}
	if p.kind == normalMap {
		r.degrees = meanAngle(pix, p.pix)
	}
	var sum, count float64
	for i, v := range p.pix {
		if i%4 == 3 && !p.alpha {
			r.leaks = r.leaks || pix[i] != 255
			continue
		}
		d := float64(v) - float64(pix[i])
		sum += d * d
		count++
	}
	r.psnr = 10 * math.Log10(255*255*count/max(sum, 1e-9*count))
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return r, err
	}
	r.zstd = len(encoder.EncodeAll(blocks, nil))
	return r, encoder.Close()
}

// meanAngle returns the mean angle in degrees between the normals of two normal maps.
func meanAngle(a, b []byte) float64 {
	sum := 0.0
	for i := 0; i < len(a); i += 4 {
		var dot, aa, bb float64
		for c := i; c < i+3; c++ {
			x, y := float64(a[c])/127.5-1, float64(b[c])/127.5-1
			dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
		}
		sum += math.Acos(max(-1, min(dot/math.Sqrt(aa*bb), 1)))
	}
	return sum / float64(len(a)/4) * 180 / math.Pi
}
