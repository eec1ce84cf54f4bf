package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Branches of the repository.
const (
	mainBranch = "main"
	artBranch  = "art" // a tenth of the images differ from mainBranch
)

// A repository is a Git repository of images.
type repository struct {
	dir    string
	images []string // paths, with slashes
	bytes  int64
}

// newImageRepository makes a repository of n images from a directory. It takes the largest images below
// 300 KB, because many small images would measure the start of programs only.
func newImageRepository(ctx context.Context, dir, images string, n int) (*repository, error) {
	type candidate struct {
		path string
		size int64
	}
	var found []candidate
	err := filepath.WalkDir(images, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".png" {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() && info.Size() < 300e3 {
			found = append(found, candidate{path, info.Size()})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(found) < n {
		return nil, fmt.Errorf("%s has %d PNG files below 300 KB, want %d", images, len(found), n)
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.path, b.path))
	})
	r := &repository{dir: dir}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := git(ctx, dir, "init", "-q", "-b", mainBranch); err != nil {
		return nil, err
	}
	for i, c := range found[:n] {
		data, err := os.ReadFile(c.path)
		if err != nil {
			return nil, err
		}
		// All tools get the same plain names; some cannot build names with blanks.
		name := fmt.Sprintf("img/d%02d/i%04d.png", i%20, i)
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return nil, err
		}
		r.images = append(r.images, name)
		r.bytes += c.size
	}
	commit := func(message string) error {
		if err := git(ctx, dir, "add", "."); err != nil {
			return err
		}
		return git(ctx, dir, "commit", "-q", "-m", message)
	}
	if err := commit("images"); err != nil {
		return nil, err
	}
	if err := git(ctx, dir, "switch", "-q", "-c", artBranch); err != nil {
		return nil, err
	}
	for i, name := range r.images {
		if i%10 == 0 {
			if err := drawBar(filepath.Join(dir, name), i); err != nil {
				return nil, err
			}
		}
	}
	if err := commit("edited images"); err != nil {
		return nil, err
	}
	return r, git(ctx, dir, "switch", "-q", mainBranch)
}

// drawBar draws a bar into an image. Different seeds give different bars.
func drawBar(path string, seed int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	from, err := png.Decode(f)
	f.Close()
	if err != nil {
		return err
	}
	b := from.Bounds()
	to := image.NewNRGBA(b)
	draw.Draw(to, b, from, b.Min, draw.Src)
	paint := color.NRGBA{uint8(seed), 200, uint8(seed >> 4), 255}
	draw.Draw(to, image.Rect(b.Min.X, b.Min.Y, b.Max.X, b.Min.Y+1+b.Dy()/8), image.NewUniform(paint), image.Point{}, draw.Src)
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(out, to); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// digests holds the SHA-256 of each output, by the path of its image.
type digests map[string][sha256.Size]byte

// differing returns the number of outputs with different bytes.
func (d digests) differing(other digests) (n int) {
	for name, sum := range d {
		if other[name] != sum {
			n++
		}
	}
	return n
}
