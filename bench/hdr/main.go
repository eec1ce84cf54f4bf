//go:build linux

// Command hdr compares the encoders of high dynamic range with astcenc, or with the program basisu
// of Basis Universal, on OpenEXR images:
//
//	go run ./bench/hdr -format astc6x6-hdr -astcenc PROGRAM DIRECTORY
//	go run ./bench/hdr -format uastc-hdr -basisu PROGRAM DIRECTORY
//
// The format uastc-hdr-bc6h is uastc-hdr, transcoded to BC6H.
//
// Each image is cropped to its center, 512x512 pixels at most. Errors are squared differences of
// log2(1+v). A row has decibels relative to astcenc's quality -medium or basisu's level 1, its
// default, for the same image, if the program is given, and the number of values below 1 that become
// brighter than 4. All encoders run on one thread. The time of a program includes reading a file,
// but not the start of the program, which is measured with an image of one block and subtracted.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func main() {
	format := flag.String("format", "astc4x4-hdr", "the `format`: bc6h, uastc-hdr, uastc-hdr-bc6h or one of ASTC")
	program := flag.String("astcenc", "", "Arm's `program` astcenc")
	basis := flag.String("basisu", "", "the `program` basisu")
	flag.Parse()
	if err := compareOn(context.Background(), flag.Arg(0), *format, *program, *basis); err != nil {
		fmt.Fprintf(os.Stderr, "hdr: %v\n", err)
		os.Exit(1)
	}
}

// An encoder is a contestant.
type encoder struct {
	name   string
	encode func(ctx context.Context, m *pixmap.Map) (blocks []byte, seconds float64, err error)
}

// A score is the result of an encoder for one image.
type score struct {
	err  float64 // mean squared error
	glow int     // values below 1 that become brighter than 4
}

func compareOn(ctx context.Context, dir, name, program, basis string) error {
	name, transcoded := strings.CutSuffix(name, "-bc6h")
	f, err := texture.ParseFormat(name)
	if err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.exr"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no OpenEXR images in %q: %v", dir, err)
	}
	var images []*pixmap.Map
	for _, path := range paths {
		m, err := loadCrop(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		images = append(images, m)
	}
	encoders := []encoder{{"fast", ours(f, texenc.Fast)}, {"normal", ours(f, texenc.Normal)}, {"best", ours(f, texenc.Best)}}
	if program != "" && f.IsASTCHDR() {
		for _, preset := range []string{"-fast", "-medium", "-thorough"} {
			encoders = append(encoders, encoder{"astcenc " + preset, astcenc(program, preset, f)})
		}
	}
	if basis != "" && f == texture.UASTCHDR {
		for level := range 3 {
			encoders = append(encoders, encoder{fmt.Sprint("basisu level ", level), basisu(basis, level)})
		}
	}
	scores, seconds, err := runAll(ctx, f, transcoded, images, encoders)
	if err != nil {
		return err
	}
	reference := slices.IndexFunc(encoders, func(e encoder) bool { return e.name == "astcenc -medium" || e.name == "basisu level 1" })
	if reference < 0 {
		reference = 1
	}
	printScores(encoders, scores, seconds, reference)
	return nil
}

// runAll returns the score of each encoder for each image, and the CPU seconds that each encoder
// took.
func runAll(ctx context.Context, f texture.Format, transcoded bool, images []*pixmap.Map, encoders []encoder) (scores [][]score, seconds []float64, err error) {
	scores, seconds = make([][]score, len(encoders)), make([]float64, len(encoders))
	for _, m := range images {
		for i, e := range encoders {
			blocks, s, err := e.encode(ctx, m)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", e.name, err)
			}
			t := &texture.Texture{Format: f, W: m.W, H: m.H, Levels: [][]byte{blocks}}
			for at := 0; transcoded && at < len(blocks); at += 16 {
				b, ok := astc.TranscodeUniversal((*[16]byte)(blocks[at:]))
				if !ok {
					return nil, nil, fmt.Errorf("%s: a block is not UASTC HDR", e.name)
				}
				t.Format = texture.BC6H
				copy(blocks[at:], b[:])
			}
			got, err := cooked.Level(ctx, t, 0, 0)
			if err != nil {
				return nil, nil, err
			}
			seconds[i] += s
			scores[i] = append(scores[i], compareLight(got, m))
		}
	}
	return scores, seconds, nil
}

