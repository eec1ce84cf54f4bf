package gltf

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// An Object is a JSON object whose members keep their order. Members that nothing sets keep
// their text, to the last digit of a number.
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
		m := Member{Key: key.(string)} // a Token that comes before a colon is a string
		if err := d.Decode(&m.Value); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	_, err = d.Token()
	return o, err
}

// ParseUnchecked is ParseObject for the text of a whole document that nothing has checked. ok is
// false if the text is no JSON object.
func ParseUnchecked(text []byte) (root Object, ok bool) {
	text = bytes.TrimPrefix(text, []byte(plaintext.ByteOrderMark))
	if !json.Valid(text) {
		return nil, false
	}
	root, err := ParseObject(text)
	return root, err == nil
}

// ParseList splits a list into its elements. No text is an empty list.
func ParseList(text json.RawMessage) ([]json.RawMessage, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var list []json.RawMessage
	err := json.Unmarshal(text, &list)
	return list, err
}

// Member returns the value of a key, nil if there is none.
func (o Object) Member(key string) json.RawMessage {
	for i := range o {
		if o[i].Key == key {
			return o[i].Value
		}
	}
	return nil
}

// Set gives a key a value, at its old place or at the end.
func (o *Object) Set(key string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].Key == key {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{key, value})
}

// SetInt is Set for a whole number.
func (o *Object) SetInt(key string, n int) { o.Set(key, json.RawMessage(fmt.Sprint(n))) }

// Delete removes a key if it is there.
func (o *Object) Delete(key string) {
	for i := range *o {
		if (*o)[i].Key == key {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			return
		}
	}
}

// Text writes the object.
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

// ListText writes a list.
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

// Quote writes a string. Unlike json.Marshal it leaves <, > and & alone.
func Quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return json.RawMessage(`""`) // cannot be: every string encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// Object returns a member as an object, an empty one if the member is missing.
func (o Object) Object(key string) (Object, error) {
	text := o.Member(key)
	if text == nil {
		return nil, nil
	}
	return ParseObject(text)
}

// List returns a member as a list, an empty one if the member is missing.
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

// SetObjects replaces a list of objects. It removes the member if the list is empty, as
// glTF has no empty lists.
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

// Edit changes a member that is an object, an empty one if the member is missing.
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

// Extension returns an extension of the object, nil if it has none of that name.
func (o Object) Extension(name string) json.RawMessage {
	extensions, err := o.Object("extensions")
	if err != nil {
		return nil
	}
	return extensions.Member(name)
}

// Numbers writes a list of finite numbers, each as the shortest text that reads back as
// the same number.
func Numbers(values ...float64) json.RawMessage {
	text, err := json.Marshal(values)
	if err != nil {
		return json.RawMessage("[]") // impossible for finite numbers
	}
	return text
}

// Number writes a finite number as the shortest text that reads back as the same number.
func Number(value float64) json.RawMessage {
	text := Numbers(value)
	return text[1 : len(text)-1]
}
