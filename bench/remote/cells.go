package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cells measures three runs for each link and hit rate: one that cooks everything, one that waits
// for the server, and one that does both. The last should take no longer than the better of the
// others.
func (b *bench) cells(assets int, links, shares []string) error {
	fmt.Println("| link | hits | cooked, s | waited, s | raced, s | of the better | restored |\n|---|---:|---:|---:|---:|---:|---:|")
	worst := 0.0
	for _, text := range shares {
		share := 0
		if _, err := fmt.Sscan(text, &share); err != nil {
			return fmt.Errorf("share %q: %w", text, err)
		}
		if err := b.growPictures(text, assets, share); err != nil {
			return err
		}
		for _, link := range links {
			w, err := b.open(link)
			if err != nil {
				return err
			}
			ways := []way{{}, {server: w.server, flags: []string{"-remote-race=false"}}, {server: w.server}}
			for n := range b.runs {
				for i := range ways {
					if err := b.measure(&ways[i], n); err != nil {
						return err
					}
				}
			}
			cooked, waited, raced := ways[0].median(), ways[1].median(), ways[2].median()
			ratio := raced.Seconds() / min(cooked, waited).Seconds()
			worst = max(worst, ratio)
			fmt.Printf("| %s | %s %% | %.2f | %.2f | %.2f | %.2f | %d |\n", link, text, cooked.Seconds(), waited.Seconds(), raced.Seconds(), ratio, ways[2].last.Restored.Assets)
		}
	}
	fmt.Printf("\nat most %.2f of the better\n", worst)
	return nil
}

// growPictures makes a tree of pictures and texts, and gives the server a share of the results.
// Each share has its own contents.
func (b *bench) growPictures(name string, assets, share int) error {
	b.assets = filepath.Join(b.work, "pictures"+name)
	if err := os.MkdirAll(b.assets, 0o777); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) // new to a server that kept earlier results
	rest := map[string][]byte{}
	for i := range assets {
		var content bytes.Buffer
		name := fmt.Sprintf("%d.txt", i)
		if i%3 > 0 {
			name = fmt.Sprintf("%d.png", i)
			side := 1 << (5 + r.IntN(4))
			picture := image.NewNRGBA(image.Rect(0, 0, side, side))
			for n := range picture.Pix {
				picture.Pix[n] = uint8(n/side) + uint8(r.IntN(32))
			}
			if err := png.Encode(&content, picture); err != nil {
				return err
			}
		} else {
			content.WriteString(strings.Repeat(fmt.Sprintf("%x ", r.Uint64()), 1<<(6+r.IntN(6))))
		}
		if r.IntN(100) < share {
			if err := os.WriteFile(filepath.Join(b.assets, name), content.Bytes(), 0o666); err != nil {
				return err
			}
		} else {
			rest[name] = content.Bytes()
		}
	}
	if err := os.WriteFile(filepath.Join(b.assets, "cook.toml"), []byte("[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n"), 0o666); err != nil {
		return err
	}
	if _, _, err := b.cook("given"+name, "given"+name, b.server, "-remote-upload", "always"); err != nil {
		return err
	}
	for name, content := range rest {
		if err := os.WriteFile(filepath.Join(b.assets, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