func printScores(encoders []encoder, scores [][]score, seconds []float64, reference int) {
	fmt.Printf("| encoder | CPU s | dB, median | mean | worst | ahead | behind | glow |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for i, e := range encoders {
		var db []float64
		ahead, behind, glow, sum := 0, 0, 0, 0.0
		for k, s := range scores[i] {
			d := 10 * math.Log10(max(scores[reference][k].err, 1e-12)/max(s.err, 1e-12))
			db = append(db, d)
			sum += d
			glow += s.glow
			if d > 0.02 {
				ahead++
			} else if d < -0.02 {
				behind++
			}
		}
		slices.Sort(db)
		fmt.Printf("| %s | %.2f | %+.2f | %+.2f | %+.2f | %d | %d | %d |\n", e.name, seconds[i], (db[len(db)/2]+db[(len(db)-1)/2])/2, sum/float64(len(db)), db[0], ahead, behind, glow)
	}
}

// loadCrop reads the center of an image as float32 values, rounded to half precision and at least
// 0.
func loadCrop(ctx context.Context, path string) (*pixmap.Map, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, _, err := source.Decode(ctx, data, ".exr", 1<<16)
	if err != nil {
		return nil, err
	}
	w, h := min(m.W, 512), min(m.H, 512)
	crop := pixmap.New(w, h, pixmap.Float)
	for y := range h {
		copy(crop.PixF[4*w*y:][:4*w], m.PixF[4*((y+(m.H-h)/2)*m.W+(m.W-w)/2):])
	}
	half, err := texenc.Encode(ctx, texture.RGBA16F, crop, texenc.Options{})
	if err != nil {
		return nil, err
	}
	for i := range crop.PixF {
		v := pixmap.HalfValue(binary.LittleEndian.Uint16(half[2*i:]))
		if crop.PixF[i] = max(0, v); i%4 == 3 {
			crop.PixF[i] = 1
		}
	}
	return crop, nil
}

func compareLight(got, want *pixmap.Map) (s score) {
	n := 0
	for i, v := range want.PixF {
		if i%4 == 3 {
			continue
		}
		n++
		d := math.Log2(1+float64(got.PixF[i])) - math.Log2(1+float64(v))
		s.err += d * d
		if v < 1 && got.PixF[i] > 4 {
			s.glow++
		}
	}
	s.err /= float64(n)
	return s
}

func ours(f texture.Format, q blockfit.Quality) func(ctx context.Context, m *pixmap.Map) ([]byte, float64, error) {
	return func(ctx context.Context, m *pixmap.Map) ([]byte, float64, error) {
		start := cpuSeconds(syscall.RUSAGE_SELF)
		blocks, err := texenc.Encode(ctx, f, m, texenc.Options{Quality: q})
		return blocks, cpuSeconds(syscall.RUSAGE_SELF) - start, err
	}
}

func astcenc(program, preset string, f texture.Format) func(ctx context.Context, m *pixmap.Map) ([]byte, float64, error) {
	wide, high, _ := f.Block()
	block := astc.Size{W: wide, H: high}
	startup := -1.0
	return func(ctx context.Context, m *pixmap.Map) ([]byte, float64, error) {
		if startup < 0 {
			small := pixmap.New(wide, high, pixmap.Float)
			_, s, err := runAstcenc(ctx, program, preset, block, small)
			if err != nil {
				return nil, 0, err
			}
			startup = s
		}
		blocks, s, err := runAstcenc(ctx, program, preset, block, m)
		return blocks, max(0, s-startup), err
	}
}

