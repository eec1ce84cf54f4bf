package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/leaktest"
)

// serve starts a server on a free port of this machine, and returns its address with the token.
func (p *project) serve(target string) (url string, stop func()) {
	p.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := Start(ctx, Options{Out: p.Out, Target: target, Token: goodToken})
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			p.t.Error(err)
		}
	})
	p.t.Cleanup(stop)
	return fmt.Sprintf("http://%s/@%s/", l.Addr(), goodToken), stop
}

// watch starts a watcher for a target, and returns after its first round.
func (p *project) watch(target string) {
	p.t.Helper()
	project := p.Project
	project.Targets = []string{target}
	ctx, cancel := context.WithCancel(context.Background())
	first, ended := make(chan struct{}), make(chan struct{})
	begun := sync.OnceFunc(func() { close(first) })
	go func() {
		defer close(ended)
		if err := cook.Watch(ctx, project, cook.WatchOptions{Round: func(cook.Round) { begun() }}); !errors.Is(err, context.Canceled) {
			p.t.Error(err)
		}
	}()
	p.t.Cleanup(func() { cancel(); <-ended })
	select {
	case <-first:
	case <-ended:
		p.t.Fatal("the watcher ended")
	}
}

// A device is a client that keeps a copy of the served files, as a game on a phone would.
type device struct {
	t      *testing.T
	url    string
	client *http.Client
	files  map[string]string
	events *bufio.Scanner
}

func (p *project) connect(url string) *device {
	p.t.Helper()
	d := &device{t: p.t, url: url, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, files: map[string]string{}}
	resp, err := d.client.Get(url + "events")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { resp.Body.Close() })
	d.events = bufio.NewScanner(resp.Body)
	for d.events.Scan() && d.events.Text() != "event: hello" {
	}
	root, _ := d.fetch(manifest.Name)
	for a, err := range manifest.Read([]byte(root), nil) {
		if err != nil {
			p.t.Fatal(err)
		}
		for _, o := range a.Outputs {
			d.files[o.Path], _ = d.fetch(o.Path)
		}
	}
	return d
}

