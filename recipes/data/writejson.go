package data

import (
	"context"
	"fmt"
	"strconv"
)

// A writer appends a tree to out. It tracks the path, for errors.
type writer struct {
	ctx     context.Context
	most    int // limit of out
	out     []byte
	path    []string
	written int
}

// mostOutput limits the output of a source. YAML aliases and column names can expand a few bytes
// to gigabytes.
func mostOutput(source int) int { return 4<<20 + 32*source }

// tick counts a value and sometimes checks the context.
func (w *writer) tick() error {
	if len(w.out) > w.most {
		return fmt.Errorf("the output exceeds %d bytes; aliases or the names of columns expand to too much", w.most)
	}
	if w.written++; w.written%step == 0 {
		return w.ctx.Err()
	}
	return nil
}

// below writes an item of a list or object by calling one.
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

// appendQuoted appends a UTF-8 string, with the escapes that JSON requires and no others.
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