// runAstcenc compresses an image with astcenc, through files in a temporary directory.
func runAstcenc(ctx context.Context, program, preset string, block astc.Size, m *pixmap.Map) ([]byte, float64, error) {
	dir, err := os.MkdirTemp("", "astcbench")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	half, err := texenc.Encode(ctx, texture.RGBA16F, m, texenc.Options{})
	if err != nil {
		return nil, 0, err
	}
	file := []byte("\xabKTX 11\xbb\r\n\x1a\n")
	for _, v := range []uint32{0x04030201, 0x140b, 2, 0x1908, 0x881a, 0x1908, uint32(m.W), uint32(m.H), 0, 0, 1, 1, 0, uint32(len(half))} {
		file = binary.LittleEndian.AppendUint32(file, v)
	}
	in, out := filepath.Join(dir, "in.ktx"), filepath.Join(dir, "out.astc")
	if err := os.WriteFile(in, append(file, half...), 0o600); err != nil {
		return nil, 0, err
	}
	run := exec.CommandContext(ctx, program, "-ch", in, out, fmt.Sprintf("%dx%d", block.W, block.H), preset, "-j", "1", "-silent")
	if said, err := run.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", program, err, said)
	}
	blocks, err := os.ReadFile(out)
	if err != nil {
		return nil, 0, err
	}
	return blocks[16:], (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), nil
}

// basisu returns an encoder that runs the program basisu on one thread.
func basisu(program string, level int) func(ctx context.Context, m *pixmap.Map) ([]byte, float64, error) {
	startup := -1.0
	return func(ctx context.Context, m *pixmap.Map) ([]byte, float64, error) {
		if startup < 0 {
			_, s, err := runBasisu(ctx, program, level, pixmap.New(4, 4, pixmap.Float))
			if err != nil {
				return nil, 0, err
			}
			startup = s
		}
		blocks, s, err := runBasisu(ctx, program, level, m)
		return blocks, max(0, s-startup), err
	}
}

// runBasisu compresses an image to UASTC HDR, through files in a temporary directory.
func runBasisu(ctx context.Context, program string, level int, m *pixmap.Map) ([]byte, float64, error) {
	dir, err := os.MkdirTemp("", "basisbench")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.exr"), filepath.Join(dir, "out.ktx2")
	if err := os.WriteFile(in, openEXR(m), 0o600); err != nil {
		return nil, 0, err
	}
	run := exec.CommandContext(ctx, program, "-hdr", "-uastc_level", fmt.Sprint(level), "-no_multithreading", "-file", in, "-output_file", out)
	if said, err := run.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", program, err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, 0, err
	}
	t, err := ktx2.Read(data, 1<<30)
	if err != nil {
		return nil, 0, err
	}
	return t.Levels[0], (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), nil
}

// openEXR returns an uncompressed OpenEXR file of floats.
func openEXR(m *pixmap.Map) []byte {
	le := binary.LittleEndian
	file := []byte{0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0}
	attribute := func(name, kind string, value []byte) {
		file = append(append(file, name+"\x00"+kind+"\x00"...), byte(len(value)), 0, 0, 0)
		file = append(file, value...)
	}
	var channels, window []byte
	for _, name := range "BGR" {
		channels = append(channels, byte(name), 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
	}
	for _, v := range []int{0, 0, m.W - 1, m.H - 1} {
		window = le.AppendUint32(window, uint32(v))
	}
	one := le.AppendUint32(nil, math.Float32bits(1))
	attribute("channels", "chlist", append(channels, 0))
	attribute("compression", "compression", []byte{0})
	attribute("dataWindow", "box2i", window)
	attribute("displayWindow", "box2i", window)
	attribute("lineOrder", "lineOrder", []byte{0})
	attribute("pixelAspectRatio", "float", one)
	attribute("screenWindowCenter", "v2f", make([]byte, 8))
	attribute("screenWindowWidth", "float", one)
	file = append(file, 0)
	first, row := len(file)+8*m.H, 8+12*m.W
	for y := range m.H {
		file = le.AppendUint64(file, uint64(first+y*row))
	}
	for y := range m.H {
		file = le.AppendUint32(le.AppendUint32(file, uint32(y)), uint32(12*m.W))
		for c := 2; c >= 0; c-- {
			for x := range m.W {
				file = le.AppendUint32(file, math.Float32bits(m.PixF[4*(y*m.W+x)+c]))
			}
		}
	}
	return file
}

// cpuSeconds returns the CPU time of the process.
func cpuSeconds(who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
