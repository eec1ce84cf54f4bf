package intern

// batch is the number of names that a group lookup works on together: enough to
// keep the processor's outstanding loads busy, few enough to stay in its first
// cache.
const batch = 32

// LookupAll puts the symbol of names[i], or None, into out[i] and returns how
// many of the names the table has. It pays where the table is larger than the
// near caches: it asks the memory for many names at once, where Lookup waits for
// one after the other. It panics if out is shorter than names.
func (t *Table) LookupAll(names []string, out []Symbol) (found int) {
	out = out[:len(names)]
	var g group
	for len(names) > 0 {
		n := min(batch, len(names))
		found += t.findGroup(&g, names[:n], out[:n])
		names, out = names[n:], out[n:]
	}
	return found
}

// InternAll puts the symbol of names[i] into out[i] and adds the names that are
// new, in their order. When the table is full it returns the number of names
// done, with None in out for all from there on, and the error that Intern gives.
// It panics if out is shorter than names.
func (t *Table) InternAll(names []string, out []Symbol) (done int, err error) {
	all := out[:len(names)]
	var g group
	for done < len(names) {
		n := min(batch, len(names)-done)
		names, out := names[done:done+n], all[done:done+n]
		if t.findGroup(&g, names, out) == n {
			done += n
			continue
		}
		for i, name := range names {
			if out[i] == None {
				if out[i], err = t.insert(name, g.hashes[i]); err != nil {
					for rest := all[done:]; len(rest) > 0; rest = rest[1:] {
						rest[0] = None
					}
					return done, err
				}
			}
			done++
		}
	}
	return done, nil
}

// LookupAll does for a Frozen what it does for a Table.
func (f *Frozen) LookupAll(names []string, out []Symbol) (found int) {
	out = out[:len(names)]
	var g group
	for len(names) > 0 {
		n := min(batch, len(names))
		found += f.findGroup(&g, names[:n], out[:n])
		names, out = names[n:], out[n:]
	}
	return found
}

// group is the working memory of one group lookup, by the names' indices.
type group struct {
	hashes [batch]uint32
	slots  [batch]uint64 // a table's first slot for the hash
	places [batch]uint32 // of the record to which the slot leads
	heads  [batch]uint32 // the length in that record
}

// findGroup looks up at most batch names and leaves their hashes. Each loop is
// a row of loads that do not wait for one another: first slots, then records.
func (t *Table) findGroup(g *group, names []string, out []Symbol) (found int) {
	hash, mask := t.config.Hash, uint32(len(t.slots)-1)
	for i, name := range names {
		g.hashes[i] = hash.Sum32(name)
	}
	for i := range names {
		g.slots[i] = t.slots[g.hashes[i]&mask].Load()
	}
	for i := range names {
		g.heads[i] = u32(t.arena[uint32(g.slots[i]):], 1)
	}
	for i, name := range names {
		if uint32(g.slots[i]>>32) == g.hashes[i] && g.heads[i] == uint32(len(name)) {
			if sym, ok := match(t.arena, uint32(g.slots[i]), name); ok {
				out[i] = sym
				found++
				continue
			}
		}
		out[i] = None
		if name == "" {
			out[i] = 0
			found++
		} else if sym, ok := t.probe(name, g.hashes[i]); ok { // in a later slot
			out[i] = sym
			found++
		}
	}
	return found
}

func (f *Frozen) findGroup(g *group, names []string, out []Symbol) (found int) {
	for i, name := range names {
		g.hashes[i] = f.hash.Sum32(name)
	}
	for i := range names {
		// With the pilot of a spilled bucket this is some position or other.
		pilot := f.pilots[bucketOf(g.hashes[i], len(f.pilots))]
		g.places[i] = u32(f.slots, positionOf(g.hashes[i], pilot, len(f.slots)/4))
	}
	for i := range names {
		g.heads[i] = u32(f.arena[g.places[i]:], 1)
	}
	for i, name := range names {
		if g.heads[i] == uint32(len(name)) {
			if sym, ok := match(f.arena, g.places[i], name); ok {
				out[i] = sym
				found++
				continue
			}
		}
		out[i] = None
		if sym, ok := f.Lookup(name); ok { // spilled
			out[i] = sym
			found++
		}
	}
	return found
}
