// Remote measures how much time a build saves if machines share results on a server. It cooks a
// tree and uploads the results. Then machines with empty stores download the results over links
// with several latencies and rates. It compares them with a machine that has the results in its
// store, and with a machine that cooks everything.
//
//	go run ./bench/remote -server grpc://127.0.0.1:8980            10,000 small files
//	go run ./bench/remote -server http://127.0.0.1:8080/cache -assets 1000
//	go run ./bench/remote -server grpc://127.0.0.1:8980 -dir ASSETS   the assets of a directory
//	go run ./bench/remote -server grpc://127.0.0.1:8980 -shares 0,50,100 -assets 300
//
// The server must be on this machine and allow anonymous writes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"log"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/faultlink"
)

func main() {
	server := flag.String("server", "", "`address` of the server")
	dir := flag.String("dir", "", "`directory` of assets to cook instead")
	assets := flag.Int("assets", 10_000, "small text files in the tree")
	runs := flag.Int("runs", 3, "how often to measure each, in turn; the medians are printed")
	links := flag.String("links", "0/0,10ms/125,50ms/12.5", "latencies, both ways together, and MB/s of the `links`; 0 is no limit")
	race := flag.Bool("race", true, "cook while waiting for answers")
	shares := flag.String("shares", "", "hit `shares` in percent, such as 0,50,100: measure whether cooking while waiting pays, on pictures")
	flag.Parse()
	b := &bench{server: *server, runs: *runs, race: *race}
	if err := b.runLinks(*dir, *assets, strings.Split(*links, ","), *shares); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	server, work, assets string
	runs                 int
	race                 bool
}

// A summary holds fields of the last line that cook -json prints.
type summary struct {
	Found    struct{ Assets int }
	Cooked   struct{ Assets int }
	Restored struct {
		Assets   int
		BytesOut int64 `json:"bytes_out"`
	}
	Failed struct{ Assets int }
	Remote *struct {
		Looked, Hits, Uploaded, Requests int64
		BytesDown                        int64 `json:"bytes_down"`
	}
}

