package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// least is the minimum PSNR, in dB, of a decoded sample.
const least = 38

// ddsReaders are programs that convert a DDS file to 8-bit RGBA pixels on standard output.
var ddsReaders = []struct {
	name string
	argv func(file string) []string
	must []string // names of the samples that the program must support
	says string   // text in the output of -version, because other programs may have the same name
}{
	{"ffmpeg", func(file string) []string {
		return []string{"-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgba", "-"}
	}, []string{"bc1", "bc1-srgb", "bc3", "bc3-srgb", "bc4", "bc5"}, "ffmpeg version"},
	// ImageMagick 6 supports only legacy headers.
	{"convert", func(file string) []string { return []string{file + "[0]", "-depth", "8", "rgba:-"} }, []string{"bc1", "bc1a", "bc3", "bc3-cube"}, "ImageMagick"},
}

// askDDSReaders writes the samples as DDS and returns the number of samples that a reader decodes
// to a different image.
func askDDSReaders(ctx context.Context, dir string, samples []sample) (wrong int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	samples = slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return !dds.Holds(s.texture.Format) })
	for _, s := range samples {
		var b bytes.Buffer
		if err := dds.Write(ctx, &b, s.texture, dds.Auto); err != nil {
			return 0, fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.name+".dds"), b.Bytes(), 0o644); err != nil {
			return 0, err
		}
	}
	for _, r := range ddsReaders {
		if said, _ := exec.CommandContext(ctx, r.name, "-version").Output(); !bytes.Contains(said, []byte(r.says)) {
			fmt.Printf("%s: not there\n", r.name)
			continue
		}
		for _, s := range samples {
			var said bytes.Buffer
			cmd := exec.CommandContext(ctx, r.name, r.argv(filepath.Join(dir, s.name+".dds"))...)
			cmd.Stderr = &said
			pix, err := cmd.Output()
			answer, known, fine := judge(s, pix, err, said.Bytes())
			if !fine || !known && slices.Contains(r.must, s.name) {
				wrong++
			}
			fmt.Printf("%-10s %-18s %s\n", r.name, s.name, answer)
		}
	}
	return wrong, nil
}

// judge compares the decoded pixels with the source of a sample.
func judge(s sample, pix []byte, err error, said []byte) (answer string, known, fine bool) {
	if err != nil || len(pix) == 0 {
		first, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
		return fmt.Sprintf("not supported: %s", first[:min(len(first), 90)]), false, true
	}
	if len(pix) != 4*side*side {
		return fmt.Sprintf("DIFFERS: %d bytes, not %d", len(pix), 4*side*side), true, false
	}
	channels := s.texture.Format.Channels()
	switch s.texture.Format {
	case texture.RGBA8, texture.RGBA16: // ffmpeg 5.1 swaps red and blue in files with this header
		swapped := pix[0] > pix[2] // the first pixel is blue
		for i := 0; swapped && i < len(pix); i += 4 {
			pix[i], pix[i+2] = pix[i+2], pix[i]
		}
	case texture.R16F, texture.R32F, texture.RGBA16F:
		return "not supported: floats are read as integers", false, true
	}
	if s.texture.Format == texture.BC1A {
		channels = "a" // fully transparent pixels lose their colors
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
		return fmt.Sprintf("DIFFERS: %.1f dB in %s", like, channels), true, false
	}
	return fmt.Sprintf("%.1f dB in %s", like, channels), true, true
}
