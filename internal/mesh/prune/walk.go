package prune

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/model"
)

// A walker goes over values of a document. Recursion goes no deeper than places do.
type walker struct {
	// visit is called for each number of an element, and returns the number that it gets,
	// and whether it stays. child says that it is of a node below another one or of a scene.
	visit      func(of list, n int, child bool) (number int, stays bool)
	extensions map[string]bool // of objects that were met, unless it is nil
	unknown    string          // the first extension that may name anything
}

// value returns a value as visit changes it, the same text if it does not, and whether it
// stays.
func (w *walker) value(text json.RawMessage, p place) (_ json.RawMessage, stays bool, err error) {
	text = bytes.TrimSpace(text)
	if p.is == opaque || p.is == unknown || len(text) == 0 {
		return text, true, nil
	}
	switch text[0] {
	case '{':
		text, err = w.object(text, p)
		return text, true, err
	case '[':
		return w.list(text, p)
	case '"':
		if p.is == pointer {
			text, err = w.pointer(text)
		}
		return text, true, err
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || p.is != reference && p.is != child {
		return text, true, nil
	}
	number, stays := w.visit(p.of, n, p.is == child)
	if number != n {
		text = strconv.AppendInt(nil, int64(number), 10)
	}
	return text, stays, nil
}

func (w *walker) object(text json.RawMessage, p place) (json.RawMessage, error) {
	o, err := model.ParseObject(text)
	if err != nil {
		return nil, err
	}
	kept, changed := o[:0], false
	for _, m := range o {
		was, stays := m.Value, false
		if m.Value, stays, err = w.member(m, p); err != nil {
			return nil, err
		}
		changed = changed || !stays || !bytes.Equal(was, m.Value)
		if stays {
			kept = append(kept, m)
		}
	}
	if !changed {
		return text, nil
	}
	return kept.Text(), nil
}

// member goes over a member of the object in a place.
func (w *walker) member(m model.Member, p place) (_ json.RawMessage, stays bool, err error) {
	switch {
	case m.Key == "extensions" && p.is != attributes:
		text, err := w.extensionsOf(m.Value, p)
		return text, true, err
	case m.Key == "extras":
		return m.Value, true, nil
	}
	return w.value(m.Value, p.member(m.Key))
}

// list goes over the elements of a list. One that loses its last element does not stay, as
// glTF has no empty lists. Lists of lists name nothing.
func (w *walker) list(text json.RawMessage, p place) (_ json.RawMessage, stays bool, err error) {
	elements, err := model.ParseList(text)
	if err != nil {
		return nil, false, err
	}
	kept, changed := elements[:0], false
	for _, e := range elements {
		was, stays := e, true
		if len(e) > 0 && e[0] != '[' {
			if e, stays, err = w.value(e, p); err != nil {
				return nil, false, err
			}
		}
		changed = changed || !stays || !bytes.Equal(was, e)
		if stays {
			kept = append(kept, e)
		}
	}
	if !changed {
		return text, true, nil
	}
	return model.ListText(kept), len(kept) > 0, nil
}

// extensionsOf goes over the extensions of the object in a place.
func (w *walker) extensionsOf(text json.RawMessage, p place) (json.RawMessage, error) {
	o, err := model.ParseObject(text)
	if err != nil {
		return text, nil // is no object, and so names nothing
	}
	changed := false
	for i := range o {
		m := &o[i]
		if w.extensions != nil {
			w.extensions[m.Key] = true
		}
		at := p.extension(m.Key)
		if at.is == unknown && w.unknown == "" && mayName(m.Value) {
			w.unknown = m.Key
		}
		was := m.Value
		if m.Value, _, err = w.value(m.Value, at); err != nil {
			return nil, err
		}
		changed = changed || !bytes.Equal(was, m.Value)
	}
	if !changed {
		return text, nil
	}
	return o.Text(), nil
}

// mayName reports whether a value holds, however deep, a whole number or a JSON pointer.
func mayName(text json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case json.Number:
			if n, err := strconv.ParseFloat(t.String(), 64); err == nil && n >= 0 && n == float64(int64(n)) {
				return true
			}
		case string:
			if strings.HasPrefix(t, "/") {
				return true
			}
		}
	}
}

// pointer changes the number in a JSON pointer to a part of an element, /nodes/3/rotation.
func (w *walker) pointer(text json.RawMessage) (json.RawMessage, error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	parts := strings.Split(s, "/")
	if len(parts) < 3 || parts[0] != "" {
		return text, nil
	}
	l, isList := listOf(parts[1])
	n, err := strconv.Atoi(parts[2])
	if !isList || err != nil || n < 0 {
		return text, nil
	}
	number, _ := w.visit(l, n, false)
	if number == n {
		return text, nil
	}
	parts[2] = strconv.Itoa(number)
	return model.Quote(strings.Join(parts, "/")), nil
}
