package rules

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A document has the values of a file as the TOML library decodes them. A tree of the same shape
// has the position of each value.
type document struct {
	name   string
	data   []byte
	lines  []int // offset of each line
	values map[string]any
	places *node
}

// A node has the positions of a value, as offsets in bytes.
type node struct {
	key    int // offset of the first occurrence of the key
	value  int
	fields map[string]*node // the values of a table, by key
	items  []*node          // the values of a list
}

// The TOML library needs quadratic time to find repeated keys of a table. These limits stop a
// hostile file after at most two seconds.
const (
	maxKeys    = 100_000 // number of keys and list items in a file
	maxInRule  = 1_000   // number of keys in a rule
	maxOutside = 2_000   // number of keys outside rules, such as in tables of targets
)

// parseFile parses a file. It reports only the first syntax error, because it cannot check the text
// after it.
func parseFile(name string, data []byte) (*document, *Error) {
	if len(data) > MaxFile {
		return nil, &Error{File: name, Line: 1, Column: 1, Msg: fmt.Sprintf("file has more than %d bytes, the limit", MaxFile)}
	}
	d := newDocument(name, data)
	if err := d.locateValues(); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(d.data, &d.values); err != nil {
		line, column := 1, 1
		var decode *toml.DecodeError
		if errors.As(err, &decode) {
			line, column = decode.Position()
		}
		if strings.Contains(err.Error(), "after array value") {
			line, column = d.lineAndColumn(len(bytes.TrimRight(d.data[:min(d.lines[line-1]+column-1, len(d.data))], " \t\r\n")))
		}
		out := d.errorInDocument(line, column, clipText(strings.TrimPrefix(err.Error(), "toml: ")))
		out.Msg = explainSyntax(d.lineText(line), column, out.Msg)
		return nil, out.fixSyntax(out.Msg)
	}
	return d, nil
}

