package timeline

import (
	"context"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/profile/events"
)

// A Recording answers queries about a tape. Any goroutine may call its methods.
type Recording struct {
	tape   *events.Tape
	latest latestAnswers

	mu     sync.RWMutex // guards the fields below; queries hold it for reading
	rows   []row
	open   []events.Record // scopes that have not ended
	next   int64           // number of the first block that is not indexed
	bins   binning
	flows  flows
	frames frameIndex
	gone   map[uint32]float64 // changes of levels in blocks that the tape has dropped, by name
	last   int64              // latest end of a scope
	chunk  int                // number of consecutive blocks that one goroutine indexes at a time
}

// A binning holds the width of a bin in nanoseconds, and the maximum number of cells.
type binning struct {
	width int64
	most  int
}

// latestAnswers holds results that the next queries are likely to need again.
type latestAnswers struct {
	search atomic.Pointer[search]
	calls  atomic.Pointer[knownTree]
}

// A row holds the index of one row, which consists of its blocks.
type row struct{ blocks []block }

// A block holds the index of one block of the tape.
type block struct {
	events.Block
	before, end int64   // all short scopes begin after before, and end at end or earlier
	splits      []int64 // start times of long scopes in later blocks, sorted, if within the time of this block
	longs       []long  // long scopes in the block, sorted by end
	cells       []cell  // cells; within each level the last cell comes first
	flows       []flow
	values      []uint32 // names of the block's values
	nets        []net    // changes of levels, by name
}

// A long is a scope that began before its block.
type long struct {
	start, dur   int64
	name, detail uint32
	pos          uint32
}

func (l *long) end() int64 { return l.start + l.dur }

const (
	mostCells = 1 << 21 // maximum number of cells in an index
	mostBins  = 1 << 18
	mostRows  = 1 << 12 // maximum number of rows; further rows are not shown
	waves     = 8       // indexing is divided into this many parts; the number of cells is limited after each part
)

// New returns the Recording of a tape. The first query indexes the tape.
func New(tape *events.Tape) *Recording {
	return &Recording{tape: tape, gone: map[uint32]float64{}, bins: binning{width: 1, most: mostCells}, chunk: 32, frames: frameIndex{most: mostFrames}}
}

// Tape returns the tape of the recording.
func (r *Recording) Tape() *events.Tape { return r.tape }

// cores returns a limit for parallel work: one core fewer than GOMAXPROCS, but at least one.
func cores() *parallel.Cores { return parallel.NewCores(runtime.GOMAXPROCS(0) - 1) }

