package events

import (
	"encoding/binary"
	"io"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// WriteTail writes what a tape has of the time from a moment on as a stream of its own,
// which [Read] reads: all names, and the blocks in which something ends then or later. A
// scope that had begun before the moment is there if it ended after it, or was told to be
// open.
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
			out = appendMoment(out, b.at) // times of what follows depend on it
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

// appendMoment appends a block that pairs a tick with its time and says nothing else.
func appendMoment(b []byte, at fastclock.Pair) []byte {
	from := len(b)
	b = openBlock(b, blockOpen)
	b = binary.AppendUvarint(b, uint64(at.Tick))
	b = binary.AppendUvarint(b, uint64(at.Nanos))
	b = append(b, 0, 0, 0) // open on no rows
	return sealBlock(b, from)
}

// End returns the latest moment that the tape knows of.
func (t *Tape) End() (at int64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := range t.blocks {
		at = max(at, t.blocks[i].To)
	}
	return at
}