// fetch returns the content of a file. ok is false if there is no such file.
func (d *device) fetch(name string) (text string, ok bool) {
	d.t.Helper()
	resp, err := d.client.Get(d.url + strings.ReplaceAll(name, "%", "%25"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if got := resp.Header.Get("ETag"); resp.StatusCode == 200 && got != etagOf(hashing.DigestOf(data)) {
		d.t.Errorf("%s: the ETag %s is not the hash of the content", name, got)
	}
	return string(data), resp.StatusCode == 200
}

// applyEvent waits for the next event, and fetches the changed files.
func (d *device) applyEvent() {
	d.t.Helper()
	for d.events.Scan() {
		data, ok := strings.CutPrefix(d.events.Text(), "data: ")
		if !ok || data == "{}" {
			continue
		}
		var e struct {
			Changes []struct {
				Path, Blob, Target string
				Removed            bool
			}
			Problem string
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Problem != "" {
			d.t.Fatal(err, data)
		}
		for _, c := range e.Changes {
			if c.Target != "mobile" {
				d.t.Errorf("a change of the target %q", c.Target)
			}
			text, ok := d.fetch(c.Path)
			if !ok {
				delete(d.files, c.Path)
				continue
			}
			d.files[c.Path] = text
		}
		return
	}
	d.t.Fatal("the stream ended: ", d.events.Err())
}

// TestDeviceFollowsEdits makes random edits while a watcher runs. A device that fetches each
// reported file must have the files of an export in the end.
func TestDeviceFollowsEdits(t *testing.T) {
	leaktest.Check(t)
	p := newProject(t)
	p.cook("desktop")
	p.watch("mobile")
	url, _ := p.serve("mobile")
	d := p.connect(url)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		name := fmt.Sprintf("%c/%d.txt", 'a'+rune(r.IntN(3)), r.IntN(3))
		if r.IntN(4) == 0 {
			os.Remove(filepath.Join(p.Dir, name))
		} else {
			p.write(name, strings.Repeat(fmt.Sprint(n, " "), r.IntN(20000)))
		}
		if r.IntN(3) == 0 {
			p.cook("mobile")
		}
	}
	p.write("last.txt", "last")
	p.cook("mobile")
	for d.files["last.txt"] != "last" {
		d.applyEvent()
	}
	want := p.exported("mobile")
	delete(want, manifest.Name)
	if diff := cmp.Diff(want, d.files); diff != "" {
		t.Error(diff)
	}
}

// TestOtherTargetsAreSilent cooks another target before the served target. The first event must be
// about the served target.
func TestOtherTargetsAreSilent(t *testing.T) {
	p := newProject(t)
	p.cook("mobile", "desktop")
	url, _ := p.serve("mobile")
	d := p.connect(url)
	p.write("new.txt", "new")
	p.cook("desktop")
	p.cook("mobile")
	d.applyEvent()
	if d.files["new.txt"] != "new" || slices.ContainsFunc(slices.Collect(maps.Keys(d.files)), func(name string) bool { return strings.HasPrefix(name, "desktop") }) {
		t.Errorf("%q", d.files)
	}
}

// TestReplacedFileIsSentWhole replaces an artifact while a client receives the file slowly.
func TestReplacedFileIsSentWhole(t *testing.T) {
	p := newProject(t)
	before := strings.Repeat("before\n", 4<<20/7)
	p.write("big.txt", before)
	p.cook("mobile")
	url, _ := p.serve("mobile")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url + "big.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	head := make([]byte, 100)
	if _, err := io.ReadFull(resp.Body, head); err != nil {
		t.Fatal(err)
	}
	p.write("big.txt", strings.Repeat("after\n", 1<<20))
	p.cook("mobile")
	rest, err := io.ReadAll(resp.Body)
	if err != nil || string(head)+string(rest) != before {
		t.Errorf("%d bytes that differ, %v", len(head)+len(rest), err)
	}
	if resp.Header.Get("ETag") != etagOf(hashing.DigestOf([]byte(before))) {
		t.Error("the ETag is not the hash of the content")
	}
}

// TestRangesOfTwoContentsDoNotMix fetches a file in ranges while it is replaced again and again.
// Each complete file must have one content.
func TestRangesOfTwoContentsDoNotMix(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", strings.Repeat("0", 1000))
	p.cook("mobile")
	s := p.start("mobile", "")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		name := filepath.Join(p.Out, "mobile", "a.txt")
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			text := strings.Repeat(string(rune('0'+n%10)), 1000)
			if err := errors.Join(os.WriteFile(name+".tmp", []byte(text), 0o666), os.Rename(name+".tmp", name)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	whole := 0
	for range 300 {
		first := ask(s, "GET", "/a.txt", "Range", "bytes=0-499")
		etag := first.Header().Get("ETag")
		second := ask(s, "GET", "/a.txt", "Range", "bytes=500-", "If-Range", etag)
		text := second.Body.String()
		if second.Code == 206 {
			text = first.Body.String() + text
			whole++
		}
		if want := etagOf(hashing.DigestOf([]byte(text))); strings.Count(text, text[:1]) != 1000 || second.Header().Get("ETag") != want || second.Code == 206 && etag != want {
			t.Fatalf("%d: %q, ETag %s, then %s", second.Code, text, etag, second.Header().Get("ETag"))
		}
	}
	close(stop)
	<-stopped
	t.Logf("%d of 300 files came in two ranges", whole)
}

// TestStopEndsStreamsAndSendsTheRest stops a server with a stream of events and a download.
func TestStopEndsStreamsAndSendsTheRest(t *testing.T) {
	leaktest.Check(t)
	p := newProject(t)
	text := strings.Repeat("big\n", 2<<20)
	p.write("big.txt", text)
	p.cook("mobile")
	url, stop := p.serve("mobile")
	d := p.connect(url)
	resp, err := d.client.Get(url + "big.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ended := make(chan struct{})
	go func() { defer close(ended); stop() }()
	for d.events.Scan() { // ends with the stream
	}
	if data, err := io.ReadAll(resp.Body); err != nil || string(data) != text {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	<-ended
	if _, err := d.client.Get(url); err == nil {
		t.Error("the server still answers")
	}
}
