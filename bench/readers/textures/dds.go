package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/recipe/image/dds"
	"github.com/assetcook/assetcook/cook/recipe/image/texture"
)

// least is the likeness in decibels that a decoded sample must have.
const least = 38

// askFFmpeg writes the samples as DDS and returns how many ffmpeg turns into
// another picture.
func askFFmpeg(ctx context.Context, dir string, samples []sample) (wrong int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		fmt.Println("ffmpeg: not there")
		return 0, nil
	}
	for _, s := range samples {
		file := filepath.Join(dir, s.name+".dds")
		var b bytes.Buffer
		if err := dds.Write(ctx, &b, s.texture); err != nil {
			return 0, fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return 0, err
		}
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgba", "-")
		cmd.Stderr = &said
		pix, err := cmd.Output()
		answer, fine := judge(s, pix, err, said.Bytes())
		if !fine {
			wrong++
		}
		fmt.Printf("%-10s %-18s %s\n", "ffmpeg", s.name, answer)
	}
	return wrong, nil
}

// judge compares decoded pixels with a sample's source.
func judge(s sample, pix []byte, err error, said []byte) (answer string, fine bool) {
	if err != nil || len(pix) == 0 {
		first, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
		return fmt.Sprintf("not known to it: %s", first[:min(len(first), 90)]), true
	}
	if len(pix) != 4*side*side {
		return fmt.Sprintf("DIFFERS: %d bytes, not %d", len(pix), 4*side*side), false
	}
	channels := s.texture.Format.Channels()
	switch s.texture.Format {
	case texture.RGBA8: // ffmpeg 5.1 takes red for blue in files with this header
		swapped := pix[0] > pix[2] // the first pixel is blue
		for i := 0; swapped && i < len(pix); i += 4 {
			pix[i], pix[i+2] = pix[i+2], pix[i]
		}
	case texture.RGBA16F:
		return "not known to it: takes half floats for whole numbers", true
	}
	if s.texture.Format == texture.BC1A {
		channels = "a" // its colours under clear pixels are black
	}
	sum, n := 0.0, 0
	for i, v := range pix {
		if i%4 >= len(channels) && channels != "a" || channels == "a" && i%4 != 3 {
			continue
		}
		want := float64(s.source.Pix8[i])
		if channels == "a" {
			want = 255 * math.Round(want/255)
		}
		d := float64(v) - want
		sum += d * d
		n++
	}
	like := 10 * math.Log10(255*255*float64(n)/max(sum, 1e-6))
	if like < least {
		return fmt.Sprintf("DIFFERS: %.1f dB in %s", like, channels), false
	}
	return fmt.Sprintf("%.1f dB in %s", like, channels), true
}
