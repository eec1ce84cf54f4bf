package events

import (
	"encoding/binary"
	"io"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// WriteTail writes a tape's events from a moment on as a new stream for [Read]: all names, and
// the blocks in which a record ends then or later. Scopes that began before the moment are
// included if they ended after it or were listed as open.
func (t *Tape) WriteTail(w io.Writer, from int64) error {
	t.mu.RLock()
	began, names, rows, blocks := t.skim.began, t.skim.names, t.skim.rows, t.blocks
	t.mu.RUnlock()
	out := appendStart([]byte(magic), startTime(began))
	out = appendTable(out, blockNames, 0, names)
	out = appendTable(out, blockRows, 0, rows)
	records := int64(0)
	for i := range blocks {
		b := &blocks[i]
		if b.To < from {
			out = appendMoment(out, b.at) // later times depend on it
			continue
		}
		at := len(out)
		out = sealBlock(append(openBlock(out, b.kind), b.content...), at)
		records += int64(b.Records)
		if len(out) >= maxBlock {
			if _, err := w.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	_, err := w.Write(appendEnd(out, records, t.Dropped()))
	return err
}

// appendMoment appends a block that only pairs a tick with its time.
func appendMoment(b []byte, at fastclock.Pair) []byte {
	from := len(b)
	b = openBlock(b, blockOpen)
	b = binary.AppendUvarint(b, uint64(at.Tick))
	b = binary.AppendUvarint(b, uint64(at.Nanos))
	b = append(b, 0, 0, 0) // no rows have open scopes
	return sealBlock(b, from)
}

// End returns the latest moment on the tape.
func (t *Tape) End() (at int64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := range t.blocks {
		at = max(at, t.blocks[i].To)
	}
	return at
}