func (b *bench) runLinks(dir string, assets int, links []string, shares string) (err error) {
	if b.work, err = os.MkdirTemp("", "remote"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	if out, err := exec.Command("go", "build", "-o", b.work, "./cmd/cook").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if shares != "" {
		return b.cells(assets, links, strings.Split(shares, ","))
	}
	if b.assets = dir; dir == "" {
		if err := b.grow(assets); err != nil {
			return err
		}
	}
	_, first, err := b.cook("full", "first", b.server, "-remote-upload", "always")
	if err != nil {
		return err
	}
	if first.Remote == nil || first.Remote.Uploaded == 0 && first.Remote.Hits == 0 || first.Failed.Assets > 0 {
		return fmt.Errorf("the server took nothing: %+v", first)
	}
	fmt.Printf("%d assets, %d results given\n\n", first.Found.Assets, first.Remote.Uploaded)

	ways := []way{{name: "cooked"}, {name: "restored from the store", store: "full"}}
	for _, link := range links {
		w, err := b.open(link)
		if err != nil {
			return err
		}
		ways = append(ways, w)
	}
	for n := range b.runs {
		for i := range ways {
			if err := b.measure(&ways[i], n); err != nil {
				return err
			}
		}
	}
	fmt.Println("| | s | of restored | of the bytes' own time | restored | MB | requests |\n|---|---:|---:|---:|---:|---:|---:|")
	for _, w := range ways {
		fmt.Println(w.row(ways[1].median()))
	}
	return nil
}

// grow creates a tree of text files.
func (b *bench) grow(assets int) error {
	b.assets = filepath.Join(b.work, "assets")
	r := rand.New(rand.NewPCG(1, 1))
	for i := range assets {
		folder := filepath.Join(b.assets, fmt.Sprintf("level%03d", i/100))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		var text bytes.Buffer
		for range 1 << (8 + r.IntN(5)) {
			fmt.Fprintf(&text, "%x ", r.IntN(1<<16))
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.txt", i)), text.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(b.assets, "cook.toml"), []byte("[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n"), 0o666)
}

// cook runs cook with a store and an output directory, and creates both if necessary.
func (b *bench) cook(store, out, server string, more ...string) (time.Duration, summary, error) {
	args := append([]string{"-dir", b.assets, "-cache", filepath.Join(b.work, store), "-out", filepath.Join(b.work, out), "-json", "-q"}, more...)
	if server != "" {
		args = append(args, "-remote", server)
	}
	cmd := exec.Command(filepath.Join(b.work, "cook"), args...)
	cmd.Stderr = os.Stderr
	begun := time.Now()
	data, err := cmd.Output()
	took := time.Since(begun)
	if err != nil {
		return 0, summary{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var last struct{ Summary summary }
	err = json.Unmarshal(lines[len(lines)-1], &last)
	return took, last.Summary, err
}

// A way is how a machine gets outputs, such as downloading.
type way struct {
	name, store, server string
	flags               []string
	bytesPerSecond      float64
	took                []time.Duration
	last                summary
}

// open prepares the way over a link with the given latency and rate.
func (b *bench) open(link string) (w way, err error) {
	latency, rate, _ := strings.Cut(link, "/")
	delay, err := time.ParseDuration(latency)
	if err != nil {
		return w, err
	}
	megabytes := 0.0
	if _, err := fmt.Sscan(rate, &megabytes); err != nil {
		return w, fmt.Errorf("link %q: %w", link, err)
	}
	at, err := url.Parse(b.server)
	if err != nil {
		return w, err
	}
	if delay > 0 || megabytes > 0 {
		over, err := faultlink.Open(at.Host, faultlink.Options{Delay: delay / 2, Rate: megabytes * 1e6})
		if err != nil {
			return w, err
		}
		at.Host = over.Addr()
	}
	name := "server"
	if delay > 0 || megabytes > 0 {
		name += fmt.Sprintf(", %v, %v MB/s", delay, megabytes)
	}
	w = way{name: name, server: at.String(), bytesPerSecond: megabytes * 1e6}
	if !b.race {
		w.flags = []string{"-remote-race=false"}
	}
	return w, nil
}

// measure measures one run. If the machine downloads results, its store is empty.
func (b *bench) measure(w *way, n int) error {
	store, out := w.store, fmt.Sprint("out", n)
	if store == "" {
		store = fmt.Sprint("store", n)
		defer os.RemoveAll(filepath.Join(b.work, store))
	}
	defer os.RemoveAll(filepath.Join(b.work, out))
	took, s, err := b.cook(store, out, w.server, w.flags...)
	if err != nil {
		return err
	}
	w.took, w.last = append(w.took, took), s
	return nil
}

func (w *way) median() time.Duration { return slices.Sorted(slices.Values(w.took))[len(w.took)/2] }

func (w *way) row(restored time.Duration) string {
	took := w.median()
	own, megabytes, requests := "", "", ""
	if r := w.last.Remote; r != nil {
		megabytes, requests = fmt.Sprintf("%.1f", float64(r.BytesDown)/1e6), fmt.Sprint(r.Requests)
		if w.bytesPerSecond > 0 {
			own = fmt.Sprintf("%.2f", took.Seconds()/(float64(r.BytesDown)/w.bytesPerSecond))
		}
	}
	return fmt.Sprintf("| %s | %.2f | %.2f | %s | %d | %s | %s |", w.name, took.Seconds(), took.Seconds()/restored.Seconds(), own, w.last.Restored.Assets, megabytes, requests)
}

// cells measures three runs for each link and hit rate. The first cooks everything. The second
// cooks only what the server lacks. The third cooks and downloads at the same time. The third
// should take no longer than the faster of the first two.
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

// growPictures creates a tree of images and texts, and uploads the results for a fraction of the
// assets. Each call generates new contents.
func (b *bench) growPictures(name string, assets, share int) error {
	b.assets = filepath.Join(b.work, "pictures"+name)
	if err := os.MkdirAll(b.assets, 0o777); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) // The contents are random, so that the server does not know them from earlier runs.
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
