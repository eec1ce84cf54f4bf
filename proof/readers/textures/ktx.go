package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// found is the output of ktxparse.mjs for a file.
type found struct {
	Format      string
	TypeSize    int
	Size        [3]int
	Layers      int
	Faces       int
	Scheme      string
	Levels      []struct{ Bytes, Packed int }
	Descriptors int
	Model       int
	Primaries   string
	Transfer    string
	Flags       string
	Block       [4]int
	Planes      [8]int
	Samples     [][5]float64
	Words       map[string]string

	WritesTheSame bool
}

// A standard has the names of a format in Vulkan and its description in the Khronos Data Format
// Specification.
type standard struct {
	plain, srgb string
	typeSize    int
	model       int
	samples     int
}

// standards returns the expected standard of each format. It deliberately repeats what package ktx2
// contains, with names instead of numbers.
func standards() map[texture.Format]standard {
	return map[texture.Format]standard{
		texture.BC1:          {"VK_FORMAT_BC1_RGB_UNORM_BLOCK", "VK_FORMAT_BC1_RGB_SRGB_BLOCK", 1, 128, 1},
		texture.BC1A:         {"VK_FORMAT_BC1_RGBA_UNORM_BLOCK", "VK_FORMAT_BC1_RGBA_SRGB_BLOCK", 1, 128, 1},
		texture.BC3:          {"VK_FORMAT_BC3_UNORM_BLOCK", "VK_FORMAT_BC3_SRGB_BLOCK", 1, 130, 2},
		texture.BC4:          {"VK_FORMAT_BC4_UNORM_BLOCK", "", 1, 131, 1},
		texture.BC5:          {"VK_FORMAT_BC5_UNORM_BLOCK", "", 1, 132, 2},
		texture.BC6H:         {"VK_FORMAT_BC6H_UFLOAT_BLOCK", "", 1, 133, 1},
		texture.BC7:          {"VK_FORMAT_BC7_UNORM_BLOCK", "VK_FORMAT_BC7_SRGB_BLOCK", 1, 134, 1},
		texture.ASTC4x4:      {"VK_FORMAT_ASTC_4x4_UNORM_BLOCK", "VK_FORMAT_ASTC_4x4_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC5x4:      {"VK_FORMAT_ASTC_5x4_UNORM_BLOCK", "VK_FORMAT_ASTC_5x4_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC5x5:      {"VK_FORMAT_ASTC_5x5_UNORM_BLOCK", "VK_FORMAT_ASTC_5x5_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC6x5:      {"VK_FORMAT_ASTC_6x5_UNORM_BLOCK", "VK_FORMAT_ASTC_6x5_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC6x6:      {"VK_FORMAT_ASTC_6x6_UNORM_BLOCK", "VK_FORMAT_ASTC_6x6_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC8x5:      {"VK_FORMAT_ASTC_8x5_UNORM_BLOCK", "VK_FORMAT_ASTC_8x5_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC8x6:      {"VK_FORMAT_ASTC_8x6_UNORM_BLOCK", "VK_FORMAT_ASTC_8x6_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC8x8:      {"VK_FORMAT_ASTC_8x8_UNORM_BLOCK", "VK_FORMAT_ASTC_8x8_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC10x5:     {"VK_FORMAT_ASTC_10x5_UNORM_BLOCK", "VK_FORMAT_ASTC_10x5_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC10x6:     {"VK_FORMAT_ASTC_10x6_UNORM_BLOCK", "VK_FORMAT_ASTC_10x6_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC10x8:     {"VK_FORMAT_ASTC_10x8_UNORM_BLOCK", "VK_FORMAT_ASTC_10x8_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC10x10:    {"VK_FORMAT_ASTC_10x10_UNORM_BLOCK", "VK_FORMAT_ASTC_10x10_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC12x10:    {"VK_FORMAT_ASTC_12x10_UNORM_BLOCK", "VK_FORMAT_ASTC_12x10_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC12x12:    {"VK_FORMAT_ASTC_12x12_UNORM_BLOCK", "VK_FORMAT_ASTC_12x12_SRGB_BLOCK", 1, 162, 1},
		texture.ASTC4x4HDR:   {"VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC5x4HDR:   {"VK_FORMAT_ASTC_5x4_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC5x5HDR:   {"VK_FORMAT_ASTC_5x5_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC6x5HDR:   {"VK_FORMAT_ASTC_6x5_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC6x6HDR:   {"VK_FORMAT_ASTC_6x6_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC8x5HDR:   {"VK_FORMAT_ASTC_8x5_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC8x6HDR:   {"VK_FORMAT_ASTC_8x6_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC8x8HDR:   {"VK_FORMAT_ASTC_8x8_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC10x5HDR:  {"VK_FORMAT_ASTC_10x5_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC10x6HDR:  {"VK_FORMAT_ASTC_10x6_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC10x8HDR:  {"VK_FORMAT_ASTC_10x8_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC10x10HDR: {"VK_FORMAT_ASTC_10x10_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC12x10HDR: {"VK_FORMAT_ASTC_12x10_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ASTC12x12HDR: {"VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK_EXT", "", 1, 162, 1},
		texture.ETC2RGB:      {"VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK", "VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK", 1, 161, 1},
		texture.ETC2RGBA:     {"VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK", "VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK", 1, 161, 2},
		texture.EACR11:       {"VK_FORMAT_EAC_R11_UNORM_BLOCK", "", 1, 161, 1},
		texture.EACRG11:      {"VK_FORMAT_EAC_R11G11_UNORM_BLOCK", "", 1, 161, 2},
		texture.UASTC:        {"VK_FORMAT_UNDEFINED", "VK_FORMAT_UNDEFINED", 1, 166, 1},
		texture.UASTCHDR:     {"VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK_EXT", "", 1, 167, 1},
		texture.R8:           {"VK_FORMAT_R8_UNORM", "", 1, 1, 1},
		texture.RG8:          {"VK_FORMAT_R8G8_UNORM", "", 1, 1, 2},
		texture.RGBA8:        {"VK_FORMAT_R8G8B8A8_UNORM", "VK_FORMAT_R8G8B8A8_SRGB", 1, 1, 4},
		texture.RGB10A2:      {"VK_FORMAT_A2B10G10R10_UNORM_PACK32", "", 4, 1, 4},
		texture.R16:          {"VK_FORMAT_R16_UNORM", "", 2, 1, 1},
		texture.RG16:         {"VK_FORMAT_R16G16_UNORM", "", 2, 1, 2},
		texture.RGBA16:       {"VK_FORMAT_R16G16B16A16_UNORM", "", 2, 1, 4},
		texture.R16F:         {"VK_FORMAT_R16_SFLOAT", "", 2, 1, 1},
		texture.R32F:         {"VK_FORMAT_R32_SFLOAT", "", 4, 1, 1},
		texture.RGBA16F:      {"VK_FORMAT_R16G16B16A16_SFLOAT", "", 2, 1, 4},
	}
}

// askKTXParse writes the samples, with and without supercompression, and returns the number of
// files with unexpected values in ktx-parse.
func askKTXParse(ctx context.Context, dir, parse, script string, samples []sample) (wrong int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	args := []string{script, parse}
	schemes := []ktx2.Supercompression{{}, {Scheme: ktx2.Zstd, Level: 3}}
	for _, s := range samples {
		for i, scheme := range schemes {
			file := filepath.Join(dir, fmt.Sprintf("%s-%d.ktx2", s.name, i))
			f, err := os.Create(file)
			if err != nil {
				return 0, err
			}
			if err := errors.Join(ktx2.Write(ctx, f, s.texture, scheme), f.Close()); err != nil {
				return 0, fmt.Errorf("%s: %w", s.name, err)
			}
			args = append(args, file)
		}
	}
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("node %s: %w", script, err)
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	for _, s := range samples {
		for _, scheme := range schemes {
			var f found
			if err := lines.Decode(&f); err != nil {
				return 0, err
			}
			kind := "plain"
			if scheme.Scheme == ktx2.Zstd {
				kind = "zstd"
			}
			problems := compare(s.texture, scheme, &f)
			wrong += min(1, len(problems))
			fmt.Printf("ktx-parse  %-18s %-5s %-35s %s\n", s.name, kind, f.Format, verdict(problems))
		}
	}
	return wrong, nil
}

func verdict(problems []string) string {
	if len(problems) == 0 {
		return "as meant"
	}
	return fmt.Sprintf("DIFFERS: %q", problems)
}

// compare returns a line for each field of f that differs from t.
func compare(t *texture.Texture, s ktx2.Supercompression, f *found) (problems []string) {
	want := standards()[t.Format]
	pick := func(yes bool, a, b string) string {
		if yes {
			return a
		}
		return b
	}
	wide, high, blockBytes := t.Format.Block()
	check := func(name string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			problems = append(problems, fmt.Sprintf("%s is %v, not %v", name, got, want))
		}
	}
	check("format", f.Format, pick(t.SRGB, want.srgb, want.plain))
	check("type size", f.TypeSize, want.typeSize)
	check("size", f.Size, [3]int{t.W, t.H, t.Depth})
	check("layers", f.Layers, t.Layers)
	check("faces", f.Faces, t.Faces())
	check("scheme", f.Scheme, pick(s.Scheme == ktx2.Zstd, "KHR_SUPERCOMPRESSION_ZSTD", "KHR_SUPERCOMPRESSION_NONE"))
	check("levels", len(f.Levels), len(t.Levels))
	for i := range min(len(f.Levels), len(t.Levels)) {
		check(fmt.Sprintf("bytes of level %d", i), f.Levels[i].Bytes, len(t.Levels[i]))
	}
	check("descriptors", f.Descriptors, 1)
	check("color model", f.Model, want.model)
	data := t.Format == texture.UASTC && !t.SRGB // required by KHR_texture_basisu
	check("primaries", f.Primaries, pick(data, "KHR_DF_PRIMARIES_UNSPECIFIED", "KHR_DF_PRIMARIES_BT709"))
	check("transfer", f.Transfer, pick(t.SRGB, "KHR_DF_TRANSFER_SRGB", "KHR_DF_TRANSFER_LINEAR"))
	check("alpha", f.Flags, pick(t.Premultiplied, "KHR_DF_FLAG_ALPHA_PREMULTIPLIED", "KHR_DF_FLAG_ALPHA_STRAIGHT"))
	check("block", f.Block, [4]int{wide - 1, high - 1, 0, 0})
	check("bytes in planes", f.Planes, [8]int{blockBytes})
	check("samples", len(f.Samples), want.samples)
	check("orientation", f.Words["KTXorientation"], pick(t.Depth > 0, "rdi", "rd"))
	check("swizzle", f.Words["KTXswizzle"], t.Swizzle)
	check("writer", f.Words["KTXwriter"], "assetcook")
	check("unchanged when written again", f.WritesTheSame, true)
	return problems
}
