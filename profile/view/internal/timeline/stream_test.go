package timeline

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"

	"github.com/assetcook/assetcook/profile/events"
)

// A story is the content of a recording for tests: the records of workers by row, in the order of
// their ends. One tick is a nanosecond.
type story struct {
	names []string
	rows  [][]happening
	open  [][]happening // open scopes by row, outermost first
}

// A happening is one record of a story. If flush is set, a new block begins before the record.
type happening struct {
	kind         events.Kind
	name, detail int
	start, end   int64
	value        float64
	flow         uint64
	flush        bool
}

func (s *story) name(text string) int {
	if i := slices.Index(s.names, text); i >= 0 {
		return i
	}
	s.names = append(s.names, text)
	return len(s.names) - 1
}

// stream encodes a story in the format that package events documents.
func (s *story) stream() []byte {
	out := []byte("\x89EVENTS\x01")
	out = appendBlock(out, 1, binary.AppendVarint(nil, 1e18))
	out = appendBlock(out, 2, appendStrings(nil, s.names))
	var rows []string
	for i := range s.rows {
		rows = append(rows, "row "+string(rune('a'+i)))
	}
	out = appendBlock(out, 3, appendStrings(nil, rows))
	type part struct {
		row  int
		list []happening
	}
	var parts []part
	for i, list := range s.rows {
		from := 0
		for k := range list {
			if k > from && list[k].flush {
				parts = append(parts, part{i, list[from:k]})
				from = k
			}
		}
		if len(list) > from {
			parts = append(parts, part{i, list[from:]})
		}
	}
	last := func(p part) int64 { return p.list[len(p.list)-1].end }
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(last(a), last(b)) })
	for _, p := range parts {
		out = appendBlock(out, 4, recordsOf(p.row, last(p)+1, p.list))
	}
	if len(s.open) > 0 {
		out = appendBlock(out, 7, s.openBlock())
	}
	return appendBlock(out, 6, []byte{0, 0})
}

func (s *story) openBlock() []byte {
	mark := int64(0)
	listed := 0
	for _, list := range s.open {
		for _, h := range list {
			mark = max(mark, h.start)
		}
		if len(list) > 0 {
			listed++
		}
	}
	c := binary.AppendUvarint(nil, uint64(mark+1))
	c = binary.AppendUvarint(c, uint64(mark+1))
	c = append(c, 0, byte(len(s.open)), byte(listed))
	for row, list := range s.open {
		if len(list) == 0 {
			continue
		}
		c = append(c, byte(row), byte(len(list)))
		last := int64(0)
		for _, h := range list {
			c = binary.AppendVarint(c, h.start-last)
			c = binary.AppendUvarint(c, uint64(h.name))
			c = binary.AppendUvarint(c, uint64(h.detail))
			last = h.start
		}
	}
	return c
}

func recordsOf(row int, mark int64, list []happening) []byte {
	c := binary.AppendUvarint(nil, uint64(len(list)))
	c = append(c, byte(row), 0)
	c = binary.AppendUvarint(c, uint64(mark))
	c = binary.AppendUvarint(c, uint64(mark))
	last := list[0].end
	c = binary.AppendVarint(c, last)
	for i, h := range list {
		around := h.start < last
		c = binary.AppendUvarint(c, uint64(i)<<2|uint64(b2i(around)))
		c = binary.AppendUvarint(c, uint64(h.kind))
		c = binary.AppendUvarint(c, uint64(h.name))
		c = binary.AppendUvarint(c, uint64(h.detail))
		if around {
			c = binary.AppendUvarint(c, uint64(h.end-last))
		} else {
			c = binary.AppendUvarint(c, uint64(h.start-last))
		}
		switch h.kind {
		case events.Scope:
			c = binary.AppendUvarint(c, uint64(h.end-h.start))
		case events.Value:
			c = binary.AppendUvarint(c, bits.ReverseBytes64(math.Float64bits(h.value)))
		case events.Alloc, events.Free:
			c = binary.AppendVarint(c, int64(h.value))
		case events.FlowOut, events.FlowIn:
			c = binary.AppendUvarint(c, h.flow)
		}
		last = h.end
	}
	return c
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, 0)
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

func appendBlock(b []byte, kind byte, content []byte) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	b = append(append(b, kind), content...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], crc32.MakeTable(crc32.Castagnoli)))
}
