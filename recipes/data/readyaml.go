package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// readYAML reads YAML 1.2: a single document, or several documents as a list.
func readYAML(b *builder, source []byte, all bool) (_ *value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cook cannot read this YAML: %s", plaintext.OneLine(fmt.Sprint(p)))
		}
	}()
	documents, err := b.newValue(list, 1, 1)
	if err != nil {
		return nil, err
	}
	if source, err = withoutDirectives(source); err != nil {
		return nil, err
	}
	layout := &yamlLayout{source: source}
	dec := yaml.NewDecoder(ctxio.Reader(b.ctx, bytes.NewReader(source)))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, yamlSyntax(b.ctx, source, err)
		}
		if len(documents.items) == 1 && !all {
			return nil, fmt.Errorf("%d:1: the file has a second document; set documents = true to make a list of all documents", doc.Line)
		}
		r := &yamlReader{builder: b, layout: layout, spaces: -1, open: map[*yaml.Node]bool{}, room: len(source) + aliasRoom}
		v, err := r.readYAMLValue(&doc)
		if err != nil {
			return nil, err
		}
		documents.items = append(documents.items, v)
	}
	switch {
	case all:
		return documents, nil
	case len(documents.items) == 0:
		return nil, errors.New("the file is empty; it must hold a YAML document")
	}
	return documents.items[0], nil
}

var yamlLine = lazyregexp.New(`^(?:yaml: )?(?:.*?)line (\d+)(?:, column (\d+))?: (.*)$`)

// yamlSyntax adds the line to an error of the YAML library, unless the context has ended.
func yamlSyntax(ctx context.Context, source []byte, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said := plaintext.OneLine(err.Error())
	if m := yamlLine().FindStringSubmatch(said); m != nil {
		if m[2] == "" {
			m[2] = "1"
		}
		return fmt.Errorf("%s:%s: %s", m[1], m[2], m[3])
	}
	if i := bytes.IndexFunc(source, unprintable); i >= 0 {
		return plaintext.Errorf(source, i, "%s", strings.TrimPrefix(said, "yaml: "))
	}
	return errors.New(said)
}

// unprintable reports whether YAML forbids a character (YAML 1.2.2, section 5.1).
func unprintable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == utf8.RuneError || r&^1 == 0xfffe
}

// A yamlReader converts the nodes of one document to values.
type yamlReader struct {
	*builder
	layout *yamlLayout
	spaces int                 // indentation of the enclosing block; -1 if there is none
	flow   bool                // whether the value is inside brackets
	open   map[*yaml.Node]bool // the targets of the aliases that are being read
	cost   int                 // number of values so far; long values count several times
	room   int                 // number of values that aliases may still add
}

// aliasRoom is the number of values that aliases may add, besides one value per source byte.
const aliasRoom = 100_000

func (r *yamlReader) readYAMLValue(n *yaml.Node) (*value, error) {
	r.cost += 1 + len(n.Value)/64
	switch n.Kind {
	case yaml.DocumentNode:
		return r.readYAMLValue(n.Content[0])
	case yaml.AliasNode:
		return r.alias(n)
	case yaml.ScalarNode:
		v, err := r.newValue(null, n.Line, n.Column)
		if err != nil {
			return nil, err
		}
		if n.Style&quoted != 0 && !r.flow {
			if err := r.layout.checkIndentation(n, r.spaces); err != nil {
				return nil, err
			}
		}
		return v, readScalar(v, n)
	case yaml.SequenceNode, yaml.MappingNode:
		k, tag := list, "!!seq"
		if n.Kind == yaml.MappingNode {
			k, tag = object, "!!map"
		}
		if err := collectionTag(n, tag); err != nil {
			return nil, err
		}
		v, err := r.newValue(k, n.Line, n.Column)
		if err != nil {
			return nil, err
		}
		if err := r.enterLevel(v); err != nil {
			return nil, err
		}
		defer r.leaveLevel()
		r.open[n] = true
		defer delete(r.open, n)
		spaces, flow := r.spaces, r.flow
		defer func() { r.spaces, r.flow = spaces, flow }()
		switch {
		case flow:
		case n.Style&yaml.FlowStyle == 0:
			r.spaces = blockIndent(n, spaces)
		default:
			r.flow = true
			if err := r.layout.checkIndentation(n, spaces); err != nil {
				return nil, err
			}
		}
		if k == object {
			return v, r.mapping(v, n)
		}
		for _, item := range n.Content {
			below, err := r.readYAMLValue(item)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, below)
		}
		return v, nil
	}
	return nil, fmt.Errorf("%d:%d: the YAML node has the unknown kind %d", n.Line, n.Column, n.Kind)
}

// alias converts the target of an alias again. A few lines of nested aliases can expand to more
// than any memory holds, so the number of values is limited.
func (r *yamlReader) alias(n *yaml.Node) (*value, error) {
	if r.open[n.Alias] {
		return nil, fmt.Errorf("%d:%d: the alias *%.40s refers to a value that contains it; remove the alias", n.Line, n.Column, n.Value)
	}
	before, flow := r.cost, r.flow
	r.flow = true // the indentation was checked at the anchor
	v, err := r.readYAMLValue(n.Alias)
	r.flow = flow
	if r.room -= r.cost - before; err == nil && r.room < 0 {
		err = fmt.Errorf("%d:%d: aliases expand to too many values; write the values instead", n.Line, n.Column)
	}
	return v, err
}

