package gltf

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// An Object is a JSON object whose members keep their order. Members that are not set keep their
// text, including all digits of a number.
type Object []Member

// A Member is a name and a JSON value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// ParseObject splits an object into its members. Their values share its bytes.
func ParseObject(text json.RawMessage) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, have %.20s", text)
	}
	var o Object
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := Member{Key: key.(string)} // the token before a colon is always a string
		if err := d.Decode(&m.Value); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	_, err = d.Token()
	return o, err
}

// ParseUnchecked is like ParseObject, but for the text of a whole document that was not checked. ok
// is false if the text is not a JSON object.
func ParseUnchecked(text []byte) (root Object, ok bool) {
	text = bytes.TrimPrefix(text, []byte(plaintext.ByteOrderMark))
	if !json.Valid(text) {
		return nil, false
	}
	root, err := ParseObject(text)
	return root, err == nil
}

// ParseList splits a list into its elements. An empty text counts as an empty list.
func ParseList(text json.RawMessage) ([]json.RawMessage, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var list []json.RawMessage
	err := json.Unmarshal(text, &list)
	return list, err
}

// Member returns the value of a key, or nil if there is none.
func (o Object) Member(key string) json.RawMessage {
	for i := range o {
		if o[i].Key == key {
			return o[i].Value
		}
	}
	return nil
}

// Set sets the value of a key. It adds a new key at the end.
func (o *Object) Set(key string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].Key == key {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{key, value})
}

// SetInt is like Set, but for an integer.
func (o *Object) SetInt(key string, n int) { o.Set(key, json.RawMessage(fmt.Sprint(n))) }

// SetOffset sets a byteOffset, which is 0 by default.
func (o *Object) SetOffset(n int) {
	if n == 0 {
		o.Delete("byteOffset")
		return
	}
	o.SetInt("byteOffset", n)
}

// Delete removes a key if it exists.
func (o *Object) Delete(key string) {
	for i := range *o {
		if (*o)[i].Key == key {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			return
		}
	}
}

// Text returns the object as JSON.
func (o Object) Text() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, Quote(m.Key)...), ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// ListText returns the list as JSON.
func ListText(list []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e...)
	}
	return append(b, ']')
}

// Quote returns a string as JSON. Unlike json.Marshal, it does not escape <, > and &.
func Quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return json.RawMessage(`""`) // impossible: every string can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// Object returns a member as an object. The object is empty if the member is missing.
func (o Object) Object(key string) (Object, error) {
	text := o.Member(key)
	if text == nil {
		return nil, nil
	}
	return ParseObject(text)
}

// List returns a member as a list. The list is empty if the member is missing.
func (o Object) List(key string) ([]json.RawMessage, error) { return ParseList(o.Member(key)) }

// Objects returns a member as a list of objects.
func (o Object) Objects(key string) ([]Object, error) {
	elements, err := o.List(key)
	if err != nil {
		return nil, err
	}
	objects := make([]Object, len(elements))
	for i, e := range elements {
		if objects[i], err = ParseObject(e); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// SetObjects replaces a list of objects. If objects is empty, it removes the member, because glTF
// forbids empty lists.
func (o *Object) SetObjects(key string, objects []Object) {
	if len(objects) == 0 {
		o.Delete(key)
		return
	}
	texts := make([]json.RawMessage, len(objects))
	for i, object := range objects {
		texts[i] = object.Text()
	}
	o.Set(key, ListText(texts))
}

// Edit calls edit with a member that is an object, and stores the result. The object is empty if
// the member is missing.
func (o *Object) Edit(key string, edit func(*Object) error) error {
	inner, err := o.Object(key)
	if err != nil {
		return err
	}
	if err := edit(&inner); err != nil {
		return err
	}
	o.Set(key, inner.Text())
	return nil
}

// Extension returns the named extension of the object, or nil if it has none.
func (o Object) Extension(name string) json.RawMessage {
	extensions, err := o.Object("extensions")
	if err != nil {
		return nil
	}
	return extensions.Member(name)
}

// Numbers returns a list of finite numbers as JSON. Each number has the shortest text that parses
// to the same number.
func Numbers(values ...float64) json.RawMessage {
	text, err := json.Marshal(values)
	if err != nil {
		return json.RawMessage("[]") // impossible for finite numbers
	}
	return text
}

// Singles is like Numbers, but each number has the shortest text that parses to the same float32.
func Singles(values ...float64) json.RawMessage {
	singles := make([]float32, len(values))
	for i, x := range values {
		singles[i] = float32(x)
	}
	text, err := json.Marshal(singles)
	if err != nil {
		return json.RawMessage("[]") // impossible for finite numbers
	}
	return text
}

// Number returns a finite number as JSON: the shortest text that parses to the same number.
func Number(value float64) json.RawMessage {
	text := Numbers(value)
	return text[1 : len(text)-1]
}
