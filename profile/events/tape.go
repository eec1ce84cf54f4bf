package events

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A Tape is a recording whose blocks can be read in any order, by several goroutines at a time. It
// holds a whole recording, or the latest part of a recording that is still being written.
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
	skim      decoder // append-only tables, and the clock
	blocks    []Block
	next      int64 // number of the next block
	end       int64 // latest moment of all blocks so far
	cut       cut
	forgotten int64 // number of records in dropped blocks
	err       error
}

// A Block is a part of a tape. It holds records of one row, in the order of their ends, or the
// scopes open at one moment.
type Block struct {
	Number   int64 // number of the block, from 0; dropping older blocks does not change it
	Row      int   // row of the records; -1 for a block of open scopes
	Records  int   // upper bound of the number of records; 0 if Row is -1
	From, To int64 // earliest and latest end time of a record, in nanoseconds

	kind    byte
	names   int            // number of names known before the block
	at      fastclock.Pair // last clock pair before the block
	content []byte
}

// A Record is an event whose names are numbers.
type Record struct {
	Kind         Kind
	Row          int32
	Name, Detail Symbol
	Start, Dur   int64 // times in nanoseconds

	body uint64 // number of a Value, id of a flow, or position of the body in the block
}

// Value returns the number in a Value, Alloc or Free record.
func (r *Record) Value() float64 { return math.Float64frombits(r.body) }

// Flow returns the id in a FlowOut or FlowIn record.
func (r *Record) Flow() uint64 { return r.body }

// Values appends the numbers of a record of this block to dst. A Vector has several numbers; a
// Value, Alloc or Free has one.
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

// Read appends the records of a block to dst. It allocates nothing if they fit. It skips records of
// kinds that this version does not know. If records are invalid, it returns the valid records
// before them and [ErrDamaged]. A block can be read even after the tape has dropped it.
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
			dst = append(dst, Record{}) // The record is an open scope.
		}
		r.record.number(&dst[len(dst)-1], r.row, len(b.content))
	}
}

// number fills in the number, id or position of the record out. The argument content is the length
// of the block's content.
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
	Start   time.Time // time of day when the recording began; zero if unknown
	End     int64     // latest moment on the tape
	Blocks  []Block   // present blocks, in the order of the stream
	Names   []string  // names by Symbol, including names from dropped blocks
	Workers []string  // names of the rows

	// Dropped is the number of records that the stream lacks, because the recorder dropped them or
	// a [Feed] omitted them for a slow viewer. Forgotten is the number of records in blocks that
	// the tape has dropped to make room.
	Dropped, Forgotten int64

	Ended bool  // true if the stream has ended
	Err   error // ErrDamaged if the tape ends before the end of its recording
}

// State returns the present state of the tape.
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
// [Stream.Open]. It reads the latest blocks, from the last complete list of open scopes.
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

// decides reports whether a block lists open scopes of a row that is not yet in decided. It adds
// all rows of the block to decided.
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
