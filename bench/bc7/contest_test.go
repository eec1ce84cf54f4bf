//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// slope returns an image that compresses easily.
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
	blocks := make([]byte, 16*blockfit.Grid{W: side, H: side, Side: 4}.Blocks())
	if err := bc7.Encode(t.Context(), blocks, p.pix, side, side, bc7.Options{}); err != nil {
		t.Fatal(err)
	}
	good, err := judge(p, blocks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if good.psnr < 40 || good.psnr > 70 || good.leaks || good.zstd == 0 || good.zstd > len(blocks) {
		t.Errorf("%+v", good)
	}
	clear(blocks[:16]) // Zero bytes are BC7's reserved mode, which decodes to transparent black.
	bad, err := judge(p, blocks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bad.leaks || bad.psnr >= good.psnr {
		t.Errorf("a block missing: %+v, before %+v", bad, good)
	}
	p.alpha = true
	if r, err := judge(p, blocks, nil); err != nil || r.leaks || r.psnr >= bad.psnr {
		t.Errorf("with alpha: %+v, %v; color alone had %.2f dB", r, err, bad.psnr)
	}
}

func TestContestTable(t *testing.T) {
	pictures := []picture{slope(255), slope(7)}
	blocks := make([]byte, 16*blockfit.Grid{W: side, H: side, Side: 4}.Blocks())
	round := 0.0
	fake := contestant{name: "fake", run: func(context.Context, []picture) ([][]byte, []float64, error) {
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
	if want := "| fake (opaque pixels become transparent) | 0.52 |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if want := "2. slope: `slope.png` from 0, 0 (RGBA)"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestMeanAngle(t *testing.T) {
	up, side := []byte{128, 128, 255, 255}, []byte{255, 128, 128, 0}
	if got := meanAngle(append(up, up...), append(up, side...)); got < 44 || got > 46 {
		t.Errorf("%v degrees of 0 and 90, want 45", got)
	}
}

func TestAngles(t *testing.T) {
	p := slope(255)
	for i := 0; i < len(p.pix); i += 4 {
		x, y := float64(p.pix[i])/127.5-1, float64(p.pix[i+1])/127.5-1
		p.pix[i], p.pix[i+1] = byte(127.5+60*x), byte(127.5+60*y)
	}
	restoreZ(p.pix, 1)
	var out bytes.Buffer
	if err := anglesOf(t.Context(), &out, p.pix, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`\| bc7 \| fast \| +\| 0\.\d+ \| +\|`, `\| eacrg11 \| best \| 0\.\d+ \| +\| +\|`, `\| astc8x8 \| normal \| 0\.\d+ \| 0\.\d+ \| +\|`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

func TestASTC(t *testing.T) {
	p := slope(255)
	for _, format := range []string{"astc4x4", "astc5x5", "astc6x5", "astc8x8", "astc10x6", "astc12x12"} {
		all, err := ofASTC(format, "")
		if err != nil {
			t.Fatal(err)
		}
		results, err := contest(t.Context(), []picture{p}, all[:1], 1)
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0][0]; r.psnr < 44 || r.leaks {
			t.Errorf("%s: %+v", format, r)
		}
	}
	if _, err := ofASTC("bc5", ""); err == nil {
		t.Error("bc5 is taken")
	}
}

func TestUASTC(t *testing.T) {
	all, err := ofUASTC("uastc", "")
	if err != nil {
		t.Fatal(err)
	}
	results, err := contest(t.Context(), []picture{slope(255)}, all[:1], 1)
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0][0]; r.psnr < 44 || r.leaks {
		t.Errorf("%+v", r)
	}
	if _, err := ofUASTC("uastc-bc7", ""); err == nil {
		t.Error("transcoding without a program gave no error")
	}
}
