package data

import (
	"context"
	"fmt"
	"strconv"
)

// A writer appends a tree to out. It knows where it is, for errors.
type writer struct {
	ctx     context.Context
	most    int // how long out may become
	out     []byte
	path    []string
	written int
}

// mostOutput is how much may be made of a source. Aliases of YAML and the names of a
// table's columns stand for more than they are, and few bytes of them for gigabytes.
func mostOutput(source int) int { return 4<<20 + 32*source }

// tick counts a value and looks at the context now and then.
func (w *writer) tick() error {
	if len(w.out) > w.most {
		return fmt.Errorf("more than %d bytes come out of this; aliases or the names of columns stand for too much", w.most)
	}
	if w.written++; w.written%step == 0 {
		return w.ctx.Err()
	}
	return nil
}

// below writes an item of a list or object with one.
func (w *writer) below(v *value, i int, one func(*value) error) error {
	name := strconv.Itoa(i)
	if v.kind == object {
		name = v.keys[i]
	}
	w.path = append(w.path, name)
	err := one(v.items[i])
	w.path = w.path[:len(w.path)-1]
	return err
}

// appendJSON writes a tree as JSON without white space.
func appendJSON(w writer, root *value) ([]byte, error) {
	err := w.json(root)
	return w.out, err
}

func (w *writer) json(v *value) error {
	if err := w.tick(); err != nil {
		return err
	}
	switch v.kind {
	case null:
		w.out = append(w.out, "null"...)
	case boolean:
		w.out = append(w.out, v.text...)
	case number:
		if _, ok := special(v.text); ok {
			return v.errorf(w.path, "JSON has no %s; write null or a large number", v.text)
		}
		w.out = append(w.out, v.text...)
	case text:
		w.out = appendQuoted(w.out, v.text)
	default:
		open, end := byte('['), byte(']')
		if v.kind == object {
			open, end = '{', '}'
		}
		w.out = append(w.out, open)
		for i := range v.items {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if v.kind == object {
				w.out = append(appendQuoted(w.out, v.keys[i]), ':')
			}
			if err := w.below(v, i, w.json); err != nil {
				return err
			}
		}
		w.out = append(w.out, end)
	}
	return nil
}

// appendQuoted writes a string of UTF-8 with the escapes that JSON demands and no
// other.
func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ':
			out = append(out, c)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		default:
			const digits = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(out, '"')
}
