package timeline

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

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

func byFrameEnd(a, b frameTime) int {
	return cmp.Or(cmp.Compare(a.end(), b.end()), cmp.Compare(a.start, b.start))
}

// A frameIndex holds the frames of a recording.
type frameIndex struct {
	list []frameTime   // sorted by end
	gone int64         // number of the first frame in list
	last map[int]int64 // latest instant that marks a frame, by row
	most int           // maximum length of list
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
	for i := len(records) - 1; i >= 0; i-- {
		switch r := &records[i]; {
		case !slices.Contains(symbols, r.Name):
		case r.Kind == events.Scope:
			marks = append(marks, frameTime{r.Start, r.Dur})
		case r.Kind == events.Instant:
			marks = append(marks, frameTime{r.Start, -1})
		}
	}
	return marks
}

// emptied returns an index without frames for the marks that follow the frames of f.
func (f *frameIndex) emptied() *frameIndex {
	fresh := &frameIndex{last: maps.Clone(f.last), most: f.most}
	if fresh.last == nil {
		fresh.last = map[int]int64{}
	}
	return fresh
}

// addMarks adds the frames that end at the marks of a row. The marks come latest first.
func (f *frameIndex) addMarks(row int, marks []frameTime) {
	for _, m := range slices.Backward(marks) {
		if m.dur >= 0 {
			f.list = append(f.list, m)
			continue
		}
		last, ok := f.last[row]
		if ok && m.start >= last {
			f.list = append(f.list, frameTime{last, m.start - last})
		}
		if !ok || m.start > last {
			f.last[row] = m.start
		}
	}
	if len(f.list) > 2*f.most {
		f.sortFrom(0)
		f.removeFirst(len(f.list) - f.most)
	}
}

// absorb adds the frames of another index, and removes the frames that end before the time oldest.
// If there are too many frames, it also removes the first ones.
func (f *frameIndex) absorb(fresh *frameIndex, oldest int64) {
	f.last = fresh.last
	f.gone += fresh.gone
	fresh.sortFrom(0)
	if len(fresh.list) > 0 {
		at := sort.Search(len(f.list), func(i int) bool { return byFrameEnd(f.list[i], fresh.list[0]) > 0 })
		f.list = append(f.list, fresh.list...)
		f.sortFrom(at)
	}
	f.removeFirst(f.searchEnd(oldest))
	f.removeFirst(len(f.list) - f.most)
}

// sortFrom sorts the frames from index i on.
func (f *frameIndex) sortFrom(i int) {
	if !slices.IsSortedFunc(f.list[i:], byFrameEnd) {
		slices.SortFunc(f.list[i:], byFrameEnd)
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
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	f := &r.frames
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
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	f := &r.frames
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
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list := make([]Frame, 0, slowestFrames+1)
	for i, frame := range r.frames.list {
		if len(list) == slowestFrames && frame.dur <= list[len(list)-1].Dur {
			continue
		}
		at := sort.Search(len(list), func(k int) bool { return list[k].Dur < frame.dur })
		list = slices.Insert(list, at, r.frames.numbered(i))
		list = list[:min(len(list), slowestFrames)]
	}
	return list, nil
}
