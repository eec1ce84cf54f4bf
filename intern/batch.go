package intern

// batch is the number of names that are looked up together. It is large enough to use all of the
// processor's outstanding loads, and small enough for its first-level cache.
const batch = 32

// LookupAll stores the symbol of names[i], or None, in out[i] and returns the number of names
// found. It panics if out is shorter than names. For tables larger than the caches, it is faster
// than Lookup, because it loads memory for many names at once.
func (t *Table) LookupAll(names []string, out []Symbol) (found int) {
	out = out[:len(names)]
	var sums [batch]uint64
	for len(names) > 0 {
		n := min(batch, len(names))
		found += t.findBatch(&sums, names[:n], out[:n])
		names, out = names[n:], out[n:]
	}
	return found
}

// InternAll stores the symbol of names[i] in out[i], and adds new names in order. It panics if out
// is shorter than names. When the table is full, it returns the number of names processed and the
// error of Intern; the rest of out is None.
func (t *Table) InternAll(names []string, out []Symbol) (done int, err error) {
	all := out[:len(names)]
	var sums [batch]uint64
	for done < len(names) {
		n := min(batch, len(names)-done)
		names, out := names[done:done+n], all[done:done+n]
		if t.findBatch(&sums, names, out) == n {
			done += n
			continue
		}
		for i, name := range names {
			if out[i] == None {
				if out[i], err = t.insert(name, sums[i]); err != nil {
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

// findBatch looks up at most batch names and stores their hashes. The second loop loads groups, and
// the third loads records. Both loops are so short that the processor executes many iterations
// while the first load is in progress.
func (t *Table) findBatch(sums *[batch]uint64, names []string, out []Symbol) (found int) {
	var tags [batch]uint64
	for i, name := range names {
		sums[i] = t.sum(name)
	}
	for i := range names {
		tags[i] = t.groups[groupOf(sums[i], len(t.groups))].tags.Load()
	}
	var loaded Symbol
	for i := range names {
		if c := candidates(tags[i], tagsOf(sums[i])); c != 0 {
			sym, _ := head(t.arena, t.groups[groupOf(sums[i], len(t.groups))].places[position(c)])
			loaded |= sym
		}
	}
	for i, name := range names {
		sym, ok := t.Lookup(name)
		if ok {
			found++
		} else {
			sym = None
		}
		out[i] = sym
	}
	if loaded == None { // The condition is never true. It prevents the compiler from removing the loads.
		return 0
	}
	return found
}
