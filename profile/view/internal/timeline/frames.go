package timeline

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/internal/stat"
)

// A Frame is a frame of a recording: a scope called "frame", or the time between two instants of
// this name on one row. Frames are numbered in the order of their ends, from 0. A scope that has not
// ended is not a frame.
type Frame struct {
	Number int64 `json:"number"`
	Start  int64 `json:"start"`
	Dur    int64 `json:"dur"`
}

// Frames holds the frames to draw in a window.
type Frames struct {
	Total int64 `json:"total"` // number of all frames of the recording
	Gone  int64 `json:"gone"`  // number of early frames that are not in the index
	Above int64 `json:"above"` // number of indexed frames above the limit

	// Frames has the number, start, duration and count of each bar. If the count is above 1, the bar
	// stands for several frames that begin in the same pixel. The bar shows the longest frame.
	Frames []int64 `json:"frames"`
}

const (
	mostFrames    = 1 << 21 // maximum number of frames in an index, of 16 bytes each
	slowestFrames = 100     // number of frames in the list of the slowest frames
)

// A frameTime holds the times of a frame. In lists of marks, the duration of an instant is negative.
type frameTime struct{ start, dur int64 }

func (f frameTime) end() int64 { return f.start + f.dur }

// before reports whether f has a lower number than g. If both end at the same time, the inner frame
// has the lower number, as in the order of records.
func (f frameTime) before(g frameTime) bool {
	if f.end() != g.end() {
		return f.end() < g.end()
	}
	return f.start > g.start
}

// A frameIndex holds the frames of a recording. It numbers the frames only for queries about
// frames, so that marks cost other queries little.
type frameIndex struct {
	most   int // maximum length of list
	oldest int64

	mu      sync.Mutex    // guards the fields below against other queries
	list    []frameTime   // sorted by end
	gone    int64         // number of the first frame in list
	last    map[int]int64 // latest instant that marks a frame, by row
	marks   []rowMarks    // marks whose frames are not yet in list
	waiting int           // number of these marks
}

// rowMarks holds frame marks of a row, latest first.
type rowMarks struct {
	row   int
	marks []frameTime
}

// frameSymbols returns the numbers of the name of frames.
func frameSymbols(names []string) (symbols []events.Symbol) {
	for i, name := range names {
		if name == stat.FrameMark {
			symbols = append(symbols, events.Symbol(i))
		}
	}
	return symbols
}

// appendFrameMarks appends the frame marks of a block, latest first.
func appendFrameMarks(marks []frameTime, records []events.Record, symbols []events.Symbol) []frameTime {
	if len(symbols) == 0 {
		return marks
	}
	first, only := symbols[0], len(symbols) == 1
	for i := len(records) - 1; i >= 0; i-- {
		switch r := &records[i]; {
		case r.Name != first && (only || !slices.Contains(symbols, r.Name)):
		case r.Kind == events.Scope:
			marks = append(marks, frameTime{r.Start, r.Dur})
		case r.Kind == events.Instant:
			marks = append(marks, frameTime{r.Start, -1})
		}
	}
	return marks
}

// addMarks adds marks of a row. Marks of later blocks must be added later.
func (f *frameIndex) addMarks(row int, marks []frameTime) {
	if len(marks) == 0 {
		return
	}
	f.marks = append(f.marks, rowMarks{row, marks})
	if f.waiting += len(marks); f.waiting > f.most {
		f.listMarks()
	}
}

// listMarks moves the frames of all marks to the list. It removes frames that end before the oldest
// time, and the first frames if there are too many.
func (f *frameIndex) listMarks() {
	n := len(f.list)
	f.list = slices.Grow(f.list, f.waiting)
	for _, m := range f.marks {
		f.listRowMarks(m)
	}
	f.marks, f.waiting = nil, 0
	if n < len(f.list) {
		first := f.list[n]
		for _, frame := range f.list[n:] {
			if frame.before(first) {
				first = frame
			}
		}
		f.sortFrom(sort.Search(n, func(i int) bool { return first.before(f.list[i]) }))
	}
	f.removeFirst(f.searchEnd(f.oldest))
	f.removeFirst(len(f.list) - f.most)
}

func (f *frameIndex) listRowMarks(m rowMarks) {
	if f.last == nil {
		f.last = map[int]int64{}
	}
	for _, mark := range slices.Backward(m.marks) {
		if mark.dur >= 0 {
			f.list = append(f.list, mark)
			continue
		}
		last, ok := f.last[m.row]
		if ok && mark.start >= last {
			f.list = append(f.list, frameTime{last, mark.start - last})
		}
		if !ok || mark.start > last {
			f.last[m.row] = mark.start
		}
	}
}

// useFrames brings the frames up to date, and keeps them unchanged until release is called.
func (r *Recording) useFrames(ctx context.Context) (f *frameIndex, release func(), err error) {
	done, err := r.use(ctx)
	if err != nil {
		return nil, nil, err
	}
	f = &r.frames
	f.mu.Lock()
	f.listMarks()
	return f, func() {
		f.mu.Unlock()
		done()
	}, nil
}

