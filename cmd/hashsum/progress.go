package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// progressAfter is how long a run takes before progress is shown.
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
	// rateWeight is the weight of the newest interval in the moving average of the rate, which so
	// covers about three seconds.
	rateWeight = 0.07
)

// progress shows the progress of a run on one line of a terminal. The line is cleared before any
// other output, and at the end. A nil progress shows nothing.
type progress struct {
	w     io.Writer
	width func() int // columns of the terminal

	done  atomic.Int64 // bytes
	files atomic.Int64
	total atomic.Int64 // bytes; 0 while unknown

	start time.Time
	mu    sync.Mutex // guards the fields below, and the terminal
	shown int        // columns of the visible line
	last  sample
	rate  float64 // bytes per second, a moving average
}

// A sample is the progress at one time.
type sample struct {
	at   time.Time
	done int64
}

func newProgress(w io.Writer, width func() int, start time.Time) *progress {
	return &progress{w: w, width: width, start: start, last: sample{at: start}}
}

// countBytes counts bytes read.
func (p *progress) countBytes(bytes int64) {
	if p != nil {
		p.done.Add(bytes)
	}
}

// finished counts a file.
func (p *progress) finished() {
	if p != nil {
		p.files.Add(1)
	}
}

// aside clears the line, so that f can write.
func (p *progress) aside(f func()) {
	if p == nil {
		f()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	f()
}

// drawProgress draws at each tick until stop, and clears the line. Before it draws for the first
// time it starts measure, which may determine the total.
func (p *progress) drawProgress(ticks <-chan time.Time, stop <-chan struct{}, measure func()) {
	var measured sync.WaitGroup
	defer measured.Wait()
	for drawn := false; ; {
		select {
		case now := <-ticks:
			if now.Sub(p.start) < progressAfter {
				continue
			}
			if !drawn {
				measured.Go(measure)
			}
			drawn = true
			p.draw(now)
		case <-stop:
			p.aside(func() {})
			return
		}
	}
}

func (p *progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.done.Load()
	if seconds := now.Sub(p.last.at).Seconds(); seconds > 0 {
		rate := float64(done-p.last.done) / seconds
		if p.last.done == 0 {
			p.rate = rate
		}
		p.rate += rateWeight * (rate - p.rate)
		p.last = sample{now, done}
	}
	text := progressLine(done, p.total.Load(), p.files.Load(), p.rate)
	if limit := p.width() - 1; len(text) > limit {
		text = text[:max(limit, 0)]
	}
	// Clear with spaces, which any terminal understands, not with an escape sequence.
	rest := strings.Repeat(" ", max(p.shown-len(text), 0))
	fmt.Fprintf(p.w, "\r%s%s", text, rest)
	p.shown = len(text)
}

func (p *progress) clear() {
	if p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}

// progressLine returns ASCII, so that its bytes are its columns.
func progressLine(done, total, files int64, rate float64) string {
	text := amount(float64(done))
	if total > 0 {
		text += fmt.Sprintf(" of %s (%d%%)", amount(float64(total)), min(int64(float64(done)/float64(total)*100), 100))
	}
	noun := "files"
	if files == 1 {
		noun = "file"
	}
	text += fmt.Sprintf(", %d %s, %s/s", files, noun, amount(rate))
	if left := float64(total - done); total > 0 && left >= 0 && rate > 0 {
		seconds := min(left/rate, 360_000) // a hundred hours are enough
		text += fmt.Sprintf(", %v left", time.Duration(seconds+0.5)*time.Second)
	}
	return text
}

// amount formats a number of bytes in three or four digits.
func amount(bytes float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for ; bytes >= 1000 && i < len(units)-1; i++ {
		bytes /= 1024
	}
	if i > 0 && bytes < 99.95 {
		return fmt.Sprintf("%.1f %s", bytes, units[i])
	}
	return fmt.Sprintf("%.0f %s", bytes, units[i])
}
