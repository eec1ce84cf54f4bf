package gltf

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// A walker visits a document once and compares it with the shapes of glTF, before anything is
// allocated for its objects. The text must be valid JSON.
//
// Recursion is limited by the depth of the shapes, because unknown members are skipped.
type walker struct {
	text   []byte
	at     int
	path   []string // names of the enclosing members
	shapes *shapes
	faults faults
	// edits make the text decodable: they write integers without a fraction, and remove empty
	// lists, which glTF forbids.
	edits  []edit
	empty  Mend
	alone  Mend                // fault of members that require another member, which is missing
	ranges map[string]farthest // largest index into each list
	sizes  map[string]int      // lengths of the lists of objects
	named  map[string]int      // offset of the first object that has each extension
}

// farthest is the largest index into a list, and the offset of this index in the text.
type farthest struct{ index, at int }

// maxNamed limits the number of extension names that are stored.
const maxNamed = 1 << 10

func walkDocument(text []byte) *walker {
	w := &walker{
		text: text, shapes: allShapes(), empty: Mend{What: "a list is empty", How: "left out"},
		alone:  Mend{What: "a byteOffset has no bufferView", How: "left out"},
		ranges: map[string]farthest{}, sizes: map[string]int{}, named: map[string]int{},
	}
	w.skipSpace()
	if w.text[w.at] != '{' {
		w.fault(w.at, "want an object")
		return w
	}
	w.walkObject(w.shapes.document)
	return w
}

// fault records a fault at an offset.
func (w *walker) fault(at int, format string, args ...any) {
	if w.faults.isFullOfFaults() {
		w.faults.more++
		return
	}
	where := ""
	if len(w.path) > 0 {
		where = fmt.Sprintf("%.100s: ", strings.Join(w.path, "."))
	}
	w.faults.addFault("%v", plaintext.Errorf(w.text, at, "%s%s", where, fmt.Sprintf(format, args...)))
}

func (w *walker) skipSpace() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case ' ', '\t', '\r', '\n':
			w.at++
		default:
			return
		}
	}
}

// skipValue moves past the value at the current position.
func (w *walker) skipValue() {
	depth := 0
	for ; w.at < len(w.text); w.at++ {
		switch w.text[w.at] {
		case '"':
			w.at = jsontext.StringEnd(w.text, w.at)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return // this is the end of the enclosing value
			}
			depth--
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return
			}
			continue
		default:
			if depth > 0 {
				continue
			}
			for w.at < len(w.text) && bytes.IndexByte([]byte(" \t\r\n,]}"), w.text[w.at]) < 0 {
				w.at++
			}
			return
		}
		if depth == 0 {
			w.at++
			return
		}
	}
}

// walkMembers calls visit at the value of each member of the object at the current position. visit
// must move past the value.
func (w *walker) walkMembers(visit func(name string, nameAt int)) {
	w.at++ // skip the opening brace
	for w.skipSpace(); w.text[w.at] != '}'; w.skipSpace() {
		if w.text[w.at] == ',' {
			w.at++
			continue
		}
		start := w.at
		end := jsontext.StringEnd(w.text, start)
		name := w.text[start+1 : end]
		w.at = end + 1
		w.skipSpace()
		w.at++ // skip the colon
		w.skipSpace()
		if bytes.IndexByte(name, '\\') >= 0 {
			visit(jsontext.DecodeString(w.text, start), start)
		} else {
			visit(string(name), start)
		}
	}
	w.at++
}

// walkObject checks the object at the current position.
func (w *walker) walkObject(s *shape) {
	start := w.at
	var have [16]string
	found := have[:0]
	offset, view := -1, false
	w.walkMembers(func(name string, at int) {
		v := s.members[name]
		switch {
		case name == "extensions":
			w.walkExtensions(s)
			return
		case v == nil:
			w.strange(s, name, at)
			w.skipValue()
			return
		}
		switch {
		case name == "byteOffset":
			offset = at
		case name == "bufferView":
			view = true
		}
		if slices.Contains(s.needs, name) {
			found = append(found, name)
		}
		w.path = append(w.path, name)
		if w.text[w.at] == '[' && w.emptyList() && !slices.Contains(s.needs, name) && v.kind == aList {
			w.dropEmptyList(at)
		} else {
			w.walkValue(v)
		}
		w.path = w.path[:len(w.path)-1]
	})
	if offset >= 0 && !view && s.members["bufferView"] != nil {
		w.alone.countMend(w.text, offset)
	}
	for _, name := range s.needs {
		if !slices.Contains(found, name) {
			w.fault(start, "the %s has no %s", s.name, name)
		}
	}
}

// strange reports members whose names differ from glTF's only in case. Package json accepts "Nodes"
// for "nodes", but other programs do not.
func (w *walker) strange(s *shape, name string, at int) {
	for known := range s.members {
		if strings.EqualFold(known, name) {
			w.fault(at, "unknown property %.60q; write %q", name, known)
		}
	}
	for _, known := range []string{"extensions", "extras"} {
		if strings.EqualFold(known, name) && known != name {
			w.fault(at, "unknown property %.60q; write %q", name, known)
		}
	}
}

