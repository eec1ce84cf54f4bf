package notify

// names counts names in directories, up to a limit.
type names struct {
	set  map[entryName]int
	most int
	full bool // the limit was exceeded
}

type entryName struct {
	watch watchID
	name  string
}

func newNames(most int) names { return names{set: map[entryName]int{}, most: most} }

func (n *names) addEventNames(e event) {
	key := entryName{e.watch, string(e.name)}
	if n.set[key] == 0 && len(n.set) >= n.most {
		n.full = true
		return
	}
	n.set[key]++
}

// has reports whether a name was added, or may have been.
func (n *names) has(e event) bool {
	_, ok := n.set[entryName{e.watch, string(e.name)}]
	return ok || n.full
}

// remove removes a name and reports whether it was present.
func (n *names) remove(e event) bool {
	key := entryName{e.watch, string(e.name)}
	_, ok := n.set[key]
	delete(n.set, key)
	return ok
}

// takeBack undoes one add of a name.
func (n *names) takeBack(key entryName) {
	if n.set[key]--; n.set[key] <= 0 {
		delete(n.set, key)
	}
}

// none reports whether no name was added.
func (n *names) none() bool { return len(n.set) == 0 && !n.full }

func (n *names) clear() {
	clear(n.set)
	n.full = false
}
