package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/image/uastc"
)

// transcoded is the output of basis.mjs for a file.
type transcoded struct {
	Valid   bool
	UASTC   bool
	HDR     bool
	Alpha   bool
	Levels  []string // SHA-256 sums of the pixels, by level
	BC6H    []string // SHA-256 sums of the blocks of BC6H, by level, for UASTC HDR
	Refused []string
}

// askTranscoder decodes UASTC textures with the transcoder of basis_universal: the samples and
// thousands of random blocks. It returns the number of textures whose pixels or blocks of BC6H
// differ from the output of our decoder.
func askTranscoder(ctx context.Context, dir, basis, script string, samples []sample) (wrong int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	var names []string
	var textures []*texture.Texture
	for _, s := range samples {
		if s.texture.Format == texture.UASTC {
			names, textures = append(names, s.name), append(textures, s.texture)
			opaque := *s.texture
			opaque.Opaque = true
			names, textures = append(names, s.name+"-opaque"), append(textures, &opaque)
		}
		if s.texture.Format == texture.UASTCHDR {
			names, textures = append(names, s.name), append(textures, s.texture)
		}
	}
	names, textures = append(names, "uastc-random"), append(textures, randomUASTC())
	names, textures = append(names, "uastc-hdr-random"), append(textures, randomUASTCHDR())
	args := []string{script, basis}
	for i, t := range textures {
		file := filepath.Join(dir, names[i]+".ktx2")
		f, err := os.Create(file)
		if err != nil {
			return 0, err
		}
		if err := errors.Join(ktx2.Write(ctx, f, t, ktx2.Supercompression{Scheme: ktx2.Zstd, Level: 3}), f.Close()); err != nil {
			return 0, fmt.Errorf("%s: %w", names[i], err)
		}
		args = append(args, file)
	}
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("node %s: %w", script, err)
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	for i, t := range textures {
		var found transcoded
		if err := lines.Decode(&found); err != nil {
			return 0, err
		}
		problems, err := compareTranscoded(ctx, t, &found)
		if err != nil {
			return 0, err
		}
		wrong += min(1, len(problems))
		fmt.Printf("%-10s %-18s %d levels %s\n", "basisu", names[i], len(found.Levels), verdict(problems))
	}
	return wrong, nil
}

// compareTranscoded returns a line for each difference between found and t.
func compareTranscoded(ctx context.Context, t *texture.Texture, found *transcoded) (problems []string, err error) {
	hdr := t.Format == texture.UASTCHDR
	if !found.Valid || found.UASTC == hdr || found.HDR != hdr || found.Alpha == (t.Opaque || hdr) || len(found.Levels) != len(t.Levels) {
		problems = append(problems, fmt.Sprintf("valid %v, UASTC %v, HDR %v, alpha %v, %d levels", found.Valid, found.UASTC, found.HDR, found.Alpha, len(found.Levels)))
	}
	problems = append(problems, found.Refused...)
	for i := range min(len(found.Levels), len(t.Levels)) {
		m, err := cooked.Level(ctx, t, i, 0)
		if err != nil {
			return nil, err
		}
		pixels := m.Pix8
		if hdr {
			if pixels, err = texenc.Encode(ctx, texture.RGBA16F, m, texenc.Options{}); err != nil {
				return nil, err
			}
			var blocks []byte
			for at := 0; at < len(t.Levels[i]); at += 16 {
				b, _ := astc.TranscodeUniversal((*[16]byte)(t.Levels[i][at:]))
				blocks = append(blocks, b[:]...)
			}
			if hexSum(blocks) != found.BC6H[i] {
				problems = append(problems, fmt.Sprintf("different blocks of BC6H on level %d", i))
			}
		}
		if hexSum(pixels) != found.Levels[i] {
			problems = append(problems, fmt.Sprintf("different pixels on level %d", i))
		}
	}
	return problems, nil
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// randomUASTCHDR returns a texture of random blocks that are valid in UASTC HDR.
func randomUASTCHDR() *texture.Texture {
	const w = 256
	random := rand.New(rand.NewPCG(5, 8))
	var level []byte
	for len(level) < w*w {
		var b [16]byte
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if _, ok := astc.TranscodeUniversal(&b); ok {
			level = append(level, b[:]...)
		}
	}
	return &texture.Texture{Format: texture.UASTCHDR, W: w, H: w, Levels: [][]byte{level}}
}

// randomUASTC returns a texture of random blocks. It avoids invalid blocks, which decode to zeros.
func randomUASTC() *texture.Texture {
	const w = 512
	random := rand.New(rand.NewPCG(3, 8))
	var level []byte
	for len(level) < w*w {
		var b [16]byte
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		var pix [64]byte
		if uastc.DecodeBlock(&pix, &b); pix != [64]byte{} {
			level = append(level, b[:]...)
		}
	}
	return &texture.Texture{Format: texture.UASTC, W: w, H: w, Levels: [][]byte{level}}
}