// use brings the index up to date, and keeps it unchanged until release is called.
func (r *Recording) use(ctx context.Context) (release func(), err error) {
	blocks := r.tape.State().Blocks
	r.mu.Lock()
	if len(blocks) > 0 && (blocks[len(blocks)-1].Number >= r.next || r.dropped(blocks[0].Number)) {
		// Finish indexing even if the page has canceled the query, because the next query needs the
		// index.
		err = r.update(context.WithoutCancel(ctx), blocks)
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r.mu.RLock()
	return r.mu.RUnlock, nil
}

// dropped reports whether the index still has blocks before number first. The tape has dropped
// these blocks.
func (r *Recording) dropped(first int64) bool {
	return slices.ContainsFunc(r.rows, func(row row) bool { return len(row.blocks) > 0 && row.blocks[0].Number < first })
}

// update indexes new blocks, and removes blocks that the tape has dropped.
func (r *Recording) update(ctx context.Context, blocks []events.Block) error {
	rows := slices.Clone(r.rows) // This is a copy, so that an error leaves the index unchanged.
	gone := maps.Clone(r.gone)
	for i := range rows {
		n := 0
		for n < len(rows[i].blocks) && rows[i].blocks[n].Number < blocks[0].Number {
			goneBlock(gone, &rows[i].blocks[n])
			n++
		}
		rows[i].blocks = slices.Clone(rows[i].blocks[n:])
	}
	first := make([]int, mostRows) // index of the first new block, by row
	for i := range rows {
		first[i] = len(rows[i].blocks)
	}
	width := r.bins.width
	for i := range blocks {
		b := &blocks[i]
		if b.Number < r.next || b.Row < 0 || b.Row >= mostRows {
			continue
		}
		for len(rows) <= b.Row {
			rows = append(rows, row{})
		}
		rows[b.Row].blocks = append(rows[b.Row].blocks, block{Block: *b, before: b.From})
		if span := b.To - blocks[0].From; b.To < math.MaxInt64/4 {
			for ; span/width >= mostBins; width *= 2 {
			}
		}
	}
	open := r.tape.Open()
	symbols := frameSymbols(r.tape.State().Names)
	var tasks [][]block
	for i := range rows {
		list := rows[i].blocks[first[i]:]
		for part := range slices.Chunk(list, r.chunk) {
			tasks = append(tasks, part)
		}
	}
	for part := range slices.Chunk(tasks, len(tasks)/waves+1) {
		marks := make([][]frameTime, len(part))
		err := cores().Each(ctx, len(part), func(i int) error {
			s := scratches.Get().(*scratch)
			defer scratches.Put(s)
			marks[i] = s.chunk(r.tape, part[i], width, symbols)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		for i := range part {
			r.frames.addMarks(part[i][0].Row, marks[i])
		}
		width = bound(rows, width, r.bins.most)
	}
	err := cores().Each(ctx, len(rows), func(i int) error {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		return s.settle(ctx, r.tape, rows[i].blocks, openOn(open, i), width)
	})
	if err != nil {
		return err
	}
	r.rows, r.open, r.gone, r.bins.width, r.next = rows, open, gone, width, blocks[len(blocks)-1].Number+1
	r.flows = gatherFlows(rows)
	r.last = latestEnd(rows)
	r.frames.oldest = oldestKept(rows, blocks[0].Number)
	return nil
}

// latestEnd returns the end of the last scope of all rows.
func latestEnd(rows []row) (latest int64) {
	for _, row := range rows {
		if n := len(row.blocks); n > 0 {
			latest = max(latest, row.blocks[n-1].end)
		}
	}
	return latest
}

// oldestKept returns the earliest time on a tape whose first block has the given number. If the tape
// has dropped nothing, no time is earlier than the result.
func oldestKept(rows []row, first int64) int64 {
	if first == 0 {
		return math.MinInt64
	}
	oldest := int64(math.MaxInt64)
	for _, row := range rows {
		if len(row.blocks) > 0 {
			oldest = min(oldest, row.blocks[0].From)
		}
	}
	return oldest
}

// bound merges cells into wider bins until their number is within the limit most. It returns the
// width of the bins.
func bound(rows []row, width int64, most int) int64 {
	for {
		count := 0
		for _, row := range rows {
			for i := range row.blocks {
				count += len(row.blocks[i].cells)
			}
		}
		if count <= most || width >= math.MaxInt64/4 {
			return width
		}
		width *= 2
		var j joiner
		for _, row := range rows {
			for i := range row.blocks {
				row.blocks[i].widen(&j, width)
			}
		}
	}
}

// widen merges the cells of a block into wider bins.
func (b *block) widen(j *joiner, width int64) {
	j.reset(0, width)
	next, split := len(b.longs)-1, len(b.splits)
	for k := range b.cells {
		c := &b.cells[k]
		for ; next >= 0 && b.longs[next].pos > c.pos; next-- {
			j.flush()
		}
		// Instants are skipped here, because their order relative to scopes is kept only between
		// two flushes.
		for ; c.level > 0 && split > 0 && b.splits[split-1] > c.start; split-- {
			j.flush()
		}
		j.joinCell(c)
	}
	j.flush()
	b.cells = slices.Clone(j.out)
}
