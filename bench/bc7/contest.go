//go:build amd64 || arm64

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/woozymasta/bcn"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// A contestant compresses images.
type contestant struct {
	name string
	// run compresses the images. It returns the blocks and the CPU seconds of each image.
	run func(ctx context.Context, pictures []picture) (blocks [][]byte, seconds []float64, err error)
	// decode returns the pixels of compressed blocks. It is nil for BC7.
	decode func(blocks []byte) ([]byte, error)
}

// timed returns a contestant that runs in this process. Its CPU time is measured for each image.
func timed(name string, encode func(ctx context.Context, pix []byte) (blocks []byte, err error)) contestant {
	return contestant{name: name, run: func(ctx context.Context, pictures []picture) (all [][]byte, seconds []float64, err error) {
		for _, p := range pictures {
			start, err := cpuSeconds()
			if err != nil {
				return nil, nil, err
			}
			blocks, err := encode(ctx, p.pix)
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

// square is the size of the blocks of all formats but ASTC.
var square = astc.Size{W: 4, H: 4}

// qualities returns a contestant for each quality level of an encoder of this module. A block has
// blockBytes bytes.
func qualities(block astc.Size, blockBytes int, encode func(ctx context.Context, blocks, pix []byte, q blockfit.Quality) error) (all []contestant) {
	for i, name := range []string{"fast", "normal", "best"} {
		all = append(all, timed("ours "+name, func(ctx context.Context, pix []byte) ([]byte, error) {
			blocks := make([]byte, blockBytes*blockfit.Grid{W: side, H: side, Side: block.W, Rows: block.H}.Blocks())
			return blocks, encode(ctx, blocks, pix, blockfit.Quality(i))
		}))
	}
	return all
}

// withRDO returns the contestants of qualities, and normal and best with RDO.
func withRDO(block astc.Size, encode func(ctx context.Context, blocks, pix []byte, q blockfit.Quality, rdo float64) error) []contestant {
	ours := func(rdo float64) []contestant {
		return qualities(block, 16, func(ctx context.Context, blocks, pix []byte, q blockfit.Quality) error {
			return encode(ctx, blocks, pix, q, rdo)
		})
	}
	all := ours(0)
	for _, c := range ours(0.5)[1:] {
		c.name += ", RDO 0.5 dB"
		all = append(all, c)
	}
	return all
}

// decodeBlocks decodes an image. A block has blockBytes bytes.
func decodeBlocks(blocks []byte, block astc.Size, blockBytes int, decode func(to *astc.Pixels, block []byte)) []byte {
	pix := make([]byte, 4*side*side)
	across := (side + block.W - 1) / block.W
	for at := range len(blocks) / blockBytes {
		var decoded astc.Pixels
		decode(&decoded, blocks[blockBytes*at:])
		for i := range block.W * block.H {
			if x, y := at%across*block.W+i%block.W, at/across*block.H+i/block.W; x < side && y < side {
				copy(pix[4*(y*side+x):][:4], decoded[4*i:])
			}
		}
	}
	return pix
}

// library returns a contestant that uses the Go package github.com/woozymasta/bcn.
func library(level int) contestant {
	return timed(fmt.Sprintf("bcn (Go) %d", level), func(_ context.Context, pix []byte) ([]byte, error) {
		return bcn.EncodeBC7WithOptions(pix, side, side, &bcn.EncodeOptions{QualityLevel: level, Workers: 1})
	})
}

// peer returns a contestant that runs the program built from testdata/peer.cpp. Its blocks have 16
// bytes.
func peer(program, encoder, level string) contestant { return peerOf(program, encoder, level, 16) }

// peerOf returns a contestant that runs a program with the command line of testdata/peer.cpp.
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

// A result is a contestant's result for one image.
type result struct {
	seconds float64 // minimum of all rounds
	psnr    float64
	zstd    int     // size in bytes after compression with zstd
	leaks   bool    // true if an opaque image has transparent pixels after decoding
	degrees float64 // mean angle between the original and the decoded vectors of a normal map
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

// judge compares decoded blocks with their source. If decode is nil, the blocks are BC7, and a
// decoder that is independent of all contestants decodes them.
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

// side is the width and height of a crop in pixels.
const side = 512

// A crop is a square part of an image file. The path is relative to the flag -data: the data
// directory of Debian's package supertuxkart-data, or the directory of heldOut.
type crop struct {
	kind string
	path string
	x, y int
}

// normalMap is the kind of crop whose colors are unit vectors.
const normalMap = "normal map"

// crops are ten crops of different kinds.
var crops = []crop{
	{"photo, ground", "tracks/black_forest/grass_forestFloor_big.jpg", 256, 256},
	{"photo, wall", "tracks/black_forest/brick_wall_06.jpg", 128, 128},
	{"foliage, alpha", "library/stklib_autumnTree_d/tree_d.png", 256, 256},
	{"leaf, alpha", "textures/stktex_lowPalmLeaf_a.png", 0, 0},
	{"user interface, alpha", "skins/cartoon/dialog.png", 0, 0},
	{"painted kart", "karts/wilber/wilber_diffuse_1.png", 256, 256},
	{normalMap, "textures/stk_generic_grassB_Normal.png", 256, 256},
	{"signs and letters", "textures/stktex_metroMap_a.png", 256, 0},
	{"sky, gradient", "tracks/xr591/SKY0004.png", 256, 256},
	{"smoke, alpha", "textures/gfx_mud_a.png", 0, 0},
}

// smooth lists images of user interfaces and images with smooth alpha. A path that ends in a slash
// is a directory, whose images are combined into one sheet.
var smooth = []crop{
	{"halo", "textures/stk_headlight_halo_a.png", 0, 0},
	{"cone of light", "textures/stk_conelight_a.png", 0, 0},
	{"flame", "textures/gfx_rocketFlame_a.png", 0, 0},
	{"particles", "textures/gfx_bubble_a.png", 0, 0},
	{"streaks", "textures/slipstream.png", 0, 0},
	{"glass", "textures/stk_glassPanel_a.png", 0, 0},
	{"icons", "gui/icons/", 0, 0},
	{"user interface, glass", "skins/peach/", 0, 0},
	{"user interface, glass", "skins/ocean/", 0, 0},
	{"user interface, glass", "skins/ruby/", 0, 0},
}

// heldOut lists images that the encoders of this module were not tuned with, except for the quality
// Fast of package etc2. The data directory contains the unpacked Debian packages endless-sky-data,
// fillets-ng-data, freedroidrpg-data, mate-backgrounds and pokerth-data. It also contains
// 0textures.pk3 of ufoai-textures and pak4-textures.pk3 of openarena-081-textures, each in a
// directory with its name.
var heldOut = []crop{
	{"photo, garden", "usr/share/backgrounds/mate/nature/Garden.jpg", 1000, 600},
	{"photo, dune", "usr/share/backgrounds/mate/nature/Dune.jpg", 600, 500},
	{"photo, bark", "usr/share/backgrounds/mate/nature/Wood.jpg", 1000, 600},
	{"photo, drops", "usr/share/backgrounds/mate/nature/RainDrops.jpg", 600, 400},
	{"ground", "0textures/textures/tex_nature/desert003.png", 0, 0},
	{"grass", "0textures/textures/tex_nature/grass_lush.png", 0, 0},
	{"wall", "0textures/textures/tex_buildings/concrete007.png", 0, 0},
	{"foliage, alpha", "0textures/textures/tex_nature/tree001.png", 0, 0},
	{"foliage, alpha", "0textures/textures/tex_ctp1/tree_g_1.png", 0, 256},
	{"bars, alpha", "0textures/textures/tex_ctp1/fence_b_1.png", 0, 0},
	{"user interface, alpha", "usr/share/games/endless-sky/images/ui/", 0, 0},
	{"cards", "usr/share/games/pokerth/gfx/cards/default/", 0, 0},
	{"user interface", "usr/share/games/pokerth/gfx/gui/misc/welcomepokerth10_mobile.png", 700, 300},
	{normalMap, "0textures/textures/tex_base/panel1_nm.png", 0, 0},
	{normalMap, "0textures/textures/tex_nature/grass_mowed_dry_a_k1_nm.png", 0, 0},
	{"gray, gloss", "0textures/textures/tex_material/metall014_sm.png", 0, 0},
	{"gray, gloss", "0textures/textures/tex_buildings/floor_wood01_sm.png", 0, 0},
	{"gray, concrete", "0textures/textures/tex_ctp1/concrete_g_1.jpg", 0, 0},
	{"gradient", "usr/share/backgrounds/mate/desktop/GreenTraditional.jpg", 700, 300},
	{"gradient, alpha", "usr/share/backgrounds/mate/abstract/Waves.png", 500, 400},
	{"sky", "pak4-textures/env/sky1/sky001_rt.jpg", 0, 0},
	{"explosion, alpha", "usr/share/games/endless-sky/images/effect/explosion/nuke+3.png", 0, 0},
	{"sprites, alpha", "usr/share/freedroidrpg/data/graphics/droids/autogun/autogun_1.png", 0, 0},
	{"painted scene", "usr/share/games/fillets-ng/images/gods/pozadi.png", 80, 30},
}

// A picture holds the pixels of a crop as RGBA, row by row.
type picture struct {
	crop
	pix   []byte
	alpha bool
}

// loadPictures reads the crops from the directory of the game's data.
func loadPictures(data string, crops []crop) ([]picture, error) {
	var pictures []picture
	for _, c := range crops {
		read := c.readCrop
		if strings.HasSuffix(c.path, "/") {
			read = sheet
		}
		pix, err := read(filepath.Join(data, filepath.FromSlash(c.path)))
		if err != nil {
			return nil, err
		}
		p := picture{crop: c, pix: pix}
		for i := 3; i < len(pix); i += 4 {
			p.alpha = p.alpha || pix[i] != 255
		}
		pictures = append(pictures, p)
	}
	return pictures, nil
}

func (c *crop) readCrop(name string) ([]byte, error) {
	img, err := decode(name)
	if err != nil {
		return nil, err
	}
	from := img.Bounds().Min.Add(image.Pt(c.x, c.y))
	if !(image.Rectangle{from, from.Add(image.Pt(side, side))}).In(img.Bounds()) {
		return nil, fmt.Errorf("%s: no %dx%d pixels from %d, %d", name, side, side, c.x, c.y)
	}
	to := image.NewNRGBA(image.Rect(0, 0, side, side))
	paste(to, to.Rect, img, from)
	return to.Pix, nil
}

// sheet arranges the PNG images of a directory in rows, sorted by name, until an image does not
// fit. No block of 4x4 pixels contains pixels of two images.
func sheet(folder string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		return nil, err
	}
	to := image.NewNRGBA(image.Rect(0, 0, side, side))
	var at image.Point
	below := 0
	for _, name := range names {
		img, err := decode(name)
		if err != nil {
			return nil, err
		}
		size := img.Bounds().Size().Add(image.Pt(3, 3))
		size = image.Pt(size.X&^3, size.Y&^3)
		if at.X+size.X > side {
			at = image.Pt(0, below)
		}
		if at.X+size.X > side || at.Y+size.Y > side {
			break
		}
		paste(to, image.Rectangle{at, at.Add(img.Bounds().Size())}, img, img.Bounds().Min)
		below = max(below, at.Y+size.Y)
		at.X += size.X
	}
	if below == 0 {
		return nil, fmt.Errorf("%s: no pictures", folder)
	}
	return to.Pix, nil
}

func decode(name string) (image.Image, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	img, _, err := image.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// paste copies a part of an image. image/draw would premultiply the colors, so paste copies
// unpremultiplied pixels itself.
func paste(to *image.NRGBA, where image.Rectangle, img image.Image, from image.Point) {
	straight, ok := img.(*image.NRGBA)
	if !ok {
		draw.Draw(to, where, img, from, draw.Src)
		return
	}
	for y := range where.Dy() {
		row := to.Pix[to.PixOffset(where.Min.X, where.Min.Y+y):][:4*where.Dx()]
		copy(row, straight.Pix[straight.PixOffset(from.X, from.Y+y):])
	}
}
