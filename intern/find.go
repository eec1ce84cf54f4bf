package intern

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

var errAbsent = errors.New("intern: the name is not in the table")

// find returns the symbol of name. If the name is missing, find adds it, or returns errAbsent.
//
// Nearly every name is the first candidate of its first group. For names of 4 to 64 bytes in a
// table with the default hash, find needs neither loops nor calls. The only branch that is hard
// to predict depends on the length; it selects both the words to hash and the words to compare.
func (t *Table) find(name string, add bool) (Symbol, error) {
	n, p, s := len(name), unsafe.Pointer(unsafe.StringData(name)), &t.seed
	var hash uint64
	switch {
	case t.hash != Seeded || n < 4 || n > 64:
		hash = t.sum(name)
	case n > 32:
		e := unsafe.Add(p, n-32)
		x, y := s.mix(p, 0, 0), s.mix(unsafe.Add(p, 16), 2, 0)
		hash = s.finish(s.mix(e, 0, x)^s.mix(unsafe.Add(e, 16), 2, y), n)
		if g, found := t.first(hash); found != 0 {
			if r := t.record(g, found, n); r != nil {
				f := unsafe.Add(r, n-32)
				if differ(p, r)|differ(unsafe.Add(p, 16), unsafe.Add(r, 16))|differ(e, f)|differ(unsafe.Add(e, 16), unsafe.Add(f, 16)) == 0 {
					return symbol(r), nil
				}
			}
		}
	case n > 16:
		e := unsafe.Add(p, n-16)
		hash = s.finish(s.mix(p, 0, 0)^s.mix(e, 2, 0), n)
		if g, found := t.first(hash); found != 0 {
			if r := t.record(g, found, n); r != nil && differ(p, r)|differ(e, unsafe.Add(r, n-16)) == 0 {
				return symbol(r), nil
			}
		}
	case n >= 8:
		a, b := word(p, 0), word(p, n-8)
		hash = s.short(a, b, n)
		if g, found := t.first(hash); found != 0 {
			if r := t.record(g, found, n); r != nil && word(r, 0) == a && word(r, n-8) == b {
				return symbol(r), nil
			}
		}
	default:
		a, b := half(p, 0), half(p, n-4)
		hash = s.short(uint64(a), uint64(b), n)
		if g, found := t.first(hash); found != 0 {
			if r := t.record(g, found, n); r != nil && half(r, 0) == a && half(r, n-4) == b {
				return symbol(r), nil
			}
		}
	}
	if sym, ok := t.probe(name, hash); ok {
		return sym, nil
	}
	if add {
		return t.insert(name, hash)
	}
	return 0, errAbsent
}

// first returns the first group to search for a hash, and the candidates in that group.
func (t *Table) first(hash uint64) (g *group, found uint64) {
	g = &t.groups[groupOf(hash, len(t.groups))]
	return g, candidates(g.tags.Load(), tagsOf(hash))
}

// record returns the bytes of the first candidate's name. It returns nil unless the name has n
// bytes. It checks that the arena has n bytes there, because another goroutine may still be writing
// the record.
func (t *Table) record(g *group, found uint64, n int) unsafe.Pointer {
	at := uint64(g.places[position(found)&(groupLen-1)])
	if at+recordHead+uint64(n) > uint64(len(t.arena)) {
		return nil
	}
	r := unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.arena)), at+recordHead)
	if half(r, lengthAt-recordHead) != uint32(n) {
		return nil
	}
	return r
}

// symbol returns the symbol in the record whose name is at r.
func symbol(r unsafe.Pointer) Symbol { return Symbol(half(r, -recordHead)) }

// word reads the 8 bytes at p+i.
func word(p unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

// half reads the 4 bytes at p+i.
func half(p unsafe.Pointer, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, i))[:])
}

// differ returns 0 if and only if the 16 bytes at p and q are equal.
func differ(p, q unsafe.Pointer) uint64 {
	return (word(p, 0) ^ word(q, 0)) | (word(p, 8) ^ word(q, 8))
}

// probe looks up a name of any length by its hash.
func (t *Table) probe(name string, hash uint64) (Symbol, bool) {
	if name == "" {
		return 0, true
	}
	wanted := tagsOf(hash)
	for i := groupOf(hash, len(t.groups)); ; {
		g := &t.groups[i]
		tags := g.tags.Load()
		for found := candidates(tags, wanted); found != 0; found &= found - 1 {
			at := g.places[position(found)]
			if sym, length := head(t.arena, at); int(length) == len(name) && text(t.arena, at) == name {
				return sym, true
			}
		}
		if !full(tags) {
			return 0, false
		}
		if i++; i == len(t.groups) {
			i = 0
		}
	}
}