// newDocument returns a document that knows only the lines of a file.
func newDocument(name string, data []byte) *document {
	// Some Windows editors write a byte order mark first.
	d := &document{name: name, places: &node{}, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	d.lines = append(make([]int, 0, 1+bytes.Count(d.data, []byte("\n"))), 0)
	for i, c := range d.data {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// ErrorAt returns an error at a position in any file.
func ErrorAt(name string, data []byte, line, column int, msg string) *Error {
	return newDocument(name, data).errorInDocument(line, column, msg)
}

// errorInDocument returns an error at a position in this file.
func (d *document) errorInDocument(line, column int, msg string) *Error {
	e := &Error{File: d.name, Line: line, Column: column, Msg: msg, text: d.lineText(line)}
	e.excerpt, e.caret = d.excerptOfLine(line, column)
	return e
}

// documents has rule files by name, for excerpts in errors.
type documents map[string]*document

// errorInFile returns an error at a position in a file.
func (all documents) errorInFile(file string, line, column int, msg string) *Error {
	if d := all[file]; d != nil {
		return d.errorInDocument(line, column, msg)
	}
	return &Error{File: file, Line: line, Column: column, Msg: msg}
}

// lineText returns a line of the file, unchanged. Lines count from 1.
func (d *document) lineText(number int) string {
	if number < 1 || number > len(d.lines) {
		return ""
	}
	text, _, _ := bytes.Cut(d.data[d.lines[number-1]:], []byte("\n"))
	return string(text)
}

// wordAt returns the text from an offset to the next delimiter.
func (d *document) wordAt(offset int) string {
	rest := d.data[min(offset, len(d.data)):]
	if end := bytes.IndexAny(rest, " \t\r\n,]}#"); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

// lineAndColumn returns line and column, both from 1.
func (d *document) lineAndColumn(offset int) (line, column int) {
	line = sort.SearchInts(d.lines, offset+1)
	return line, offset - d.lines[line-1] + 1
}

func (d *document) originAt(offset int, match string) Origin {
	line, column := d.lineAndColumn(offset)
	return Origin{File: d.name, Line: line, Column: column, Match: match}
}

// fieldPlace returns the position of a key in a table. For an unknown key, it returns the position
// of the table.
func (n *node) fieldPlace(key string) *node {
	if f := n.fields[key]; f != nil {
		return f
	}
	return n
}

// itemPlace returns the position of an item in a list. For an unknown item, it returns the position
// of the list.
func (n *node) itemPlace(i int) *node {
	if i < len(n.items) {
		return n.items[i]
	}
	return n
}

// A tableReader checks the values of a file and collects the errors.
type tableReader struct {
	file *document
	errs Errors
}

// failf records an error at an offset of the current file.
func (r *tableReader) failf(offset int, format string, args ...any) *Error {
	line, column := r.file.lineAndColumn(offset)
	e := r.file.errorInDocument(line, column, fmt.Sprintf(format, args...))
	r.errs = append(r.errs, e)
	return e
}

// A locator builds the tree of positions in one pass over the syntax. It stops at a syntax error,
// and accepts repeated keys, because the TOML library reports both.
type locator struct {
	*document
	parser  unstable.Parser
	keys    int // number of keys in the file
	inRule  int // number of keys in the current rule
	outside int // number of keys outside rules
	tooMany int // offset of the first key beyond a limit, or -1
}

func (d *document) locateValues() *Error {
	l := &locator{document: d, tooMany: -1}
	l.parser.Reset(d.data)
	table, rule := d.places, false
	for l.tooMany < 0 && l.parser.NextExpression() {
		e := l.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			first := e.Child()
			rule = string(first.Data) == "rule"
			list := e.Kind == unstable.ArrayTable
			if rule && list && first.Next() == nil {
				l.inRule = 0
			}
			table = l.descendKey(d.places, e.Key(), rule)
			if list {
				item := &node{key: table.key, value: l.lineIndent(int(first.Raw.Offset))}
				table.items = append(table.items, item)
				table = item
			}
		case unstable.KeyValue:
			l.keyValue(table, e, rule)
		}
	}
	if l.tooMany < 0 {
		return nil
	}
	line, column := d.lineAndColumn(l.tooMany)
	return d.errorInDocument(line, column, fmt.Sprintf("too many keys: at most %d in a file, %d in one rule, %d outside of rules", maxKeys, maxInRule, maxOutside))
}

// descendKey follows a dotted key, and creates missing nodes. As in TOML, the name of an array of
// tables means its last item.
func (l *locator) descendKey(n *node, key unstable.Iterator, rule bool) *node {
	for key.Next() {
		if len(n.items) > 0 {
			n = n.items[len(n.items)-1]
		}
		k := key.Node()
		l.countKey(int(k.Raw.Offset), rule)
		next := n.fields[string(k.Data)]
		if next == nil {
			next = &node{key: int(k.Raw.Offset), value: int(k.Raw.Offset)}
			if n.fields == nil {
				n.fields = map[string]*node{}
			}
			n.fields[string(k.Data)] = next
		}
		n = next
	}
	return n
}

func (l *locator) keyValue(table *node, e *unstable.Node, rule bool) {
	n := l.descendKey(table, e.Key(), rule)
	end := 0
	for key := e.Key(); key.Next(); {
		end = int(key.Node().Raw.Offset + key.Node().Raw.Length)
	}
	// The syntax tree lacks the start of a list, so it is searched for in the text.
	n.value = l.skipBytes(l.skipBytes(end, " \t="), " \t")
	l.locateContents(n, e.Value(), rule)
}

func (l *locator) locateContents(n *node, value *unstable.Node, rule bool) {
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next() && l.tooMany < 0; {
			l.keyValue(n, it.Node(), rule)
		}
	case unstable.Array:
		for it := value.Children(); it.Next() && l.tooMany < 0; {
			item := &node{key: n.key, value: n.value}
			if it.Node().Raw.Length > 0 {
				item.value = int(it.Node().Raw.Offset)
			}
			n.items = append(n.items, item)
			// The library checks the keys of each item separately. The items of a list therefore
			// need only the limit per file.
			inRule, outside := l.inRule, l.outside
			l.inRule, l.outside = 0, 0
			l.countKey(item.value, rule)
			l.locateContents(item, it.Node(), rule)
			l.inRule, l.outside = inRule, outside
		}
	}
}

func (l *locator) countKey(offset int, rule bool) {
	l.keys++
	if rule {
		l.inRule++
	} else {
		l.outside++
	}
	if l.tooMany < 0 && (l.keys > maxKeys || l.inRule > maxInRule || l.outside > maxOutside) {
		l.tooMany = offset
	}
}

func (l *locator) skipBytes(offset int, what string) int {
	for offset < len(l.data) && strings.IndexByte(what, l.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// lineIndent returns the offset of the first character after a line's indentation.
func (l *locator) lineIndent(offset int) int {
	line, _ := l.lineAndColumn(offset)
	return l.skipBytes(l.lines[line-1], " \t")
}

// sortedKeys returns a table's keys sorted, so that equal files give equal messages.
func sortedKeys[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }
