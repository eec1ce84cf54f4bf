package data

import (
	"math"
	"strconv"

	"github.com/tinylib/msgp/msgp"
)

// appendMessagePack writes a tree as MessagePack, each value in its shortest form.
func appendMessagePack(to writer, root *value, exact bool) ([]byte, error) {
	w := &packWriter{writer: to, exact: exact}
	err := w.value(root)
	return w.out, err
}

type packWriter struct {
	writer
	exact bool // refuse numbers that no binary64 equals
}

func (w *packWriter) value(v *value) error {
	if err := w.tick(); err != nil {
		return err
	}
	if uint64(len(v.text)) > math.MaxUint32 || uint64(len(v.items)) > math.MaxUint32 {
		return v.errorf(w.path, "longer than MessagePack can say")
	}
	switch v.kind {
	case null:
		w.out = msgp.AppendNil(w.out)
	case boolean:
		w.out = msgp.AppendBool(w.out, v.text == yes)
	case number:
		return w.number(v)
	case text:
		w.out = msgp.AppendString(w.out, v.text)
	case list:
		w.out = msgp.AppendArrayHeader(w.out, uint32(len(v.items)))
	case object:
		w.out = msgp.AppendMapHeader(w.out, uint32(len(v.items)))
	}
	for i := range v.items {
		if v.kind == object {
			w.out = msgp.AppendString(w.out, v.keys[i])
		}
		if err := w.below(v, i, w.value); err != nil {
			return err
		}
	}
	return nil
}

func (w *packWriter) number(v *value) error {
	f, ok := special(v.text)
	if !ok {
		d, read := parseDecimal(v.text)
		if d.whole && (d.digits != "" || !d.negative) { // there is no integer -0
			return w.integer(v)
		}
		var err error
		f, err = strconv.ParseFloat(v.text, 64)
		switch {
		case err != nil:
			return v.errorf(w.path, "%.40s is beyond what a binary64 holds", v.text)
		case w.exact && !(read && d.equals(f)):
			return v.errorf(w.path, "%.40s is not exactly a binary64; MessagePack cannot hold it (numbers = \"exact\")", v.text)
		}
	}
	if single := float32(f); float64(single) == f || math.IsNaN(f) {
		w.out = msgp.AppendFloat32(w.out, single)
		return nil
	}
	w.out = msgp.AppendFloat64(w.out, f)
	return nil
}

func (w *packWriter) integer(v *value) error {
	if n, err := strconv.ParseUint(v.text, 10, 64); err == nil {
		w.out = msgp.AppendUint64(w.out, n)
		return nil
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil {
		return v.errorf(w.path, "%.40s does not fit into the 64 bits of a MessagePack integer; write it as a string", v.text)
	}
	w.out = msgp.AppendInt64(w.out, n)
	return nil
}
