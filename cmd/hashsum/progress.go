package main

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
)

const (
	progressAfter = time.Second // shorter work shows no progress
	progressEvery = 200 * time.Millisecond
	// rateWeight is the weight of the newest interval in the moving average of the rate. The
	// average covers about three seconds.
	rateWeight = 0.07
)

// progressDisplay shows the progress of the work on one line of a terminal. It clears this line
// before other text is written, and at the end. A nil *progressDisplay shows nothing.
type progressDisplay struct {
	live *frontend.Live

	done  atomic.Int64 // bytes summed so far
	files atomic.Int64
	total atomic.Int64 // total bytes; 0 if not known yet

	start time.Time
	mu    sync.Mutex // guards last and rate
	last  sample
	rate  float64 // bytes per second, a moving average
}

// A sample is the number of summed bytes at one time.
type sample struct {
	at   time.Time
	done int64
}

func newProgress(live *frontend.Live, start time.Time) *progressDisplay {
	return &progressDisplay{live: live, start: start, last: sample{at: start}}
}

// countBytes counts bytes read.
func (p *progressDisplay) countBytes(bytes int64) {
	if p != nil {
		p.done.Add(bytes)
	}
}

// finished counts a file as finished.
func (p *progressDisplay) finished() {
	if p != nil {
		p.files.Add(1)
	}
}

// printBeside clears the progress line and calls f, which may write.
func (p *progressDisplay) printBeside(f func()) {
	if p == nil {
		f()
		return
	}
	p.live.Aside(f)
}

// drawProgress redraws the progress line at each tick until stop is closed, and then clears it.
// Before the first drawing it starts measure, which may set the total.
func (p *progressDisplay) drawProgress(ticks <-chan time.Time, stop <-chan struct{}, measure func()) {
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
			p.drawAt(now)
		case <-stop:
			p.live.Clear()
			return
		}
	}
}

func (p *progressDisplay) drawAt(now time.Time) {
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
	p.live.Draw(progressLine(done, p.total.Load(), p.files.Load(), p.rate))
}

func progressLine(done, total, files int64, rate float64) string {
	text := human.Bytes(done)
	if total > 0 {
		text += fmt.Sprintf(" of %s (%d%%)", human.Bytes(total), min(int64(float64(done)/float64(total)*100), 100))
	}
	text += fmt.Sprintf(", %s, %s/s", human.Count(int(files), "file"), human.Bytes(int64(rate)))
	if left := float64(total - done); total > 0 && left >= 0 && rate > 0 {
		seconds := min(left/rate, 360_000) // limited to a hundred hours
		text += fmt.Sprintf(", %v left", time.Duration(seconds+0.5)*time.Second)
	}
	return text
}

const (
	shownOfCause = 3  // maximum number of printed messages with the same cause
	maxCauses    = 20 // maximum number of causes that are counted separately; a list of garbage has very many
)

// A flood limits the printed messages with one cause, so that a thousand errors take a few lines.
type flood struct {
	causes []cause // causes in the order of their first messages
}

type cause struct {
	text  string
	count int
}

const otherCauses = "other causes"

// allowsMessage counts a message and reports whether to print it.
func (f *flood) allowsMessage(text string) bool {
	for i := range f.causes {
		if c := &f.causes[i]; c.text == text || c.text == otherCauses {
			c.count++
			return c.count <= shownOfCause
		}
	}
	if len(f.causes) == maxCauses {
		text = otherCauses
	}
	f.causes = append(f.causes, cause{text, 1})
	return true
}

// printRest calls line once for each cause whose messages were not all printed.
func (f *flood) printRest(thing string, line func(text string)) {
	for _, c := range f.causes {
		if n := c.count - shownOfCause; n > 0 {
			line(fmt.Sprintf("%s: %s", human.Count(n, "more "+thing), c.text))
		}
	}
}

// causeOfError returns the text of an error without its path.
func causeOfError(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}
