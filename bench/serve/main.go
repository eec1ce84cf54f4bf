// Serve measures how long a phone on Wi-Fi waits for an edited texture. It runs "cook serve", and
// connects to it through a simulated Wi-Fi: a shared rate, a random latency of 5 to 20 ms for each
// packet and direction, and the slow start of TCP. The clock starts just before the source is
// saved, and stops when the client has all bytes of the new texture and has checked their hash.
//
//	go run ./bench/serve
//	go run ./bench/serve -rate 20 -pixels 512 -format astc6x6
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/faultlink"
	"github.com/assetcook/assetcook/recipes"
)

// asCook is the environment variable that makes this program the command cook.
const asCook = "BENCH_SERVE_AS_COOK"

func main() {
	if os.Getenv(asCook) != "" {
		cli.Main(recipes.All()...)
	}
	var b bench
	flag.Float64Var(&b.rate, "rate", 50, "rate of the Wi-Fi in Mbit/s")
	flag.IntVar(&b.pixels, "pixels", 1024, "width and height of the texture")
	flag.StringVar(&b.format, "format", "astc6x6", "format of the texture")
	flag.IntVar(&b.assets, "assets", 1000, "small JSON files in the tree")
	flag.IntVar(&b.saves, "saves", 100, "how often to save")
	flag.BoolVar(&b.manifest, "manifest", false, "load the manifest after each event, as npm's onChange does")
	flag.Parse()
	if err := b.run(); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	rate     float64
	pixels   int
	format   string
	assets   int
	saves    int
	manifest bool
}

// warmUp is the number of saves that are not measured.
const warmUp = 5

func (b *bench) run() error {
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := b.writeAssets(filepath.Join(dir, "assets")); err != nil {
		return err
	}
	at, stop, err := startCook(dir)
	if err != nil {
		return err
	}
	defer stop()
	link, err := faultlink.Open(at.Host, faultlink.Options{Delay: 5 * time.Millisecond, Jitter: 15 * time.Millisecond, Rate: b.rate * 1e6 / 8, SlowStart: true})
	if err != nil {
		return err
	}
	defer link.Close()
	at.Host = link.Addr()
	p := &phone{url: at.String(), client: &http.Client{}}
	if err := p.connect(); err != nil {
		return err
	}
	var toEvent, took []time.Duration
	var size int
	for n := range b.saves + warmUp {
		time.Sleep(500 * time.Millisecond) // an idle connection starts slowly again
		begin, err := b.saveTexture(dir, n)
		if err != nil {
			return err
		}
		var event time.Time
		if size, event, err = p.receiveTexture(b.manifest); err != nil {
			return err
		}
		if n >= warmUp {
			toEvent, took = append(toEvent, event.Sub(begin)), append(took, time.Since(begin))
		}
	}
	own := time.Duration(float64(size) * 8 / (b.rate * 1e6) * float64(time.Second)).Round(time.Millisecond)
	fmt.Printf("%d pixels, %s, %d KB, %g Mbit/s (%v for the bytes), manifest %t, %d saves: event p50 %v, p95 %v; bytes p50 %v, p95 %v, most %v\n",
		b.pixels, b.format, size/1000, b.rate, own, b.manifest, b.saves, quantile(toEvent, 0.5), quantile(toEvent, 0.95), quantile(took, 0.5), quantile(took, 0.95), quantile(took, 1))
	return nil
}

func quantile(times []time.Duration, part float64) time.Duration {
	slices.Sort(times)
	return times[int(math.Ceil(part*float64(len(times))))-1].Round(time.Millisecond)
}

var servingAt = regexp.MustCompile(`^cook: serving at (\S+)$`)

// startCook starts "cook serve" in a directory, and returns its URL after the first round.
func startCook(dir string) (at *url.URL, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self, "serve", "-dir", "assets", "-out", "out", "-cache", "store", "-listen", "127.0.0.1:0", "-token", "0123456789abcdef")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asCook+"=1")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, err
	}
	stop = func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := servingAt.FindStringSubmatch(lines.Text()); m != nil {
			if at, err = url.Parse(m[1]); err != nil {
				stop()
				return nil, nil, err
			}
		}
		if at != nil && strings.HasPrefix(lines.Text(), "cook: watching ") {
			go io.Copy(io.Discard, stderr)
			return at, stop, nil
		}
	}
	stop()
	return nil, nil, errors.New("cook serve ended")
}

// A phone is a client that loads the texture after each event.
type phone struct {
	url    string
	client *http.Client
	events *bufio.Scanner
	etag   string // ETag of the last manifest
	last   string // blob of the last texture
}

// connect opens the stream of events, and a second connection for files.
func (p *phone) connect() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	_ = cancel // the stream is open until the program ends
	req, err := http.NewRequestWithContext(ctx, "GET", p.url+"events", nil)
	if err != nil {
		return err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	p.events = bufio.NewScanner(resp.Body)
	p.events.Buffer(nil, 1<<20)
	for p.events.Scan() && p.events.Text() != "event: hello" {
	}
	_, err = p.load("manifest.json")
	return err
}

// load returns the content of a file; nil if the file has not changed since the last request.
func (p *phone) load(name string) ([]byte, error) {
	req, err := http.NewRequest("GET", p.url+name, nil)
	if err != nil {
		return nil, err
	}
	if name == "manifest.json" && p.etag != "" {
		req.Header.Set("If-None-Match", p.etag)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNotModified:
		return nil, nil
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: %s", name, resp.Status)
	case name == "manifest.json":
		p.etag = resp.Header.Get("ETag")
	}
	return data, nil
}

// receiveTexture waits for the next content of the texture. It returns the size of the texture, and
// the time of the event.
func (p *phone) receiveTexture(manifest bool) (size int, event time.Time, err error) {
	for p.events.Scan() {
		text, ok := strings.CutPrefix(p.events.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ Changes []struct{ Path, Blob string } }
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return 0, event, err
		}
		if len(e.Changes) != 1 || e.Changes[0].Blob == p.last { // a watcher may report a change twice
			continue
		}
		change := e.Changes[0]
		event = time.Now()
		for manifest {
			list, err := p.load("manifest.json")
			if err != nil {
				return 0, event, err
			}
			if strings.Contains(string(list), change.Blob) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		data, err := p.load(change.Path)
		if err != nil {
			return 0, event, err
		}
		if got := hashing.DigestOf(data).String(); got != change.Blob {
			return 0, event, fmt.Errorf("%s has the hash %s, the event has %s", change.Path, got, change.Blob)
		}
		p.last = change.Blob
		return len(data), event, nil
	}
	return 0, event, net.ErrClosed
}