// walkValue checks the value at the current position.
func (w *walker) walkValue(v *value) {
	start := w.at
	switch c := w.text[w.at]; {
	case v.kind == anObject && c == '{':
		w.walkObject(v.shape)
		return
	case v.kind == aTable && c == '{':
		n := 0
		w.walkMembers(func(string, int) { n++; w.walkValue(v.of) })
		if n == 0 {
			w.fault(start, "is empty")
		}
		return
	case v.kind == aList && c == '[':
		w.walkList(v)
		return
	case v.kind == aNumber && startsNumber(c), v.kind == aWhole && startsNumber(c):
		w.skipValue()
		w.walkNumber(v, start)
		return
	case v.kind == aText && c == '"', v.kind == aFlag && (c == 't' || c == 'f'):
	case c == 'n' && v.kind != anObject && v.kind != aList:
		w.fault(start, "want %s, have null", v.wantedKind())
	default:
		w.fault(start, "want %s, have %s", v.wantedKind(), w.presentKind())
	}
	w.skipValue()
}

// walkList checks the list at the current position.
func (w *walker) walkList(v *value) {
	start, n := w.at, 0
	w.at++
	for w.skipSpace(); w.text[w.at] != ']'; w.skipSpace() {
		if w.text[w.at] == ',' {
			w.at++
			continue
		}
		n++
		if v.of.kind == anObject && w.text[w.at] != '{' {
			// All elements share one fault, because there may be millions of elements.
			w.fault(w.at, "want a list of objects")
			w.at = start
			w.skipValue()
			return
		}
		w.walkValue(v.of)
	}
	w.at++
	switch {
	case n == 0:
		w.fault(start, "is empty")
	case v.length > 0 && n != v.length:
		w.fault(start, "there are %d numbers, want %d", n, v.length)
	}
	if last := w.path[len(w.path)-1]; v.of.kind == anObject {
		w.sizes[last] = max(w.sizes[last], n)
	}
}

// walkNumber checks the number from start to the current position.
func (w *walker) walkNumber(v *value, start int) {
	raw := string(w.text[start:w.at])
	x, err := strconv.ParseFloat(raw, 64)
	if v.kind == aWhole && x != math.Trunc(x) {
		w.fault(start, "want a whole number, have number %.40s", raw)
		return
	}
	switch {
	case v.orZero && x == 0:
	case err != nil || x < v.least || x > v.most || v.above && x == v.least:
		w.fault(start, "%.40s is out of range", raw)
		return
	}
	if v.kind == aWhole && strings.ContainsAny(raw, ".eE") {
		w.edits = append(w.edits, edit{start, w.at, strconv.FormatInt(int64(x), 10)})
	}
	if far, ok := w.ranges[v.names]; v.ranged && (!ok || int(x) > far.index) {
		w.ranges[v.names] = farthest{int(x), start}
	}
}

// walkExtensions checks the extensions of an object.
func (w *walker) walkExtensions(s *shape) {
	if w.text[w.at] != '{' {
		w.fault(w.at, "extensions: want an object, have %s", w.presentKind())
		w.skipValue()
		return
	}
	w.walkMembers(func(name string, at int) {
		if _, ok := w.named[name]; !ok && len(w.named) < maxNamed {
			w.named[name] = at
		}
		inside, known := s.extensions[name]
		switch {
		case w.text[w.at] != '{':
			w.fault(at, "extension %.60s: want an object, have %s", name, w.presentKind())
		case known:
			w.path = append(w.path, name)
			w.walkObject(inside)
			w.path = w.path[:len(w.path)-1]
			return
		case w.shapes.known[name]:
			w.fault(at, "extension %.60s is not allowed in a %s", name, s.name)
		}
		w.skipValue()
	})
}

// checkWhole checks indices against the lengths of lists. Call it after the whole document was
// visited.
func (w *walker) checkWhole() {
	for _, name := range slices.Sorted(maps.Keys(w.ranges)) {
		if far, n := w.ranges[name], w.sizes[name]; far.index >= n {
			w.fault(far.at, "the index %d is out of range: the number of %s is %d", far.index, name, n)
		}
	}
}

func startsNumber(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

// wantedKind describes the value that a shape requires.
func (v *value) wantedKind() string {
	switch v.kind {
	case aNumber:
		return "a number"
	case aWhole:
		return "a whole number"
	case aText:
		return "a string"
	case aFlag:
		return "true or false"
	case aList:
		if v.of.kind == anObject || v.of.kind == aTable {
			return "a list of objects"
		}
		return "a list"
	}
	return "an object"
}

// presentKind describes the value at the current position.
func (w *walker) presentKind() string {
	switch c := w.text[w.at]; c {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "list"
	case 't', 'f', 'n':
		return map[byte]string{'t': "true", 'f': "false", 'n': "null"}[c]
	}
	return "number"
}