// mapping reads keys and their values. Keys merged with << come last, and do not override other
// keys.
func (r *yamlReader) mapping(v *value, n *yaml.Node) error {
	first := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			return fmt.Errorf("%d:%d: the key is a list or an object; keys must be strings", n.Content[i].Line, n.Content[i].Column)
		}
		if k.Value == "<<" && k.Style&(quoted|yaml.TaggedStyle) == 0 {
			merges = append(merges, n.Content[i+1])
			continue
		}
		if other := first[k.Value]; other != nil {
			return fmt.Errorf("%d:%d: duplicate key %.60q, first at %d:%d", k.Line, k.Column, k.Value, other.Line, other.Column)
		}
		first[k.Value] = k
		var key value
		if readScalar(&key, k) == nil && key.kind != text {
			r.otherKeys = true
		}
		r.cost += len(k.Value) / 64
		item, err := r.readYAMLValue(n.Content[i+1])
		if err != nil {
			return err
		}
		v.keys, v.items = append(v.keys, k.Value), append(v.items, item)
	}
	for _, m := range merges {
		if err := r.mergeKeys(v, first, m); err != nil {
			return err
		}
	}
	return nil
}

// mergeKeys adds the keys of a << value, which is an object or a list of objects. Earlier
// objects in the list override later ones.
func (r *yamlReader) mergeKeys(v *value, known map[string]*yaml.Node, n *yaml.Node) error {
	from, err := r.readYAMLValue(n)
	if err != nil {
		return err
	}
	all := []*value{from}
	if from.kind == list {
		all = from.items
	}
	for _, m := range all {
		if m.kind != object {
			return fmt.Errorf("%d:%d: the key << can merge only objects; write an object or a list of objects", n.Line, n.Column)
		}
		for i, key := range m.keys {
			if known[key] == nil {
				known[key] = n
				v.keys, v.items = append(v.keys, key), append(v.items, m.items[i])
			}
		}
	}
	return nil
}

const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// readScalar reads a scalar by its tag. If the scalar has neither tag nor quotes, it applies the
// core schema (YAML 1.2.2, section 10.3.2).
func readScalar(v *value, n *yaml.Node) error {
	if n.Style&yaml.TaggedStyle != 0 || n.Tag == "!" {
		return tagged(v, n)
	}
	if n.Style&quoted != 0 {
		v.kind, v.text = text, n.Value
		return nil
	}
	readPlainScalar(v, n.Value)
	return nil
}

// tagged reads a scalar with a tag. The text must have the type of the tag in the core schema; !!float
// also accepts integers.
func tagged(v *value, n *yaml.Node) error {
	tag := n.ShortTag()
	if n.Tag == "!" { // the tag ! makes any value a string
		tag = "!!str"
	}
	want, ok := map[string]kind{"!!str": text, "!!null": null, "!!bool": boolean, "!!int": number, "!!float": number}[tag]
	if !ok {
		return v.valueErrorf(nil, "tag %.40s is unknown; use !!str, !!null, !!bool, !!int or !!float", tag)
	}
	if want == text {
		v.kind, v.text = text, n.Value
		return nil
	}
	readPlainScalar(v, n.Value)
	whole := wholeNumber().MatchString(n.Value)
	switch {
	case v.kind != want,
		tag == "!!int" && !whole && !otherBase().MatchString(n.Value),
		tag == "!!float" && otherBase().MatchString(n.Value):
		return v.valueErrorf(nil, "%.40q is not a %s", n.Value, tag)
	case tag == "!!float" && whole:
		v.text += ".0"
	}
	return nil
}

// collectionTag refuses a tag that would change the type of a list or object, such as the tags
// for sets and ordered maps.
func collectionTag(n *yaml.Node, own string) error {
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!" && n.ShortTag() != own {
		return fmt.Errorf("%d:%d: tag %.40s is unknown; lists and objects have no tags", n.Line, n.Column, n.ShortTag())
	}
	return nil
}

var (
	wholeNumber = lazyregexp.New(`^[-+]?[0-9]+$`)
	otherBase   = lazyregexp.New(`^0(?:o[0-7]+|x[0-9a-fA-F]+)$`)
	float       = lazyregexp.New(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
)

// readPlainScalar reads an unquoted scalar.
func readPlainScalar(v *value, s string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		v.kind = null
	case "true", "True", "TRUE":
		v.kind, v.text = boolean, yes
	case "false", "False", "FALSE":
		v.kind, v.text = boolean, no
	case ".nan", ".NaN", ".NAN":
		v.kind, v.text = number, notANum
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		v.kind, v.text = number, infinite
	case "-.inf", "-.Inf", "-.INF":
		v.kind, v.text = number, "-"+infinite
	default:
		switch {
		case wholeNumber().MatchString(s), float().MatchString(s):
			v.kind, v.text = number, jsonNumber(s)
		case otherBase().MatchString(s) && len(s) < mostDigits:
			n, _ := new(big.Int).SetString(s, 0)
			v.kind, v.text = number, n.String()
		default:
			v.kind, v.text = text, s
		}
	}
}

// jsonNumber converts a decimal number to JSON syntax: without plus and leading zeros, and with
// a digit on each side of the point.
func jsonNumber(s string) string {
	s = strings.TrimPrefix(s, "+")
	s, negative := strings.CutPrefix(s, "-")
	digits, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		digits, exponent = s[:i], s[i:]
	}
	whole, fraction, point := strings.Cut(digits, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if point && fraction == "" {
		fraction = "0"
	}
	out := whole
	if point {
		out += "." + fraction
	}
	if negative {
		out = "-" + out
	}
	return out + exponent
}
