package command

import (
	"errors"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/internal/stat"
)

// maxSamples is the maximum number of samples in memory. If there are more, the tape is read again.
const maxSamples = 1 << 21

// replay writes the values of a recording into a set, as gauges with a limited number of rows of
// history; see [rowsOf]. The values may be out of order, because workers flush their buffers at
// different times.
//
// A row is a frame. A frame ends at an instant, or the end of a scope, called "frame". Without such
// marks, a frame ends before the second value of a quantity, so that no frame has two values of a
// quantity. If that gives too many frames, the whole time is divided into equal frames. If there
// are more frames than rows, a row combines several neighboring frames. A row with several values
// of a quantity keeps the last, the least and the greatest value.
//
// After an error, the set has all values read before the error.
func replay(set *counters.Set, tape *events.Tape, rows int) error {
	p := player{tracks: newTracks(set, min(maxNames, 2*maxCells/rows)), tape: tape, end: tape.State().End, rows: rows, kept: true}
	p.survey()
	p.divide()
	set.WatchAll(math.MaxInt)
	join := (len(p.ends) + rows - 1) / rows // number of frames in each row
	chunk := max(rows/join, 1) * join       // number of frames whose cells are in memory at the same time
	for from := 0; from < len(p.ends); from += chunk {
		to := min(from+chunk, len(p.ends))
		p.fill(from, to)
		p.push(from, to, join)
	}
	return errors.Join(p.failed, p.full)
}

// A player converts a complete recording to rows.
type player struct {
	tracks
	tape    *events.Tape
	rows    int
	end     int64   // end of the recording
	ends    []int64 // ends of the frames
	samples []sample
	kept    bool // true if samples holds all samples of the recording
	failed  error
	records []events.Record
	values  []float64
}

// survey finds the ends of frames and all quantities. It keeps the samples if there are at most
// maxSamples.
func (p *player) survey() {
	marks := slices.Contains(p.tape.State().Names, stat.FrameMark)
	latest := int64(0)
	p.eachSample(math.MinInt64, math.MaxInt64, func(s sample) bool {
		latest = max(latest, s.at)
		switch {
		case s.track == nil:
			p.ends = append(p.ends, s.at)
		case p.kept && len(p.samples) < maxSamples:
			p.samples = append(p.samples, s)
		default:
			p.samples, p.kept = nil, false
		}
		return p.kept || marks
	})
	if p.kept || marks {
		p.end = latest
	}
	slices.SortStableFunc(p.samples, byTime)
	slices.Sort(p.ends)
	p.marked = len(p.ends) > 0
}

// divide determines the ends of frames.
func (p *player) divide() {
	if !p.marked && p.kept {
		p.ends = p.exact()
	}
	if len(p.ends) == 0 || !p.marked && len(p.ends) > p.rows {
		p.ends = p.ends[:0]
		width := max(p.end, 0)/int64(p.rows) + 1
		for at := width; at < p.end+width; at += width {
			p.ends = append(p.ends, at)
		}
	}
	if n := len(p.ends); n == 0 || p.ends[n-1] < p.end {
		p.ends = append(p.ends, p.end)
	}
}

// exact returns frame ends such that no frame has two values of a quantity. Only values with the
// same time may be in one frame.
func (p *player) exact() (ends []int64) {
	frame := map[*track]int{} // number of the latest frame with a value, from 1
	for i := range p.samples {
		s := &p.samples[i]
		if before := int64(0); i > 0 {
			if before = p.samples[i-1].at; frame[s.track] == len(ends)+1 && before < s.at {
				ends = append(ends, before)
			}
		}
		frame[s.track] = len(ends) + 1
	}
	return ends
}

// fill computes the cells of a range of frames.
func (p *player) fill(from, to int) {
	for _, q := range p.list {
		clear(q.cells)
	}
	begin := int64(math.MinInt64)
	if from > 0 {
		begin = p.ends[from-1] + 1
	}
	p.eachSample(begin, p.ends[to-1], func(s sample) bool {
		if s.track == nil {
			return true
		}
		if s.track.cells == nil {
			s.track.cells = make([]cell, to-from) // The slice has room for later chunks, because no chunk is longer.
		}
		at := sort.Search(to-from-1, func(i int) bool { return p.ends[from+i] >= s.at })
		s.track.cells[at].addCellValue(s.at, s.value)
		return true
	})
}

// push pushes the frames in cells to the set. It combines each group of join neighboring frames
// into one row.
func (p *player) push(from, to, join int) {
	start := p.tape.State().Start
	for f := from; f < to; f += join {
		until := min(f+join, to)
		for _, q := range p.list {
			var row cell
			for n := f; n < until && q.cells != nil; n++ {
				c := p.closed(q, q.cells[n-from])
				row.merge(&c)
			}
			p.show(q, &row)
		}
		p.set.PushFrame(start.Add(time.Duration(p.ends[until-1])))
	}
}

// eachSample passes each sample between two times to the function use. It stops when use returns
// false.
func (p *player) eachSample(from, to int64, use func(sample) bool) {
	if p.kept && len(p.samples) > 0 {
		for _, s := range p.samples {
			if s.at >= from && s.at <= to && !use(s) {
				return
			}
		}
		return
	}
	state := p.tape.State()
	blocks, names := state.Blocks, state.Names
	for i := range blocks {
		b := &blocks[i]
		if b.Row < 0 || b.To < from || b.From > to {
			continue
		}
		var err error
		if p.records, err = p.tape.Read(b, p.records[:0]); err != nil {
			p.failed = err
		}
		for j := range p.records {
			r := &p.records[j]
			p.values = b.Values(r, p.values[:0])
			more := true
			p.tracks.samples(r.Kind, names[r.Name], r.Start, r.Dur, p.values, func(s sample) {
				if s.at >= from && s.at <= to {
					more = use(s) && more
				}
			})
			if !more {
				return
			}
		}
	}
}
