//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/bc7"
)

// slope is a picture that is easily compressed.
func slope(alpha byte) picture {
	p := picture{crop: crop{kind: "slope", path: "slope.png"}, alpha: alpha != 255}
	for y := range side {
		for x := range side {
			p.pix = append(p.pix, byte(x/2), byte(y/2), 50, alpha)
		}
	}
	return p
}

func TestJudge(t *testing.T) {
	p := slope(255)
	blocks := make([]byte, bc7.Size(side, side))
	if err := bc7.Encode(t.Context(), blocks, p.pix, side, side, bc7.Options{}); err != nil {
		t.Fatal(err)
	}
	good, err := judge(p, blocks)
	if err != nil {
		t.Fatal(err)
	}
	if good.psnr < 40 || good.psnr > 70 || good.leaks || good.zstd == 0 || good.zstd > len(blocks) {
		t.Errorf("%+v", good)
	}
	clear(blocks[:16]) // the reserved mode: black and transparent
	bad, err := judge(p, blocks)
	if err != nil {
		t.Fatal(err)
	}
	if !bad.leaks || bad.psnr >= good.psnr {
		t.Errorf("a block missing: %+v, before %+v", bad, good)
	}
	p.alpha = true
	if r, err := judge(p, blocks); err != nil || r.leaks || r.psnr >= bad.psnr {
		t.Errorf("with alpha: %+v, %v; color alone had %.2f dB", r, err, bad.psnr)
	}
}

// The least time of all rounds counts, and the rows of the table are the means.
func TestContestTable(t *testing.T) {
	pictures := []picture{slope(255), slope(7)}
	blocks := make([]byte, bc7.Size(side, side))
	round := 0.0
	fake := contestant{"fake", func(context.Context, []picture) ([][]byte, []float64, error) {
		round++
		return [][]byte{blocks, blocks}, []float64{2 / round, 0.5 * round}, nil
	}}
	results, err := contest(t.Context(), pictures, []contestant{fake}, 4)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := table(&out, pictures, []contestant{fake}, results); err != nil {
		t.Fatal(err)
	}
	// Two pictures of 512x512 in 0.5 + 0.5 seconds.
	if want := "| fake (opaque pixels become transparent) | 0.52 |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if want := "2. slope: `slope.png` from 0, 0 (RGBA)"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
