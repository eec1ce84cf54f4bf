package events

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A Tape is a recording whose blocks can be read in any order, by several goroutines at a time: a
// whole recording, or the latest part of one that is still being written.
//
//	tape := events.OpenTape(data)
//	for _, b := range tape.State().Blocks {
//		if records, err = tape.Read(&b, records[:0]); err != nil {
//			...
//		}
//	}
//
// The blocks in order yield the events of [Read] in order. Names are numbers that index
// [TapeState].Names.
type Tape struct {
	readers sync.Pool // pool of *tapeReader

	mu        sync.RWMutex
	skim      decoder // tables and clock; append-only
	blocks    []Block
	next      int64 // number of the next block
	end       int64 // latest moment of all blocks so far
	cut       cut
	forgotten int64 // records of dropped blocks
	err       error
}

// A Block is a part of a tape: records of one row, in the order of their ends, or the scopes open
// at one moment.
type Block struct {
	Number   int64 // counts from 0; unchanged when older blocks are dropped
	Row      int   // -1 for a block of open scopes
	Records  int   // upper bound of the number of records; 0 if Row is -1
	From, To int64 // earliest and latest end of its records, in ns

	kind    byte
	names   int            // number of names known before the block
	at      fastclock.Pair // index of the clock's last pair before the block
	content []byte
}

// A Record is an event whose names are numbers.
type Record struct {
	Kind         Kind
	Row          int32
	Name, Detail Symbol
	Start, Dur   int64 // nanoseconds

	body uint64 // number, id, or offset of the body in the block
}

// Value returns the number of a Value, Alloc or Free record.
func (r *Record) Value() float64 { return math.Float64frombits(r.body) }

// Flow returns the id of a FlowOut or FlowIn record.
func (r *Record) Flow() uint64 { return r.body }

// Values appends the numbers of a Vector record of this block to dst, or the single number of a
// Value, Alloc or Free record.
func (b *Block) Values(r *Record, dst []float64) []float64 {
	switch r.Kind {
	case Value, Alloc, Free:
		return append(dst, r.Value())
	case Vector:
		p := b.body(r)
		for n := p.number(maxValues + 1); n > 0 && !p.bad; n-- {
			dst = append(dst, p.float())
		}
	}
	return dst
}

// Data returns the data of a User record of this block, without copying it.
func (b *Block) Data(r *Record) []byte {
	if r.Kind != User {
		return nil
	}
	p := b.body(r)
	return p.bytes(maxData)
}

func (b *Block) body(r *Record) parser {
	return parser{rest: b.content[min(r.body, uint64(len(b.content))):]}
}

// A tapeReader decodes a block.
type tapeReader struct {
	decoder
	record
}

// Read appends the records of a block to dst. It allocates nothing if they fit. The only error is
// [ErrDamaged], for invalid records; the valid ones before it are returned. It skips records of
// kinds that this version does not know. A block can be read even after the tape has dropped it.
func (t *Tape) Read(b *Block, dst []Record) ([]Record, error) {
	r, _ := t.readers.Get().(*tapeReader)
	if r == nil {
		r = new(tapeReader)
	}
	defer t.readers.Put(r)
	t.mu.RLock()
	names, rows, clock := t.skim.names, t.skim.rows, t.skim.clock
	t.mu.RUnlock()
	r.decoder = decoder{clock: clock.upTo(b.at), names: names[:b.names], rows: rows, shapes: r.shapes}
	return r.readAll(b, dst)
}

func (r *tapeReader) readAll(b *Block, dst []Record) ([]Record, error) {
	if err := r.openContent(b.kind, b.content); err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, b.Records)
	for {
		more, err := r.decoder.next(&r.record)
		if err != nil || !more {
			return dst, err
		}
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+1]
		} else {
			dst = append(dst, Record{}) // an open scope
		}
		r.record.number(&dst[len(dst)-1], r.row, len(b.content))
	}
}

// number stores the numeric form of the record in out; content is the length of the block's
// content.
func (r *record) number(out *Record, row, content int) {
	out.Kind, out.Row, out.Name, out.Detail = r.kind, int32(row), Symbol(r.name), Symbol(r.detail)
	out.Start, out.Dur, out.body = r.start, r.dur, 0
	switch r.kind {
	case Value, Alloc, Free:
		out.body = math.Float64bits(r.values[0])
	case FlowOut, FlowIn:
		out.body = r.flow
	case Vector, User:
		out.body = uint64(content - r.body)
	}
}

// TapeState describes a tape at one moment. Callers must not change its slices.
type TapeState struct {
	Start   time.Time // time of day at which the recording began, the zero time if unknown
	End     int64     // latest moment on the tape
	Blocks  []Block   // current blocks, in the order of the stream
	Names   []string  // names by Symbol, including names from dropped blocks
	Workers []string  // names of the rows

	// Dropped is how many records the stream lacks: records dropped by the recorder, and records
	// that a [Feed] left out for a slow viewer. Forgotten is how many records were in blocks that
	// the tape has dropped for newer ones.
	Dropped, Forgotten int64

	Ended bool  // the stream has ended
	Err   error // ErrDamaged if the tape ends before its recording did
}

// State returns the tape's present state.
func (t *Tape) State() TapeState {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return TapeState{
		Start: startTime(t.skim.began), End: t.end, Blocks: slices.Clip(t.blocks), Names: slices.Clip(t.skim.names),
		Workers: slices.Clip(t.skim.rows), Dropped: addCapped(t.skim.dropped, uint64(t.skim.lost)), Forgotten: t.forgotten,
		Ended: t.skim.ended, Err: t.err,
	}
}

// Open returns the scopes that are open at the tape's end, by row and outermost first; see
// [Stream.Open]. It reads the blocks since the recording last listed open scopes.
func (t *Tape) Open() []Record {
	t.mu.RLock()
	blocks, rows, names := t.blocks, t.skim.rows, t.skim.names
	clock := t.skim.clock.upTo(t.skim.clock.last)
	t.mu.RUnlock()
	r := tapeReader{decoder: decoder{names: names, rows: rows}}
	from, decided := len(blocks), make([]bool, len(rows))
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].kind == blockOpen && r.decides(&blocks[i], decided) {
			from = i
		}
	}
	r.stills = stills{}
	for i := from; i < len(blocks); i++ {
		b := &blocks[i]
		if b.Row >= 0 && (b.Row >= len(r.stills.open) || len(r.stills.open[b.Row]) == 0) {
			continue
		}
		r.clock, r.names = clock.upTo(b.at), names[:b.names]
		if r.openContent(b.kind, b.content) != nil {
			break
		}
		for more := true; more; {
			more, _ = r.decoder.next(&r.record)
		}
	}
	var list []Record
	r.clock = clock
	for row, scopes := range r.stills.open {
		for _, s := range scopes {
			still := r.stillRecord(s, nil)
			list = append(list, Record{})
			still.number(&list[len(list)-1], row, 0)
		}
	}
	return list
}

// decides reports whether a block lists open scopes on rows that no later block lists, and marks
// all rows that it lists.
func (d *decoder) decides(b *Block, decided []bool) (yes bool) {
	p := parser{rest: b.content}
	p.any()
	p.any()
	first, count := p.any(), p.any()
	if d.openContent(b.kind, b.content) != nil {
		return false
	}
	for row := first; row < first+count; row++ {
		yes = yes || !decided[row] && len(d.stills.open[row]) > 0
		decided[row] = true
	}
	return yes
}
