package intern

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// longest limits the number of consecutive full groups in a frozen table. The limit bounds the time
// of a lookup even for hostile names. With random hashes, millions of names give at most 4
// consecutive full groups.
const longest = 16

// Freeze tries the seeds with the numbers 0 to fixedTries-1, then random seeds.
const (
	tries      = 16
	fixedTries = 8
)

var errCollide = errors.New("intern: freeze: too many names have the same hash with every seed")

// Freeze returns a read-only table of the current names. Both tables remain usable. Equal tables
// have equal blocks, because Freeze tries seeds in a fixed order until few names collide. A table
// with an unseeded hash keeps that hash unless too many of its names collide. Freeze fails if names
// collide with every seed, which is practically impossible because the last seeds are random.
func (t *Table) Freeze() (*Table, error) {
	return t.freeze(func(try int) uint64 {
		if try < fixedTries {
			return uint64(try)
		}
		return rand.Uint64()
	})
}

// freeze is like Freeze, but takes the seed numbers from a function.
func (t *Table) freeze(number func(try int) uint64) (*Table, error) {
	if t.frozen {
		return t, nil
	}
	t.mu.Lock()
	count, used := int(t.count.Load()), t.used
	t.mu.Unlock()
	// Writers do not change the first used bytes of the arena and the first count places.
	f := &Table{
		groups: make([]group, groupsFor(count-1)),
		arena:  slices.Clone(t.arena[:used]),
		places: slices.Clone(t.places[:count]),
		frozen: true,
	}
	f.count.Store(uint32(count))
	if t.hash != Seeded {
		if f.setHash(t.hash, 0); f.fill() {
			return f, nil
		}
	}
	for try := range tries {
		if f.setHash(Seeded, number(try)); f.fill() {
			return f, nil
		}
	}
	return nil, errCollide
}

// fill enters all names into the groups. It returns false if too many consecutive groups are full.
func (t *Table) fill() bool {
	clear(t.groups)
	for sym, at := range t.places {
		if sym != 0 && !t.enterRecord(t.sum(text(t.arena, at)), at, longest) {
			return false
		}
	}
	return t.longestRow() <= longest
}

// longestRow returns the greatest number of consecutive full groups.
func (t *Table) longestRow() int {
	row, most := 0, 0
	for range 2 { // The second loop joins the full groups at the end of the table to those at its start.
		for i := range t.groups {
			if !full(t.groups[i].tags.Load()) {
				row = 0
			} else if row++; row > most {
				most = row
			}
		}
	}
	return most
}
