package report

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Progress is an observer that draws a progress bar on a terminal. It shows finished and total
// assets, bytes, the remaining time, and the assets that have been cooking longest. While a tree is
// read, it shows the number of files and the rate.
//
//	cook [=========>          ] 412/1204  318.2 MiB  eta 41s
//	    12.1s textures/sky.png: encode
//	     3.4s models/castle.gltf: optimize
//
// The bar and the estimate give each asset the weight of its last cook time.
//
// In a log, it writes a line from time to time instead:
//
//	cook: 412 of 1204 assets, 318.2 MiB, eta 41s; 45s textures/sky.png: encode
type Progress struct {
	now   func() time.Time
	live  *frontend.Live
	beats Beats

	mu      sync.Mutex
	next    time.Time // time of the next line in a log
	stage   string
	work    work
	reading reading
	quit    chan struct{}
	stopped sync.WaitGroup
}

// A work is the progress of cooking.
type work struct {
	begin    time.Time
	total    int
	done     int
	bytes    int64
	expected time.Duration // sum of the expected times of all assets
	past     time.Duration // sum of the expected times of finished assets
	running  []started
	traffic  string // text about the transfers with the server
}

// A reading is the progress of reading a tree.
type reading struct {
	begin     time.Time
	files, of int
	bytes     int64
}

type asset struct{ path, target string }

type started struct {
	asset
	at       time.Time
	expected time.Duration
	step     string
}

// assetAndStep returns the name of the asset and the current step of its recipe.
func (s *started) assetAndStep() string {
	if s.step == "" {
		return nameAsset(s.path, s.target)
	}
	return nameAsset(s.path, s.target) + ": " + pathname.Show(s.step)
}

// Beats are the intervals between lines in a log.
type Beats struct {
	First time.Duration // time until the first line
	Every time.Duration // time between later lines
}

// NewProgress returns a Progress that draws in live at each tick until Stop is called. On a
// terminal, use about ten ticks per second. In a log, it writes a line at the first tick after each
// interval.
func NewProgress(live *frontend.Live, now func() time.Time, tick <-chan time.Time, beats Beats) *Progress {
	begin := now()
	p := &Progress{now: now, live: live, beats: beats, next: begin.Add(beats.First), work: work{begin: begin}, quit: make(chan struct{})}
	p.stopped.Go(func() {
		for {
			select {
			case <-tick:
				p.mu.Lock()
				p.redraw()
				p.mu.Unlock()
			case <-p.quit:
				return
			}
		}
	})
	return p
}

// Stop stops the drawing and clears the bar.
func (p *Progress) Stop() {
	close(p.quit)
	p.stopped.Wait()
	p.live.Clear()
}

// Stage sets the name of the stage. It is shown until the number of assets is known.
func (p *Progress) Stage(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.reading = name, reading{begin: p.now()}
}

// Reading sets the bar while a tree is read.
func (p *Progress) Reading(files, of int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reading.files, p.reading.of, p.reading.bytes = files, of, bytes
}

// Planned sets the number of assets, and their expected time.
func (p *Progress) Planned(assets int, expected time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.work.total, p.work.expected, p.work.begin = assets, expected, p.now()
}

// Note does nothing, because a Text observer prints notes.
func (p *Progress) Note(string) {}

// Step records the step of an asset's recipe, or the transfers between the run and a server.
func (p *Progress) Step(path, target, step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if path == "" {
		p.work.traffic = step
		return
	}
	if i := slices.IndexFunc(p.work.running, func(s started) bool { return s.asset == asset{path, target} }); i >= 0 {
		p.work.running[i].step = step
	}
}

// Event updates the bar after an asset has ended.
func (p *Progress) Event(e cook.Event) {
	if e.Outcome == cook.Warned {
		return
	}
	asset := asset{e.Path, e.Target}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Outcome == cook.Started {
		p.work.running = append(p.work.running, started{asset: asset, at: p.now(), expected: e.CookTime})
		return
	}
	i := slices.IndexFunc(p.work.running, func(s started) bool { return s.asset == asset })
	if i < 0 {
		return
	}
	p.work.done++
	p.work.bytes += e.In
	p.work.past += p.work.running[i].expected
	p.work.running = slices.Delete(p.work.running, i, i+1)
}

// slowest limits the number of running assets that are shown.
const slowest = 3

