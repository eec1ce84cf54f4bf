package gltfcheck

import (
	"bytes"
	"fmt"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// A Mend is one kind of fault that was put right: what, how, where it was first, and
// how often.
type Mend struct {
	What, How, First string
	N                int
}

// count adds the fault at an offset of the text.
func (m *Mend) count(text []byte, at int) {
	if m.N == 0 {
		m.First = plaintext.Position(text, at)
	}
	m.N++
}

// String says in one line what was wrong.
func (m Mend) String() string {
	if m.N == 1 {
		return fmt.Sprintf("%s: %s", m.First, m.What)
	}
	return fmt.Sprintf("%s: %s, and %d more of them", m.First, m.What, m.N-1)
}

// An edit replaces bytes of a text.
type edit struct {
	from, to int
	text     string
}

// emptyList reports whether the list that starts here has no elements.
func (w *walker) emptyList() bool {
	at := w.at
	defer func() { w.at = at }()
	w.at++
	w.space()
	return w.text[w.at] == ']'
}

// drop leaves out the member whose name starts at an offset and whose value is the
// empty list here.
func (w *walker) drop(from int) {
	w.empty.count(w.text, from)
	w.skip()
	to := w.at
	for w.space(); w.text[w.at] == ','; w.space() { // the comma behind it
		w.at++
		to = w.at
	}
	if w.text[w.at] == '}' { // or that before, which may be behind what was dropped last
		for {
			before := len(bytes.TrimRight(w.text[:from], " \t\r\n"))
			if n := len(w.edits); n > 0 && w.edits[n-1].to >= before {
				from = w.edits[n-1].from
				w.edits = w.edits[:n-1]
				continue
			}
			if w.text[before-1] == ',' {
				from = before - 1
			}
			break
		}
	}
	w.edits = append(w.edits, edit{from: from, to: to})
}

// decodable returns the text with its edits.
func (w *walker) decodable() []byte {
	if len(w.edits) == 0 {
		return w.text
	}
	var b []byte
	at := 0
	for _, e := range w.edits {
		b = append(append(b, w.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(b, w.text[at:]...)
}
