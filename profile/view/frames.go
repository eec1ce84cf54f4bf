package view

import (
	"encoding/binary"
	"math"
	"net/http"
	"time"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/counters"
)

// These are limits for a stream to a page.
const (
	maxStreamed   = 4096 // maximum number of names in one stream
	framesBehind  = 300  // a page that lags behind by more frames loses frames
	framesKept    = 60   // number of latest frames that a page gets after it has lost frames
	pollFrames    = 4 * time.Millisecond
	writeDeadline = 30 * time.Second // time limit for one write to a page
)

// frames answers POST api/frames with a row for each frame in the history from number "from" on,
// and then for each new frame, until the page disconnects. The values are little endian float64:
//
//	number, time in Unix ms, a value for each of "names",
//	and for each of "detail", which are timers: calls, own, shortest and longest
//
// NaN means that a name was not watched. Times are in milliseconds. The names are watched during
// the stream. A page that is too slow misses frames, as the frame numbers show.
func (v *View) frames(w http.ResponseWriter, req *http.Request) {
	var ask struct {
		Names  []string `json:"names"`
		Detail []string `json:"detail"`
		From   int64    `json:"from"`
	}
	if !webjson.Read(w, req, &ask) {
		return
	}
	if n := len(ask.Names) + len(ask.Detail); n == 0 || n > maxStreamed {
		webjson.Fail(w, http.StatusBadRequest, "there are %d names; a stream has 1 to %d", n, maxStreamed)
		return
	}
	set := v.sources.Counters
	defer set.Watch(ask.Names...)()
	defer set.WatchDetail(ask.Detail...)()

	w.Header().Set("Content-Type", "application/octet-stream")
	out := http.NewResponseController(w)
	out.Flush() // The page now knows that the names are watched.
	poll := time.NewTicker(pollFrames)
	defer poll.Stop()
	rows := frameRows{set: set, catalogs: &v.catalogs, names: ask.Names, detail: ask.Detail, next: max(ask.From, 0)}
	if now := set.Table(rows.next).Next; rows.next > now {
		rows.next = 0 // The number comes from an earlier run of the program.
	}
	for {
		if b := rows.takeRows(); len(b) > 0 {
			out.SetWriteDeadline(time.Now().Add(writeDeadline)) // If the connection does not support deadlines, the write may wait longer.
			if _, err := w.Write(b); err != nil {
				return
			}
			if out.Flush() != nil {
				return
			}
		}
		select {
		case <-req.Context().Done():
			return
		case <-v.closed:
			return
		case <-poll.C:
		}
	}
}

// frameRows encodes the rows of a stream.
type frameRows struct {
	set           *counters.Set
	catalogs      *catalogs
	names, detail []string
	next          int64
	begun         bool
	factors       []float64 // factor of each name; 0 while its kind is unknown
	out           []byte
}

// takeRows returns the rows of new frames.
func (f *frameRows) takeRows() []byte {
	f.out = f.out[:0]
	if len(f.set.Table(f.next).Frames) == 0 {
		return nil
	}
	t := f.set.Table(f.next, f.names...)
	first := 0
	if f.begun && len(t.Frames) > framesBehind {
		first = len(t.Frames) - framesKept
	}
	f.begun, f.next = true, t.Next
	stats := make([][]counters.Stat, len(f.detail))
	from := make([]int64, len(f.detail))
	for i, name := range f.detail {
		from[i], stats[i] = f.set.TimerHistory(name, t.Frames[first].Number)
	}
	for i := first; i < len(t.Frames); i++ {
		frame := t.Frames[i]
		f.put(float64(frame.Number))
		f.put(float64(unixMillis(frame.At)))
		for at, value := range t.Row(i) {
			f.put(value * f.factor(at, value))
		}
		for d := range f.detail {
			if at := frame.Number - from[d]; at < 0 || at >= int64(len(stats[d])) {
				for range 4 {
					f.put(math.NaN())
				}
			} else {
				s := stats[d][at]
				f.put(float64(s.Calls))
				f.put(float64(millis(s.Own)))
				f.put(float64(millis(s.Min)))
				f.put(float64(millis(s.Max)))
			}
		}
	}
	return f.out
}

func (f *frameRows) put(value float64) {
	f.out = binary.LittleEndian.AppendUint64(f.out, math.Float64bits(value))
}

// factor returns the factor that converts a value of a name to the page's unit. A watched name may
// be created later.
func (f *frameRows) factor(at int, value float64) float64 {
	if f.factors == nil {
		f.factors = make([]float64, len(f.names))
		f.resolve(f.catalogs.get(catalogAge))
	}
	if f.factors[at] == 0 && !math.IsNaN(value) {
		f.resolve(f.catalogs.get(0))
	}
	if f.factors[at] == 0 {
		return 1
	}
	return f.factors[at]
}

func (f *frameRows) resolve(c *catalog) {
	for i, name := range f.names {
		if kind, ok := c.kind(name); ok && kind == counters.KindTimer {
			f.factors[i] = 1e-6
		} else if ok {
			f.factors[i] = 1
		}
	}
}
