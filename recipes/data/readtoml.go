package data

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// readTOML parses a TOML document. Package unstable of go-toml parses the lines, and tomlTables
// combines them into tables. go-toml can do both, but its time is quadratic in the number of keys.
// It also loses the order of keys and the digits of numbers.
func readTOML(b *builder, source []byte) (_ *value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cook cannot read this TOML: %s", plaintext.OneLine(fmt.Sprint(p)))
		}
	}()
	if len(source) > maxTOML {
		return nil, fmt.Errorf("the file has %d bytes of TOML, more than the limit of %d; split it", len(source), maxTOML)
	}
	root, err := b.newValue(object, 1, 1)
	if err != nil {
		return nil, err
	}
	r := &tomlReader{builder: b, places: places{text: source}, parser: &unstable.Parser{}}
	r.tables = newTOMLTables(root)
	r.parser.Reset(source)
	for r.parser.NextExpression() {
		if r.lines++; r.lines%step == 0 {
			if err := b.ctx.Err(); err != nil {
				return nil, err
			}
		}
		if err := r.readTOMLLine(r.parser.Expression()); err != nil {
			return nil, err
		}
	}
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.parser.Error(); err != nil {
		return nil, r.syntax(err)
	}
	return root, nil
}

// maxTOML limits the size of a TOML file in bytes, because a list is parsed as a whole, without
// a context check.
const maxTOML = 4 << 20

// A tomlReader turns the lines of one document into values.
type tomlReader struct {
	*builder
	places
	parser *unstable.Parser
	tables *tomlTables
	lines  int
}

// syntax adds the position to a syntax error.
func (r *tomlReader) syntax(err error) error {
	var wrong *unstable.ParserError
	if !errors.As(err, &wrong) {
		return errors.New(plaintext.OneLine(err.Error()))
	}
	return plaintext.Errorf(r.text, int(r.parser.Range(wrong.Highlight).Offset), "%s", plaintext.OneLine(wrong.Message))
}

// readTOMLLine reads one expression: a header or a key with its value, which may span several
// lines.
func (r *tomlReader) readTOMLLine(n *unstable.Node) error {
	switch n.Kind {
	case unstable.KeyValue:
		return r.readPair(r.tables.current, n)
	case unstable.Table, unstable.ArrayTable:
		return r.selectTable(n)
	}
	return fmt.Errorf("the TOML reader returned an unknown kind of line, %d", n.Kind)
}

// selectTable selects the table that a header [a.b] or [[a.b]] names.
func (r *tomlReader) selectTable(n *unstable.Node) error {
	t := r.tables.root
	for it := n.Key(); it.Next(); {
		v, name, err := r.keyObject(it.Node())
		if err != nil {
			return err
		}
		switch {
		case !it.IsLast():
			t, err = r.tables.passTable(t, name, v)
		case n.Kind == unstable.Table:
			t, err = r.tables.openTable(t, name, v)
		default:
			t, err = r.tables.addTableElement(t, name, v, *v)
		}
		if err != nil {
			return err
		}
	}
	r.tables.current = t
	return nil
}

// keyObject makes an object at the position of one part of a key. The object is used if this part
// of the key names a new table. keyObject also returns the name.
func (r *tomlReader) keyObject(n *unstable.Node) (*value, string, error) {
	line, col := r.placeOf(int(n.Raw.Offset))
	v, err := r.newValue(object, line, col)
	return v, string(n.Data), err
}

// readPair reads a key, which may be dotted, and adds its value to a table.
func (r *tomlReader) readPair(t *tomlTable, n *unstable.Node) error {
	for it := n.Key(); it.Next(); {
		v, name, err := r.keyObject(it.Node())
		if err != nil {
			return err
		}
		if !it.IsLast() {
			if t, err = r.tables.dotted(t, name, v); err != nil {
				return err
			}
			continue
		}
		leaf, err := r.tables.putLeaf(t, name, v)
		if err != nil {
			return err
		}
		r.depth = leaf.depth - 1
		return r.readTOMLValue(v, n.Value())
	}
	return nil
}

// readTOMLValue reads a value into v.
func (r *tomlReader) readTOMLValue(v *value, n *unstable.Node) error {
	line, col := r.placeOf(int(n.Raw.Offset))
	v.line, v.col = int32(line), int32(col)
	if n.Kind != unstable.Array && n.Kind != unstable.InlineTable {
		return tomlScalar(v, n)
	}
	if err := r.enterLevel(v); err != nil {
		return err
	}
	defer r.leaveLevel()
	if n.Kind == unstable.InlineTable {
		v.kind = object
		depth := r.depth
		t := r.tables.inline(v, depth)
		for it := n.Children(); it.Next(); {
			if err := r.readPair(t, it.Node()); err != nil {
				return err
			}
			r.depth = depth
		}
		return nil
	}
	v.kind = list
	for it := n.Children(); it.Next(); {
		item, err := r.newValue(null, 0, 0)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
		if err := r.readTOMLValue(item, it.Node()); err != nil {
			return err
		}
	}
	return nil
}

// tomlScalar reads a value that is neither an array nor a table. Floats keep their digits.
func tomlScalar(v *value, n *unstable.Node) error {
	s := string(n.Data)
	switch n.Kind {
	case unstable.String:
		v.kind, v.text = text, s
	case unstable.Bool:
		v.kind, v.text = boolean, s
	case unstable.Integer:
		x, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 64)
		if err != nil {
			return v.valueErrorf(nil, "%.40s does not fit into the 64 bits of a TOML integer; write it as a string", s)
		}
		v.kind, v.text = number, strconv.FormatInt(x, 10)
	case unstable.Float:
		return tomlFloat(v, strings.ReplaceAll(s, "_", ""))
	default:
		return tomlTime(v, s)
	}
	return nil
}

