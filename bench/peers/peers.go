// Package peers decodes images with the reference decoders: djpeg of libjpeg-turbo and dwebp of
// libwebp, as packaged by Debian.
package peers

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Knows reports whether there is a decoder for the file extension.
func Knows(ext string) bool {
	name := program(ext)
	if name == "" {
		return false
	}
	_, err := exec.LookPath(name)
	return err == nil
}

func program(ext string) string {
	switch ext {
	case ".jpg", ".jpeg":
		return "djpeg"
	case ".webp":
		return "dwebp"
	}
	return ""
}

// Decode decodes a file in directory dir. It returns a PNM file and the decoder's messages, which
// are empty for a valid file.
func Decode(ctx context.Context, dir, ext string, data []byte) (pnm []byte, said string, err error) {
	in, out := filepath.Join(dir, "peer"+ext), filepath.Join(dir, "peer.pnm")
	if err := os.WriteFile(in, data, 0o666); err != nil {
		return nil, "", err
	}
	argv := []string{"djpeg", "-pnm", "-outfile", out, in}
	if program(ext) == "dwebp" {
		argv = []string{"dwebp", "-quiet", "-ppm", in, "-o", out}
	}
	os.Remove(out)
	text, failure := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	said = strings.TrimSpace(string(text))
	if failure != nil && said == "" {
		said = failure.Error()
	}
	pnm, _ = os.ReadFile(out) // The error is ignored, because after a failure there is no file.
	return pnm, said, ctx.Err()
}

// Equal is the value in dB that PSNR returns for identical images.
const Equal = 99

// PSNR returns the PSNR in dB between the colors of m, with 8 bits each, and a PNM file.
func PSNR(m *pixmap.Map, pnm []byte) (float64, error) {
	var kind, w, h, top int
	if _, err := fmt.Fscanf(bytes.NewReader(pnm), "P%d\n%d %d\n%d\n", &kind, &w, &h, &top); err != nil {
		return 0, err
	}
	channels := map[int]int{5: 1, 6: 3}[kind]
	if w != m.W || h != m.H || top != 255 || channels == 0 || len(pnm) < channels*w*h || len(m.Pix8) != 4*w*h {
		return 0, fmt.Errorf("%d x %d pixels, the reference has %d x %d (P%d)", m.W, m.H, w, h, kind)
	}
	pix := pnm[len(pnm)-channels*w*h:]
	sum := 0.0
	for i := range w * h {
		for c := range 3 {
			d := float64(m.Pix8[4*i+c]) - float64(pix[channels*i+c%channels])
			sum += d * d
		}
	}
	if sum == 0 {
		return Equal, nil
	}
	return 10 * math.Log10(255*255*3*float64(w*h)/sum), nil
}