// sortFrom sorts the frames from index i on. It merges ascending runs, because the frames of each row
// are nearly sorted.
func (f *frameIndex) sortFrom(i int) {
	list := f.list[i:]
	runs := []int{0} // starts of the runs
	for k := 1; k < len(list); k++ {
		if list[k].before(list[k-1]) {
			runs = append(runs, k)
		}
	}
	if len(runs) == 1 {
		return
	}
	merged := make([]frameTime, len(list))
	for from, to := list, merged; ; from, to = to, from {
		n := 0
		for k := 0; k < len(runs); k += 2 {
			middle, end := len(list), len(list)
			if k+1 < len(runs) {
				middle = runs[k+1]
			}
			if k+2 < len(runs) {
				end = runs[k+2]
			}
			mergeFrames(to[runs[k]:end], from[runs[k]:middle], from[middle:end])
			runs[n] = runs[k]
			n++
		}
		if runs = runs[:n]; n == 1 {
			copy(list, to) // This does nothing if to is list.
			return
		}
	}
}

// mergeFrames merges two sorted lists into a list of their total length.
func mergeFrames(to, a, b []frameTime) {
	for i := range to {
		if len(a) > 0 && (len(b) == 0 || !b[0].before(a[0])) {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}

func (f *frameIndex) removeFirst(n int) {
	if n > 0 {
		f.list = f.list[n:]
		f.gone += int64(n)
	}
}

// searchEnd returns the index of the first frame that ends at a time or later.
func (f *frameIndex) searchEnd(at int64) int {
	return sort.Search(len(f.list), func(i int) bool { return f.list[i].end() >= at })
}

func (f *frameIndex) numbered(i int) Frame {
	return Frame{f.gone + int64(i), f.list[i].start, f.list[i].dur}
}

// Frames returns the frames between two times, for a page of width pixels. A frame is above the
// limit if it takes more nanoseconds.
func (r *Recording) Frames(ctx context.Context, from, to int64, width int, limit int64) (*Frames, error) {
	f, release, err := r.useFrames(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	from, to = clampWindow(from, to)
	pixel := max((to-from)/int64(min(max(width, 1), mostWidth)), 1)
	type bar struct{ longest, count int }
	var bars []bar // bars[0] has the frames that begin before the window
	if len(f.list) > 0 {
		bars = make([]bar, 2+(to-from)/pixel)
	}
	answer := &Frames{Total: f.gone + int64(len(f.list)), Gone: f.gone, Frames: []int64{}}
	for i, frame := range f.list {
		if frame.dur > limit {
			answer.Above++
		}
		if frame.start > to || frame.end() < from {
			continue
		}
		at := int64(0)
		if frame.start >= from {
			at = 1 + (frame.start-from)/pixel
		}
		b := &bars[at]
		if b.count++; b.count == 1 || frame.dur > f.list[b.longest].dur {
			b.longest = i
		}
	}
	for _, b := range bars {
		if b.count > 0 {
			longest := f.numbered(b.longest)
			answer.Frames = append(answer.Frames, longest.Number, longest.Start, longest.Dur, int64(b.count))
		}
	}
	return answer, nil
}

// A FrameQuery asks for one frame.
type FrameQuery struct {
	Number int64 // number of a frame; -1 if At is used instead
	At     int64
	Dir    int   // 0 for the frame Number, 1 for the next frame, -1 for the previous frame
	Limit  int64 // nanoseconds that a next or previous frame must exceed
}

// Frame returns the frame with a number, or the next or previous frame above a limit. With a time
// instead of a number, the next frame is the first one that ends after the time, and the previous
// frame is the last one that ends before it. Frame returns nil if there is no such frame.
func (r *Recording) Frame(ctx context.Context, q FrameQuery) (*Frame, error) {
	f, release, err := r.useFrames(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	n := int64(len(f.list))
	i := min(max(q.Number-f.gone, -1), n)
	if q.Number < 0 {
		if i = int64(f.searchEnd(q.At)); q.Dir > 0 {
			i = int64(f.searchEnd(q.At+1)) - 1
		}
	}
	switch {
	case q.Dir > 0:
		for i++; i < n && f.list[i].dur <= q.Limit; i++ {
		}
	case q.Dir < 0:
		for i--; i >= 0 && f.list[i].dur <= q.Limit; i-- {
		}
	}
	if i < 0 || i >= n {
		return nil, nil
	}
	found := f.numbered(int(i))
	return &found, nil
}

// SlowestFrames returns the longest frames, longest first.
func (r *Recording) SlowestFrames(ctx context.Context) ([]Frame, error) {
	f, release, err := r.useFrames(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list := make([]Frame, 0, slowestFrames+1)
	for i, frame := range f.list {
		if len(list) == slowestFrames && frame.dur <= list[len(list)-1].Dur {
			continue
		}
		at := sort.Search(len(list), func(k int) bool { return list[k].Dur < frame.dur })
		list = slices.Insert(list, at, f.numbered(i))
		list = list[:min(len(list), slowestFrames)]
	}
	return list, nil
}
