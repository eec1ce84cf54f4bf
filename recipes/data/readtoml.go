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
// combines them. go-toml can do both, but its time is quadratic in the number of keys, and it
// loses their order and digits.
func readTOML(b *builder, source []byte) (_ *value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the TOML reader gave up: %s", oneLine(fmt.Sprint(p)))
		}
	}()
	if len(source) > maxTOML {
		return nil, fmt.Errorf("%d bytes of TOML are more than the %d that can be read; split the file", len(source), maxTOML)
	}
	root, err := b.make(object, 1, 1)
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
		if err := r.line(r.parser.Expression()); err != nil {
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

// maxTOML is the size limit of a TOML file: a list is parsed as a whole, without a check of the
// context.
const maxTOML = 4 << 20

// A tomlReader turns the lines of one document into values.
type tomlReader struct {
	*builder
	places
	parser *unstable.Parser
	tables *tomlTables
	lines  int
}

// syntax adds the place to a syntax error.
func (r *tomlReader) syntax(err error) error {
	var wrong *unstable.ParserError
	if !errors.As(err, &wrong) {
		return errors.New(oneLine(err.Error()))
	}
	return plaintext.Errorf(r.text, int(r.parser.Range(wrong.Highlight).Offset), "%s", oneLine(wrong.Message))
}

// line reads one line, or several for a value of several lines.
func (r *tomlReader) line(n *unstable.Node) error {
	switch n.Kind {
	case unstable.KeyValue:
		return r.pair(r.tables.current, n)
	case unstable.Table, unstable.ArrayTable:
		return r.header(n)
	}
	return fmt.Errorf("a TOML line of kind %d", n.Kind)
}

// header selects the table that [a.b] or [[a.b]] names.
func (r *tomlReader) header(n *unstable.Node) error {
	t := r.tables.root
	for it := n.Key(); it.Next(); {
		v, name, err := r.key(it.Node())
		if err != nil {
			return err
		}
		switch {
		case !it.IsLast():
			t, err = r.tables.pass(t, name, v)
		case n.Kind == unstable.Table:
			t, err = r.tables.open(t, name, v)
		default:
			t, err = r.tables.element(t, name, v, *v)
		}
		if err != nil {
			return err
		}
	}
	r.tables.current = t
	return nil
}

// key makes an object at the place of a part of a key, in case that it names a table.
func (r *tomlReader) key(n *unstable.Node) (*value, string, error) {
	line, col := r.at(int(n.Raw.Offset))
	v, err := r.make(object, line, col)
	return v, string(n.Data), err
}

// pair reads a key, perhaps with dots, and its value into a table.
func (r *tomlReader) pair(t *tomlTable, n *unstable.Node) error {
	for it := n.Key(); it.Next(); {
		v, name, err := r.key(it.Node())
		if err != nil {
			return err
		}
		if !it.IsLast() {
			if t, err = r.tables.dotted(t, name, v); err != nil {
				return err
			}
			continue
		}
		leaf, err := r.tables.leaf(t, name, v)
		if err != nil {
			return err
		}
		r.depth = leaf.depth - 1
		return r.value(v, n.Value())
	}
	return nil
}

// value reads a value into v.
func (r *tomlReader) value(v *value, n *unstable.Node) error {
	line, col := r.at(int(n.Raw.Offset))
	v.line, v.col = int32(line), int32(col)
	if n.Kind != unstable.Array && n.Kind != unstable.InlineTable {
		return tomlScalar(v, n)
	}
	if err := r.down(v); err != nil {
		return err
	}
	defer r.up()
	if n.Kind == unstable.InlineTable {
		v.kind = object
		depth := r.depth
		t := r.tables.inline(v, depth)
		for it := n.Children(); it.Next(); {
			if err := r.pair(t, it.Node()); err != nil {
				return err
			}
			r.depth = depth
		}
		return nil
	}
	v.kind = list
	for it := n.Children(); it.Next(); {
		item, err := r.make(null, 0, 0)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
		if err := r.value(item, it.Node()); err != nil {
			return err
		}
	}
	return nil
}

// tomlScalar reads a value that is neither a list nor a table. Floats keep their digits.
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
			return v.errorf(nil, "%.40s does not fit into the 64 bits of a TOML integer; write it as a string", s)
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
			return v.errorf(nil, "%.40s is beyond what a binary64 holds, as TOML's floats are", s)
		}
		v.text = jsonNumber(s)
	}
	return nil
}

// tomlTime reads a date, a time, or both.
func tomlTime(v *value, s string) error {
	var doc struct{ X any }
	if err := toml.Unmarshal([]byte("X="+s), &doc); err != nil {
		return v.errorf(nil, "%.40q is no date or time: %s", s, oneLine(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	v.kind = text
	switch x := doc.X.(type) {
	case time.Time:
		v.text = x.Format(time.RFC3339Nano)
	case fmt.Stringer: // a local one
		v.text = x.String()
	default:
		return v.errorf(nil, "%.40q is no date or time", s)
	}
	return nil
}
