// Reload measures how long a program waits for a changed asset when it follows an output directory
// with package cook/reload. The clock starts just before the source is written, and stops when the
// batch arrives.
//
//	go run ./bench/reload                 a JSON file among 100,000
//	go run ./bench/reload -texture        instead a 1024x1024 texture in BC7
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"iter"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/recipes"
)

func main() {
	assets := flag.Int("assets", 100_000, "small JSON files in the tree")
	saves := flag.Int("saves", 100, "how often to save")
	texture := flag.Bool("texture", false, "save a 1024x1024 texture instead of JSON")
	quality := flag.String("quality", "fast", "of the texture: fast, normal or best")
	flag.Parse()
	if err := measureReloads(*assets, *saves, *texture, *quality); err != nil {
		log.Fatal(err)
	}
}

func measureReloads(assets, saves int, texture bool, quality string) error {
	dir, err := os.MkdirTemp("", "reload")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), Engine: "own"}
	if err := grow(p.Dir, assets, quality); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	first, ended := make(chan bool, 1), make(chan error, 1)
	go func() {
		ended <- cook.Watch(ctx, p, cook.WatchOptions{Round: func(cook.Round) {
			select {
			case first <- true:
			default:
			}
		}})
	}()
	defer func() { stop(); <-ended }()
	select {
	case <-first:
	case err := <-ended:
		ended <- err
		return err
	}
	next, end := iter.Pull2(reload.Follow(ctx, p.Out))
	defer end()
	save := saveJSON
	if texture {
		save = saveTexture
	}
	var took []time.Duration
	var last hashing.Digest
	for n := range saves + 5 {
		// Wait until the watcher has handled the previous save, so that the time does not include
		// that work.
		if _, err := cook.Cook(ctx, p, cook.CookOptions{}); err != nil {
			return err
		}
		begin, err := save(p.Dir, n)
		if err != nil {
			return err
		}
		for { // The watcher may report one change twice.
			batch, err, ok := next()
			if err != nil || !ok {
				return errors.Join(err, errors.New("the watcher reported no change"))
			}
			if told := batch.Changes[0].Blob; told != last {
				last = told
				break
			}
		}
		if n >= 5 {
			took = append(took, time.Since(begin))
		}
	}
	slices.Sort(took)
	at := func(part float64) time.Duration {
		return took[int(math.Ceil(part*float64(len(took))))-1].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d assets, %d saves: p50 %v, p95 %v, most %v\n", assets, saves, at(0.5), at(0.95), at(1))
	return nil
}

// grow creates a tree of text files, 100 per directory.
func grow(dir string, assets int, quality string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "cook.toml"), fmt.Appendf(nil, "[[rule]]\nmatch = \"*.png\"\nrecipe = \"image\"\nformat = \"bc7\"\nquality = %q\nzstd = 0\n", quality), 0o666); err != nil {
		return err
	}
	for i := range assets {
		folder := filepath.Join(dir, fmt.Sprintf("%02d/%03d", i/5000, i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)), fmt.Appendf(nil, "{\"n\": %d}\n", i), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func saveJSON(dir string, n int) (time.Time, error) {
	text := fmt.Appendf(nil, "{\"speed\": %d}\n", n)
	err := os.WriteFile(dir+".json", text, 0o666)
	begin := time.Now()
	return begin, errors.Join(err, os.Rename(dir+".json", filepath.Join(dir, "speed.json")))
}

func saveTexture(dir string, n int) (time.Time, error) {
	img := image.NewNRGBA(image.Rect(0, 0, 1024, 1024))
	for y := range 1024 {
		for x := range 1024 {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x + n), uint8(y), uint8((x * y) >> 10), 255})
		}
	}
	tmp := dir + ".png"
	f, err := os.Create(tmp)
	if err != nil {
		return time.Time{}, err
	}
	err = errors.Join((&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, img), f.Close())
	begin := time.Now()
	return begin, errors.Join(err, os.Rename(tmp, filepath.Join(dir, "painted.png")))
}
