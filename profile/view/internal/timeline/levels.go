package timeline

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/profile/events"
)

// The level of a kind of memory is a quantity: the sum of its Alloc events less its Free events, over
// all rows. It is called "NAME bytes". The level of all kinds is called allLevels.
const (
	levelEnding = " bytes"
	allLevels   = "(all)" + levelEnding
)

// A net is the change of a level in a block.
type net struct {
	name  uint32
	bytes float64
}

// levelChange returns the number of bytes that an event adds to the level of its name.
func levelChange(r *events.Record) (bytes float64, ok bool) {
	switch r.Kind {
	case events.Alloc:
		return r.Value(), true
	case events.Free:
		return -r.Value(), true
	}
	return 0, false
}

// sortedNets returns nets as a slice, sorted by name.
func sortedNets(all map[uint32]float64) []net {
	var list []net
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, net{name, all[name]})
	}
	return list
}

// levelNames returns the names of all levels. It omits a level with the name of a value.
func (r *Recording) levelNames(table, values []string) []string {
	found := map[uint32]bool{}
	for name := range r.gone {
		found[name] = true
	}
	for _, row := range r.rows {
		for i := range row.blocks {
			for _, n := range row.blocks[i].nets {
				found[n.name] = true
			}
		}
	}
	list := []string{}
	for name := range found {
		list = append(list, shown(table[name])+levelEnding)
	}
	if len(list) > 1 {
		list = append(list, allLevels)
	}
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(name string) bool { return slices.Contains(values, name) })
	return list[:min(len(list), mostQuantities)]
}

// levelSeries selects the levels that a query asks for.
type levelSeries struct {
	series map[uint32]int // maps names to indexes of series
	all    int            // index of the series of allLevels, or -1
	now    []float64      // current level by series
}

func newLevelSeries(table, names, levels []string) *levelSeries {
	s := &levelSeries{series: map[uint32]int{}, all: -1, now: make([]float64, len(names))}
	for i, name := range names {
		switch base, ok := strings.CutSuffix(name, levelEnding); {
		case !ok || !slices.Contains(levels, name):
		case name == allLevels:
			s.all = i
		default:
			for sym := range table {
				if shown(table[sym]) == base {
					s.series[uint32(sym)] = i
				}
			}
		}
	}
	return s
}

func (s *levelSeries) none() bool { return len(s.series) == 0 && s.all < 0 }

func (s *levelSeries) takes(name uint32) bool {
	_, ok := s.series[name]
	return ok || s.all >= 0
}

// shift changes the levels of a name, and passes the index of each changed series to the function
// changed.
func (s *levelSeries) shift(name uint32, bytes float64, changed func(series int)) {
	if i, ok := s.series[name]; ok {
		s.now[i] += bytes
		changed(i)
	}
	if s.all >= 0 {
		s.now[s.all] += bytes
		changed(s.all)
	}
}

// A levelReader reads the changes of levels in one row.
type levelReader struct {
	*levelSeries
	tape    *events.Tape
	blocks  []*block
	decoded []events.Record // records of the current block
	records []events.Record // remaining part of decoded
	row     int
	time    int64 // time of the next change
	name    uint32
	bytes   float64
}

// advance reads the next change, and reports whether there is one.
func (l *levelReader) advance() bool {
	for {
		for len(l.records) > 0 {
			r := &l.records[0]
			l.records = l.records[1:]
			if bytes, ok := levelChange(r); ok && l.takes(uint32(r.Name)) {
				l.time, l.name, l.bytes = r.Start, uint32(r.Name), bytes
				return true
			}
		}
		if len(l.blocks) == 0 {
			return false
		}
		l.decoded, _ = l.tape.Read(&l.blocks[0].Block, l.decoded[:0])
		l.records, l.blocks = l.decoded, l.blocks[1:]
	}
}

// addLevels adds the levels in a window to the pixels of their series. It reads the changes of all
// rows in the order of their times, so that the greatest level of a pixel is exact.
func (r *Recording) addLevels(ctx context.Context, s *levelSeries, from, to, step int64, pixels [][]pixel) error {
	for name, bytes := range r.gone {
		s.shift(name, bytes, func(int) {})
	}
	before := map[int]point{} // level before the window, by series
	early := func(at int64) func(int) {
		return func(i int) { before[i] = point{max(before[i].time, at), s.now[i]} }
	}
	var readers []*levelReader // latest time first
	later := func(a, b *levelReader) int {
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(b.row, a.row))
	}
	for i := range r.rows {
		reader := &levelReader{levelSeries: s, tape: r.tape, row: i}
		for k := range r.rows[i].blocks {
			b := &r.rows[i].blocks[k]
			switch wanted := slices.ContainsFunc(b.nets, func(n net) bool { return s.takes(n.name) }); {
			case !wanted || b.From > to:
			case b.To >= from:
				reader.blocks = append(reader.blocks, b)
			default:
				for _, n := range b.nets {
					s.shift(n.name, n.bytes, early(b.To))
				}
			}
		}
		if reader.advance() {
			readers = append(readers, reader)
		}
	}
	slices.SortFunc(readers, later)
	for n := 0; len(readers) > 0; n++ {
		if n%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next := readers[len(readers)-1]
		readers = readers[:len(readers)-1]
		if next.time > to {
			continue // Later changes of the row are outside the window, too.
		}
		if next.time < from {
			s.shift(next.name, next.bytes, early(next.time))
		} else {
			s.shift(next.name, next.bytes, func(i int) { pixels[i][1+(next.time-from)/step].addPoint(point{next.time, s.now[i]}) })
		}
		if next.advance() {
			at, _ := slices.BinarySearchFunc(readers, next, later)
			readers = slices.Insert(readers, at, next)
		}
	}
	for i, at := range before {
		pixels[i][0].addPoint(at)
	}
	return nil
}

// goneBlock adds the changes of a block that the tape has dropped.
func goneBlock(gone map[uint32]float64, b *block) {
	for _, n := range b.nets {
		gone[n.name] += n.bytes
	}
}
