package data

// tomlTables are the tables of a TOML document, with the way each was defined. The way decides
// whether a later line may add to a table (TOML 1.0, sections "Table", "Inline Table" and "Array
// of Tables"). All names of all tables are in one map, so that a table needs no map of its own.
type tomlTables struct {
	root, current *tomlTable
	named         map[tomlName]*tomlTable
	ids           int
}

// A tomlName is a key of a table.
type tomlName struct {
	table int
	key   string
}

// A tomlTable is the value of a key: a table or another value.
type tomlTable struct {
	id    int // of the last element, for a list of tables
	made  tomlMade
	depth int
	value *value // the table, or the last element
	list  *value // of tables; otherwise nil
}

// tomlMade says how a table was defined.
type tomlMade uint8

const (
	byHeader   tomlMade = iota // [a]
	byLonger                   // a in [a.b]: a header may still follow
	byDots                     // a in a.b = 1: only dotted keys may follow
	byBrackets                 // [[a]]
	byOneValue                 // a = 1, a = {}: nothing may follow
)

func newTOMLTables(root *value) *tomlTables {
	t := &tomlTables{named: map[tomlName]*tomlTable{}}
	t.root = t.table(byHeader, root, 1)
	t.current = t.root
	return t
}

func (t *tomlTables) table(made tomlMade, v *value, depth int) *tomlTable {
	t.ids++
	return &tomlTable{id: t.ids, made: made, depth: depth, value: v}
}

// putInTable adds v to a table under a new name.
func (t *tomlTables) putInTable(to *tomlTable, name string, made tomlMade, v *value) (*tomlTable, error) {
	if to.depth >= maxDepth && made != byOneValue {
		return nil, v.errorf(nil, "nested deeper than %d levels", maxDepth)
	}
	to.value.keys, to.value.items = append(to.value.keys, name), append(to.value.items, v)
	n := t.table(made, v, to.depth+1)
	t.named[tomlName{to.id, name}] = n
	return n, nil
}

func duplicate(v *value, name string, first *tomlTable) error {
	other := first.value
	if first.list != nil {
		other = first.list
	}
	return v.errorf(nil, "duplicate key %.60q, first at %d:%d", name, other.line, other.col)
}

// pass follows a part of a header to the next table.
func (t *tomlTables) pass(from *tomlTable, name string, v *value) (*tomlTable, error) {
	n := t.named[tomlName{from.id, name}]
	switch {
	case n == nil:
		return t.putInTable(from, name, byLonger, v)
	case n.made == byOneValue:
		return nil, duplicate(v, name, n)
	}
	return n, nil
}

// open selects the table of a header.
func (t *tomlTables) open(from *tomlTable, name string, v *value) (*tomlTable, error) {
	n := t.named[tomlName{from.id, name}]
	switch {
	case n == nil:
		return t.putInTable(from, name, byHeader, v)
	case n.made != byLonger:
		return nil, duplicate(v, name, n)
	}
	n.made = byHeader
	return n, nil
}

// element adds v to the list of tables of a [[header]]. If there is no list yet, all becomes the
// list.
func (t *tomlTables) element(from *tomlTable, name string, v *value, all value) (*tomlTable, error) {
	n := t.named[tomlName{from.id, name}]
	if n == nil {
		var err error
		if n, err = t.putInTable(from, name, byBrackets, &all); err != nil {
			return nil, err
		}
		n.list, all.kind = &all, list
		n.depth++
	}
	switch {
	case n.made != byBrackets:
		return nil, duplicate(v, name, n)
	case n.depth > maxDepth:
		return nil, v.errorf(nil, "nested deeper than %d levels", maxDepth)
	}
	n.list.items = append(n.list.items, v)
	t.ids++
	n.id, n.value = t.ids, v // the names of the previous element cannot be reached any more
	return n, nil
}

// dotted follows a part of a dotted key to the next table.
func (t *tomlTables) dotted(from *tomlTable, name string, v *value) (*tomlTable, error) {
	n := t.named[tomlName{from.id, name}]
	switch {
	case n == nil:
		return t.putInTable(from, name, byDots, v)
	case n.made != byDots:
		return nil, duplicate(v, name, n)
	}
	return n, nil
}

// leaf puts the value of a key into a table.
func (t *tomlTables) leaf(to *tomlTable, name string, v *value) (*tomlTable, error) {
	if n := t.named[tomlName{to.id, name}]; n != nil {
		return nil, duplicate(v, name, n)
	}
	return t.putInTable(to, name, byOneValue, v)
}

// inline returns the inside of an inline table. It has its own place in the map, because lists
// may contain it.
func (t *tomlTables) inline(v *value, depth int) *tomlTable { return t.table(byOneValue, v, depth) }
