//go:build unix

// Command lossywebp compares lossy WebP files of this module with files of cwebp, decoded by dwebp.
//
//	go run ./bench/lossywebp DIR [options of cwebp]
//
// For each effort it prints the bytes at equal PSNR of red, green and blue, as the mean over the PSNR
// that both reach; bytes and PSNR at equal quality; and the processor time of both, with reading the
// PNG file. Medians are over the images in DIR, and a loss is an image with more bytes at equal PSNR.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/vp8"
	"github.com/assetcook/assetcook/internal/image/webp"
)

func main() {
	if err := compareAll(); err != nil {
		fmt.Fprintln(os.Stderr, "lossywebp:", err)
		os.Exit(1)
	}
}

// qualities lists the quality settings of both encoders. PSNR between them is interpolated.
var qualities = []int{20, 40, 60, 75, 85, 93}

// efforts pairs efforts with methods of cwebp.
var efforts = []struct {
	name   string
	effort blockfit.Quality
	method int
}{{"fast", blockfit.Fast, 2}, {"normal", blockfit.Normal, 4}, {"best", blockfit.Best, 6}}

// A trial is the result of encoding an image at one quality.
type trial struct {
	size, psnr float64
	took       time.Duration
}

// A verdict compares both encoders on one image. Each number is a ratio to cwebp, except gain,
// which is in dB.
type verdict struct{ equalPSNR, equalQuality, gain, time float64 }

func compareAll() error {
	if len(os.Args) < 2 {
		return errors.New("want a directory of PNG files")
	}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.png"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("no PNG files"))
	}
	fmt.Printf("| effort | cwebp | images | bytes at equal PSNR | worst | losses | bytes at equal quality | PSNR at equal quality | time |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range efforts {
		var all []verdict
		for _, f := range files {
			v, err := compareImage(f, e.effort, e.method)
			if err != nil {
				return fmt.Errorf("%s: %w", f, err)
			}
			if math.IsNaN(v.equalPSNR) || math.IsInf(v.gain, 0) {
				fmt.Fprintf(os.Stderr, "%s, %s: left out, because a file has no error, or no PSNR is reached by both\n", e.name, f)
				continue
			}
			fmt.Fprintf(os.Stderr, "%s, %s: %.3f\n", e.name, f, v.equalPSNR)
			all = append(all, v)
		}
		if len(all) == 0 {
			return errors.New("no image can be compared")
		}
		losses, worst := 0, 0.0
		for _, v := range all {
			if worst = max(worst, v.equalPSNR); v.equalPSNR > 1 {
				losses++
			}
		}
		fmt.Printf("| `%s` | `-m %d` | %d | %.3f | %.3f | %d | %.3f | %+.2f dB | %.1f |\n", e.name, e.method, len(all),
			median(all, func(v verdict) float64 { return v.equalPSNR }), worst, losses,
			median(all, func(v verdict) float64 { return v.equalQuality }),
			median(all, func(v verdict) float64 { return v.gain }), median(all, func(v verdict) float64 { return v.time }))
	}
	return nil
}

func median(all []verdict, of func(verdict) float64) float64 {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b verdict) int { return cmp.Compare(of(a), of(b)) })
	return (of(sorted[(len(sorted)-1)/2]) + of(sorted[len(sorted)/2])) / 2
}

// compareImage encodes an image with both encoders in turn.
func compareImage(file string, effort blockfit.Quality, method int) (v verdict, err error) {
	var ours, theirs []trial
	var quality, gain float64
	var tookOurs, tookTheirs time.Duration
	for _, q := range qualities {
		a, m, err := encodeOurs(file, q, effort)
		if err != nil {
			return v, err
		}
		b, err := encodeTheirs(file, m, q, method)
		if err != nil {
			return v, err
		}
		ours, theirs = append(ours, a), append(theirs, b)
		quality += math.Log(a.size/b.size) / float64(len(qualities))
		gain += (a.psnr - b.psnr) / float64(len(qualities))
		tookOurs, tookTheirs = tookOurs+a.took, tookTheirs+b.took
	}
	return verdict{sizeAtEqualPSNR(ours, theirs), math.Exp(quality), gain, tookOurs.Seconds() / tookTheirs.Seconds()}, nil
}

func encodeOurs(file string, quality int, effort blockfit.Quality) (trial, *pixmap.Map, error) {
	before := processTime()
	data, err := os.ReadFile(file)
	if err != nil {
		return trial{}, nil, err
	}
	m, _, err := source.Decode(context.Background(), data, ".png", webp.MaxSide)
	if err != nil {
		return trial{}, nil, err
	}
	if m, err = pixmap.Convert(context.Background(), m, pixmap.Bits8, pixmap.SRGB); err != nil {
		return trial{}, nil, err
	}
	var out bytes.Buffer
	if err := webp.EncodeLossy(context.Background(), &out, m, vp8.Options{Quality: quality, Effort: effort, ByAlpha: true}); err != nil {
		return trial{}, nil, err
	}
	took := processTime() - before
	psnr, err := decodedPSNR(out.Bytes(), m)
	return trial{float64(out.Len()), psnr, took}, m, err
}

func encodeTheirs(file string, m *pixmap.Map, quality, method int) (trial, error) {
	args := slices.Concat([]string{"-quiet", "-q", strconv.Itoa(quality), "-m", strconv.Itoa(method)}, os.Args[2:], []string{file, "-o", "-"})
	c := exec.Command("cwebp", args...)
	out, err := c.Output()
	if err != nil {
		return trial{}, err
	}
	psnr, err := decodedPSNR(out, m)
	return trial{float64(len(out)), psnr, c.ProcessState.UserTime() + c.ProcessState.SystemTime()}, err
}

func processTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// decodedPSNR decodes a file with dwebp, and returns the PSNR of its colors, weighted by alpha.
func decodedPSNR(file []byte, m *pixmap.Map) (float64, error) {
	c := exec.Command("dwebp", "-quiet", "-pam", "-o", "-", "--", "-")
	c.Stdin = bytes.NewReader(file)
	out, err := c.Output()
	if err != nil {
		return 0, err
	}
	if len(out) < len(m.Pix8) {
		return 0, errors.New("dwebp wrote a smaller image")
	}
	got := out[len(out)-len(m.Pix8):]
	var sum, weight float64
	for i := 0; i < len(got); i += 4 {
		a := float64(m.Pix8[i+3])
		for j := range 3 {
			d := float64(got[i+j]) - float64(m.Pix8[i+j])
			sum += d * d * a
		}
		weight += 3 * a
	}
	return 10 * math.Log10(255*255*weight/sum), nil
}

// sizeAtEqualPSNR returns the geometric mean of the ratios of file sizes at 20 equally spaced PSNR
// values.
func sizeAtEqualPSNR(a, b []trial) float64 {
	low, high := max(a[0].psnr, b[0].psnr), min(a[len(a)-1].psnr, b[len(b)-1].psnr)
	sum := 0.0
	const steps = 20
	for i := range steps {
		at := low + (high-low)*(float64(i)+0.5)/steps
		sum += logSizeAt(a, at) - logSizeAt(b, at)
	}
	return math.Exp(sum / steps)
}

// logSizeAt returns the logarithm of the file size at a PSNR, interpolated between trials.
func logSizeAt(list []trial, psnr float64) float64 {
	i := 1
	for i < len(list)-1 && psnr > list[i].psnr {
		i++
	}
	t := (psnr - list[i-1].psnr) / (list[i].psnr - list[i-1].psnr)
	return math.Log(list[i-1].size)*(1-t) + math.Log(list[i].size)*t
}
