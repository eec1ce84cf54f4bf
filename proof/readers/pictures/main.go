// Command pictures compares the decoders of package source with reference decoders: djpeg of
// libjpeg-turbo and dwebp of libwebp. It decodes each JPEG and WebP below the given directories. It
// also encodes every image with cwebp, and with cjpeg for each chroma subsampling, and decodes the
// results.
//
// It prints the mean and the worst PSNR of each kind; equal pixels count as 99 dB. It fails if a
// file is accepted in which djpeg reports damage, or if a PSNR is below -least.
//
//	go run ./proof/readers/pictures [-n 200] DIR...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/bench/peers"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
)

func main() {
	n := flag.Int("n", 200, "compare this many `pictures`, evenly chosen")
	least := flag.Float64("least", 0, "fail below this PSNR, in `dB`")
	flag.Parse()
	if err := readPictureTrees(context.Background(), flag.Args(), *n, *least); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// These are the encoders by kind. Each reads the PPM file in.ppm and writes the file out.
var encoders = []struct {
	kind, ext string
	argv      []string
}{
	{"jpeg 4:4:4", ".jpg", []string{"cjpeg", "-quality", "90", "-sample", "1x1", "-outfile", "out", "in.ppm"}},
	{"jpeg 4:2:2", ".jpg", []string{"cjpeg", "-quality", "90", "-sample", "2x1", "-outfile", "out", "in.ppm"}},
	{"jpeg 4:2:0", ".jpg", []string{"cjpeg", "-quality", "90", "-sample", "2x2", "-outfile", "out", "in.ppm"}},
	{"jpeg 4:2:0 progressive", ".jpg", []string{"cjpeg", "-progressive", "-quality", "90", "-sample", "2x2", "-outfile", "out", "in.ppm"}},
	{"jpeg 4:4:0", ".jpg", []string{"cjpeg", "-quality", "90", "-sample", "1x2", "-outfile", "out", "in.ppm"}},
	{"jpeg 4:1:1", ".jpg", []string{"cjpeg", "-quality", "90", "-sample", "4x1", "-outfile", "out", "in.ppm"}},
	{"webp", ".webp", []string{"cwebp", "-quiet", "-q", "85", "in.ppm", "-o", "out"}},
}

// A score has the totals for the images of one kind.
type score struct {
	pictures int
	sum      float64
	worst    float64
	name     string
}

func readPictureTrees(ctx context.Context, dirs []string, n int, least float64) error {
	dir, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files, err := findImages(dirs, n)
	if err != nil {
		return err
	}
	scores := map[string]*score{}
	var faults []string
	add := func(kind, name, ext string, data []byte) {
		dB, err := comparePictures(ctx, dir, ext, data)
		if errors.Is(err, errTurned) {
			return
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s, %s: %v", name, kind, err))
			return
		}
		s := scores[kind]
		if s == nil {
			s = &score{worst: math.Inf(1)}
			scores[kind] = s
		}
		s.pictures++
		s.sum += dB
		if dB < s.worst {
			s.worst, s.name = dB, name
		}
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if ext := strings.ToLower(filepath.Ext(name)); ext != ".png" {
			add(ext[1:]+" as shipped", name, ext, data)
		}
		m, _, err := source.Decode(ctx, data, "", 16384)
		if err != nil || m.Pix8 == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "in.ppm"), ppm(m), 0o666); err != nil {
			return err
		}
		for _, e := range encoders {
			if out, err := command(ctx, dir, e.argv...); err != nil {
				return fmt.Errorf("%s: %v: %w %s", name, e.argv, err, out)
			}
			packed, err := os.ReadFile(filepath.Join(dir, "out"))
			if err != nil {
				return err
			}
			add(e.kind, name, e.ext, packed)
		}
	}
	for kind, s := range scores {
		if s.worst < least {
			faults = append(faults, fmt.Sprintf("%s: %.1f dB in %s", kind, s.worst, s.name))
		}
	}
	printScores(scores)
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}

func printScores(scores map[string]*score) {
	var kinds []string
	for kind := range scores {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		s := scores[kind]
		fmt.Printf("%-24s %4d pictures, mean %5.2f dB, worst %5.2f dB (%s)\n", kind, s.pictures, s.sum/float64(s.pictures), s.worst, filepath.Base(s.name))
	}
}

// findImages returns up to n images below the directories, evenly distributed over all.
func findImages(dirs []string, n int) ([]string, error) {
	var all []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains([]string{".jpg", ".jpeg", ".webp", ".png"}, strings.ToLower(filepath.Ext(name))) {
				all = append(all, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var chosen []string
	for i := range min(n, len(all)) {
		chosen = append(chosen, all[i*len(all)/min(n, len(all))])
	}
	return chosen, nil
}

// comparePictures returns the PSNR in dB between our pixels and the reference decoder's.
func comparePictures(ctx context.Context, dir, ext string, data []byte) (float64, error) {
	want, said, err := peers.Decode(ctx, dir, ext, data)
	if err != nil {
		return 0, err
	}
	m, info, err := source.Decode(ctx, data, ext, 65535)
	switch {
	case said != "" && err == nil && info.Notes == nil:
		return 0, fmt.Errorf("accepted without a warning, but the reference decoder reports: %s", said)
	case said != "":
		return peers.Equal, nil
	case err != nil:
		return 0, fmt.Errorf("refused, but the reference decoder accepts it: %w", err)
	}
	if info.Orientation > 1 {
		return 0, errTurned
	}
	return peers.PSNR(m, want)
}

// errTurned means that package source rotated an image upright, which the reference decoders do not
// do.
var errTurned = errors.New("turned upright")

func ppm(m *pixmap.Map) []byte {
	b := fmt.Appendf(nil, "P6\n%d %d\n255\n", m.W, m.H)
	for i := 0; i < len(m.Pix8); i += 4 {
		b = append(b, m.Pix8[i:i+3]...)
	}
	return b
}

func command(ctx context.Context, dir string, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}
