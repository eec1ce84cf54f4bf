package timeline

import (
	"context"
	"maps"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// A scratch is the memory that one goroutine needs to decode blocks.
type scratch struct {
	records []events.Record
	starts  []int64 // start times of the scopes around the current scope
	longs   []long
	flows   []flow
	values  map[uint32]struct{}
	marks   []frameTime
	nets    map[uint32]float64
	splits  []int64
	joiner  joiner
}

var scratches = sync.Pool{New: func() any { return &scratch{values: map[uint32]struct{}{}, nets: map[uint32]float64{}} }}

// chunk indexes consecutive blocks of a row, as if no blocks followed them. It returns the blocks'
// frame marks, which have one of the given names, latest first.
func (s *scratch) chunk(tape *events.Tape, blocks []block, width int64, symbols []events.Symbol) []frameTime {
	s.marks = s.marks[:0]
	var later []int64 // start times of long scopes in later blocks
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		s.index(tape, b, later, width)
		s.marks = appendFrameMarks(s.marks, s.records, symbols)
		for k := len(b.longs) - 1; k >= 0; k-- {
			later = append(later, b.longs[k].start)
		}
		n := 0
		for _, start := range later {
			if start <= b.before { // Only these start times affect earlier blocks.
				later[n] = start
				n++
			}
		}
		later = later[:n]
	}
	return slices.Clone(s.marks)
}

// settle indexes some blocks of a row again. These are the blocks that depend on blocks outside
// their chunk, or on the start times of open scopes.
func (s *scratch) settle(ctx context.Context, tape *events.Tape, blocks []block, open []int64, width int64) error {
	last := int64(math.MinInt64)
	for i := range blocks {
		b := &blocks[i]
		if b.before < last { // The clock ran backwards.
			b.before = last
			s.index(tape, b, b.splits, width)
		}
		last = max(last, b.end)
		b.end = last
	}
	var splits [][2]int64 // pairs of block index and start time
	split := func(start int64, earlier int) {
		at := sort.Search(earlier, func(k int) bool { return blocks[k].end >= start })
		if at < earlier && start > blocks[at].before {
			splits = append(splits, [2]int64{int64(at), start})
		}
	}
	for i := range blocks {
		for _, l := range blocks[i].longs {
			split(l.start, i)
		}
	}
	for _, start := range open {
		split(start, len(blocks))
	}
	slices.SortFunc(splits, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	for i := range blocks {
		s.splits = s.splits[:0]
		for ; len(splits) > 0 && splits[0][0] == int64(i); splits = splits[1:] {
			s.splits = append(s.splits, splits[0][1])
		}
		if !slices.Equal(s.splits, blocks[i].splits) {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.index(tape, &blocks[i], slices.Clone(s.splits), width)
		}
	}
	return nil
}

// index decodes a block for the index. The parameter splits has the start times of long scopes in
// later blocks.
func (s *scratch) index(tape *events.Tape, b *block, splits []int64, width int64) {
	s.decode(tape, b, splits, 0, width)
	b.cells, b.longs, b.flows = slices.Clone(s.joiner.out), slices.Clone(s.longs), slices.Clone(s.flows)
	b.values, b.nets = slices.Sorted(maps.Keys(s.values)), sortedNets(s.nets)
	b.splits = nil
	for _, start := range splits {
		if start > b.before && start <= b.end {
			b.splits = append(b.splits, start)
		}
	}
	slices.Sort(b.splits)
}

// decode reads a block. It stores the block's cells in the joiner, in bins of the given width from
// an origin. It stores the long scopes and flows in s, and sets the end of the block.
func (s *scratch) decode(tape *events.Tape, b *block, splits []int64, origin, width int64) {
	s.records, _ = tape.Read(&b.Block, s.records[:0]) // Read omits invalid records.
	s.longs, s.flows = s.longs[:0], s.flows[:0]
	clear(s.values)
	clear(s.nets)
	own := slices.Clone(splits)
	slices.Sort(own)
	split := len(own)
	s.starts = s.starts[:0]
	s.joiner.reset(origin, width)
	end := b.before
	var c cell
	for i := len(s.records) - 1; i >= 0; i-- {
		r := &s.records[i]
		end = max(end, r.Start+r.Dur)
		c = cell{start: r.Start, end: r.Start + r.Dur, took: r.Dur, most: uint32(min(r.Dur, math.MaxUint32)),
			name: uint32(r.Name), detail: uint32(r.Detail), count: 1, pos: uint32(i)}
		switch r.Kind {
		case events.Scope:
			if r.Start <= b.before {
				s.joiner.flush()
				s.starts = s.starts[:0]
				s.longs = append(s.longs, long{r.Start, r.Dur, c.name, c.detail, c.pos})
				continue
			}
			for split > 0 && own[split-1] > r.Start {
				s.joiner.flush()
				split--
			}
			for n := len(s.starts); n > 0 && s.starts[n-1] > r.Start; n-- {
				s.starts = s.starts[:n-1]
			}
			c.level = int32(min(len(s.starts), maxDepth)) + 1
			s.starts = append(s.starts, r.Start)
			s.joiner.joinCell(&c)
		case events.Instant:
			s.joiner.joinCell(&c)
		case events.Value:
			s.values[c.name] = struct{}{}
		case events.Alloc, events.Free:
			bytes, _ := levelChange(r)
			s.nets[c.name] += bytes
		case events.FlowOut, events.FlowIn:
			s.flows = append(s.flows, flow{r.Flow(), r.Start, r.Row, r.Kind == events.FlowOut})
		}
	}
	s.joiner.flush()
	slices.Reverse(s.longs)
	b.end = max(b.end, end)
}

// maxDepth limits the depth of a scope. Deeper scopes count as having this depth.
const maxDepth = 1 << 10
