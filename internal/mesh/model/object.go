package model

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// An Object is a JSON object whose members keep their order and, as long as nobody
// sets them, their text: what is not understood survives, to the last digit of a
// number.
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