func tomlFloat(v *value, s string) error {
	v.kind = number
	switch strings.TrimLeft(s, "+-") {
	case "nan":
		v.text = notANum
	case "inf":
		v.text = infinite
		if s[0] == '-' {
			v.text = "-" + infinite
		}
	default:
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return v.valueErrorf(nil, "%.40s is too large for a TOML float, which has 64 bits", s)
		}
		v.text = jsonNumber(s)
	}
	return nil
}

// tomlTime reads a date, a time, or both.
func tomlTime(v *value, s string) error {
	var doc struct{ X any }
	if err := toml.Unmarshal([]byte("X="+s), &doc); err != nil {
		return v.valueErrorf(nil, "%.40q is not a date or time: %s", s, plaintext.OneLine(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	v.kind = text
	switch x := doc.X.(type) {
	case time.Time:
		v.text = x.Format(time.RFC3339Nano)
	case fmt.Stringer: // a date or time without a time zone
		v.text = x.String()
	default:
		return v.valueErrorf(nil, "%.40q is not a date or time", s)
	}
	return nil
}

// tomlTables are the tables of a TOML document, with the form of each definition. The form
// determines whether a later line may add to a table (TOML 1.0, sections "Table", "Inline Table"
// and "Array of Tables"). A single map holds all names of all tables, so that tables need no maps
// of their own.
type tomlTables struct {
	root, current *tomlTable
	named         map[tomlName]*tomlTable
	ids           int
}

// A tomlName identifies a key in a table.
type tomlName struct {
	table int
	key   string
}

// A tomlTable is the value of a key. The value need not be a table.
type tomlTable struct {
	id    int // ID of the table, or of the last table in an array
	made  tomlMade
	depth int
	value *value // the value, or the last element if it is an array of tables
	list  *value // the array of tables; nil for any other value
}

// tomlMade is how a table or value was defined.
type tomlMade uint8

const (
	byHeader   tomlMade = iota // defined by a header [a]
	byLonger                   // table a of a header [a.b]; a header [a] may follow
	byDots                     // table a of a line a.b = 1; only dotted keys may add to it
	byBrackets                 // defined by a header [[a]]
	byOneValue                 // the value of a line a = 1 or a = {}; nothing may add to it
)

func newTOMLTables(root *value) *tomlTables {
	t := &tomlTables{named: map[tomlName]*tomlTable{}}
	t.root = t.makeTable(byHeader, root, 1)
	t.current = t.root
	return t
}

func (t *tomlTables) makeTable(made tomlMade, v *value, depth int) *tomlTable {
	t.ids++
	return &tomlTable{id: t.ids, made: made, depth: depth, value: v}
}

// putInTable adds v to a table under a new name.
func (t *tomlTables) putInTable(to *tomlTable, name string, made tomlMade, v *value) (*tomlTable, error) {
	if to.depth >= maxDepth && made != byOneValue {
		return nil, v.valueErrorf(nil, "the value is nested deeper than %d levels", maxDepth)
	}
	to.value.keys, to.value.items = append(to.value.keys, name), append(to.value.items, v)
	n := t.makeTable(made, v, to.depth+1)
	t.named[tomlName{to.id, name}] = n
	return n, nil
}

func duplicate(v *value, name string, first *tomlTable) error {
	other := first.value
	if first.list != nil {
		other = first.list
	}
	return v.valueErrorf(nil, "duplicate key %.60q, first at %d:%d", name, other.line, other.col)
}

// passTable resolves one part of a header, except the last part, and returns its table.
func (t *tomlTables) passTable(from *tomlTable, name string, v *value) (*tomlTable, error) {
	n := t.named[tomlName{from.id, name}]
	switch {
	case n == nil:
		return t.putInTable(from, name, byLonger, v)
	case n.made == byOneValue:
		return nil, duplicate(v, name, n)
	}
	return n, nil
}

// openTable selects the table that a header names.
func (t *tomlTables) openTable(from *tomlTable, name string, v *value) (*tomlTable, error) {
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

// addTableElement appends v to the array of tables that a [[header]] names. If there is no array
// yet, it stores the argument all as the array.
func (t *tomlTables) addTableElement(from *tomlTable, name string, v *value, all value) (*tomlTable, error) {
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
		return nil, v.valueErrorf(nil, "the value is nested deeper than %d levels", maxDepth)
	}
	n.list.items = append(n.list.items, v)
	t.ids++
	n.id, n.value = t.ids, v // this hides the names in the previous element
	return n, nil
}

// dotted resolves one part of a dotted key, except the last part, and returns its table.
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

// putLeaf sets the value of a key in a table.
func (t *tomlTables) putLeaf(to *tomlTable, name string, v *value) (*tomlTable, error) {
	if n := t.named[tomlName{to.id, name}]; n != nil {
		return nil, duplicate(v, name, n)
	}
	return t.putInTable(to, name, byOneValue, v)
}

// inline returns the table for the keys of an inline table. The table has its own ID, because
// arrays may contain it.
func (t *tomlTables) inline(v *value, depth int) *tomlTable { return t.makeTable(byOneValue, v, depth) }