// redraw draws the bar and the assets that have been running longest, or writes a line to the log.
func (p *Progress) redraw() {
	if p.live.IsLog() {
		if now := p.now(); !now.Before(p.next) && p.printBeat() {
			p.next = now.Add(p.beats.Every)
		}
		return
	}
	lines := []string{p.barLine(p.live.Width())}
	for _, s := range p.work.running[:min(slowest, len(p.work.running))] { // the list of running assets begins with the oldest
		lines = append(lines, fmt.Sprintf("  %8s %s", human.Duration(p.now().Sub(s.at).Round(100*time.Millisecond)), s.assetAndStep()))
	}
	p.live.Draw(lines...)
}

// long is the minimum running time of assets that a log names.
const long = 30 * time.Second

// printBeat writes a line to the log, and returns true, if the run has work.
func (p *Progress) printBeat() bool {
	switch r := &p.reading; {
	case r.of > 0:
		fmt.Fprintf(p.live, "cook: %d of %s, %s  %s\n", r.files, human.Count(r.of, "file"), human.Bytes(r.bytes), r.readingRate(p.now()))
		return true
	case p.work.total == 0 || p.work.done >= p.work.total:
		return false
	}
	text := fmt.Sprintf("cook: %d of %s, %s", p.work.done, human.Count(p.work.total, "asset"), human.Bytes(p.work.bytes))
	if eta := p.eta(); eta != "" {
		text += ", " + eta
	}
	if p.work.traffic != "" {
		text += ", " + p.work.traffic
	}
	for i, s := range p.work.running[:min(slowest, len(p.work.running))] {
		if ran := p.now().Sub(s.at); ran >= long {
			text += fmt.Sprintf("%s %s %s", [...]string{";", ","}[min(i, 1)], ran.Round(time.Second), s.assetAndStep())
		}
	}
	fmt.Fprintln(p.live, text)
	return true
}

// barLine returns the line with the bar.
func (p *Progress) barLine(width int) string {
	switch r := &p.reading; {
	case r.of > 0:
		return drawBar(width, float64(r.files)/float64(r.of), fmt.Sprintf(" %d/%d files  %s  %s", r.files, r.of, human.Bytes(r.bytes), r.readingRate(p.now())))
	case p.work.total == 0:
		return "cook: " + p.stage
	}
	text := fmt.Sprintf(" %d/%d  %s  %s", p.work.done, p.work.total, human.Bytes(p.work.bytes), p.eta())
	if p.work.traffic != "" {
		text += "  " + p.work.traffic
	}
	return drawBar(width, p.finishedShare(), text)
}

// readingRate returns the files and bytes read per second, or "" at the start.
func (r *reading) readingRate(now time.Time) string {
	took := now.Sub(r.begin)
	if took < 100*time.Millisecond {
		return ""
	}
	per := func(n float64) int64 { return int64(n / took.Seconds()) }
	return fmt.Sprintf("%d files/s  %s/s", per(float64(r.files)), human.Bytes(per(float64(r.bytes))))
}

// finishedShare returns the finished share of the expected time. If the time is unknown, it returns
// the finished share of the assets.
func (p *Progress) finishedShare() float64 {
	if p.work.expected > 0 {
		return min(1, float64(p.worked())/float64(p.work.expected))
	}
	return float64(p.work.done) / float64(p.work.total)
}

// worked returns the expected time of finished assets plus the time of running assets. The time of
// a running asset counts up to its expected time.
func (p *Progress) worked() time.Duration {
	past := p.work.past
	for _, s := range p.work.running {
		past += min(s.expected, p.now().Sub(s.at))
	}
	return past
}

// drawBar draws a bar, followed by a text.
func drawBar(width int, share float64, text string) string {
	room := min(40, width-len(text)-len("cook []"))
	if room < 5 {
		return "cook" + text
	}
	full := int(share * float64(room))
	bar := strings.Repeat("=", full)
	if full < room {
		bar += ">" + strings.Repeat(" ", room-full-1)
	}
	return "cook [" + bar + "]" + text
}

// eta estimates the remaining time: the elapsed time, multiplied by the ratio of remaining to
// finished work.
func (p *Progress) eta() string {
	past := p.worked()
	took := p.now().Sub(p.work.begin)
	if past <= 0 || took < time.Second || p.work.expected <= past {
		return ""
	}
	left := time.Duration(float64(took) * float64(p.work.expected-past) / float64(past))
	return "eta " + left.Round(time.Second).String()
}
