//go:build amd64 || arm64

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
	recipe "github.com/assetcook/assetcook/recipes/image"
)

// angles prints the mean angle between the vectors of the normal map among the crops and the
// stored ones, for each format: of x and y alone, of all three, and of astcenc's x and y, if
// astcenc is given.
func angles(ctx context.Context, out io.Writer, data, program string) error {
	at := slices.IndexFunc(crops, func(c crop) bool { return c.kind == normalMap })
	pictures, err := loadPictures(data, crops[at:at+1])
	if err != nil {
		return err
	}
	return anglesOf(ctx, out, pictures[0].pix, program)
}

func anglesOf(ctx context.Context, out io.Writer, pix []byte, program string) error {
	var b strings.Builder
	b.WriteString("| blocks | quality | x and y | x, y and z | astcenc, x and y |\n|---|---|---:|---:|---:|\n")
	for _, f := range []texture.Format{texture.BC5, texture.BC7, texture.EACRG11, texture.ASTC4x4, texture.ASTC5x5, texture.ASTC6x6, texture.ASTC8x8} {
		for i, quality := range []string{"fast", "normal", "best"} {
			row := [3]string{}
			for k, z := range []bool{false, true} {
				if f == texture.BC7 && !z || !f.IsASTC() && f != texture.BC7 && z {
					continue
				}
				stored, err := storedNormals(ctx, pix, f, quality, z)
				if err != nil {
					return err
				}
				row[k] = fmt.Sprintf("%.3f", meanAngle(stored, pix))
			}
			if f.IsASTC() && program != "" {
				stored, err := astcencNormals(ctx, pix, f, program, []string{"-fast", "-medium", "-thorough"}[i])
				if err != nil {
					return err
				}
				row[2] = fmt.Sprintf("%.3f", meanAngle(stored, pix))
			}
			fmt.Fprintf(&b, "| %v | %s | %s | %s | %s |\n", f, quality, row[0], row[1], row[2])
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// storedNormals cooks a normal map, and returns the pixels that a shader sees.
func storedNormals(ctx context.Context, pix []byte, f texture.Format, quality string, z bool) ([]byte, error) {
	o := recipe.Recipe().New().(*recipe.Image)
	o.Format, o.Quality, o.Kind, o.NormalZ, o.Mips = f.String(), quality, "normal", z && f.IsASTC(), "false"
	file, err := o.Encode(ctx, jobs.New(recipe.Recipe(), jobs.Env{}, 0), &pixmap.Map{W: side, H: side, Pix8: slices.Clone(pix)}, role.Slot{Role: role.Normal})
	if err != nil {
		return nil, err
	}
	t, err := cooked.Open(file, 1<<30)
	if err != nil {
		return nil, err
	}
	m, err := cooked.Level(ctx, t, 0, 0)
	if err != nil {
		return nil, err
	}
	if m.Pix8 == nil { // blocks of 11 bits
		for _, v := range m.Pix16 {
			m.Pix8 = append(m.Pix8, byte((uint32(v)+128)/257))
		}
	}
	if t.Swizzle != "" || f == texture.BC5 || f == texture.EACRG11 {
		restoreZ(m.Pix8, 1)
	}
	return m.Pix8, nil
}

// astcencNormals returns a normal map as a shader sees it after astcenc has stored x and y.
func astcencNormals(ctx context.Context, pix []byte, f texture.Format, program, preset string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "astcbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	block, _ := f.Block()
	blocks, _, err := runAstcenc(ctx, program, dir, pix, side, block, "-cl", preset, "-normal")
	if err != nil {
		return nil, err
	}
	stored := decodeASTC(blocks, block)
	restoreZ(stored, 3)
	return stored, nil
}

// restoreZ sets green to the given channel, the vector's y, and computes blue for length 1.
func restoreZ(pix []byte, y int) {
	for i := 0; i < len(pix); i += 4 {
		pix[i+1] = pix[i+y]
		a, b := float64(pix[i])/127.5-1, float64(pix[i+1])/127.5-1
		pix[i+2] = byte(math.Round(127.5 + 127.5*math.Sqrt(max(0, 1-a*a-b*b))))
	}
}
