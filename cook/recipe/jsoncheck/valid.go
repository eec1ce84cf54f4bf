package jsoncheck

import (
	"bytes"
	"context"
)

// maxNesting is how deep objects and arrays may lie in one another, as in
// encoding/json.
const maxNesting = 10_000

// valid is json.Valid that ends with the context: json.Valid has no end before that
// of the text.
func valid(ctx context.Context, text []byte) (bool, error) {
	s := scanner{ctx: ctx, text: text}
	ok := s.document()
	return ok && s.err == nil, s.err
}

// A scanner goes over JSON text. Its methods report whether what they are named for
// stands there, and go behind it.
type scanner struct {
	ctx  context.Context
	text []byte
	at   int
	look int    // when to look at the context again
	err  error  // the context's
	open []byte // what closes the objects and arrays around
}

// document is one value and nothing else.
func (s *scanner) document() bool {
	for {
		// A value, or what opens one.
		switch s.space(); {
		case s.err != nil:
			return false
		case s.one('['):
			if s.open = append(s.open, ']'); len(s.open) > maxNesting {
				return false
			}
			if s.space(); !s.closed() {
				continue
			}
		case s.one('{'):
			if s.open = append(s.open, '}'); len(s.open) > maxNesting {
				return false
			}
			if s.space(); !s.closed() {
				if !s.name() {
					return false
				}
				continue
			}
		case !s.scalar():
			return false
		}
		// Behind a value.
		for s.space(); s.closed(); s.space() {
		}
		if len(s.open) == 0 {
			return s.at == len(s.text)
		}
		if !s.one(',') || s.open[len(s.open)-1] == '}' && !s.name() {
			return false
		}
	}
}

// closed is the end of the innermost object or array.
func (s *scanner) closed() bool {
	n := len(s.open)
	if n == 0 || !s.one(s.open[n-1]) {
		return false
	}
	s.open = s.open[:n-1]
	return true
}

// name is a key and its colon.
func (s *scanner) name() bool {
	s.space()
	if !s.quoted() {
		return false
	}
	s.space()
	return s.one(':')
}

func (s *scanner) one(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// tick looks at the context now and then and reports whether it is over.
func (s *scanner) tick() bool {
	if s.at >= s.look {
		s.look, s.err = s.at+chunk, s.ctx.Err()
	}
	return s.err != nil
}

func (s *scanner) space() {
	for !s.tick() && s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) scalar() bool {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.text[s.at:], []byte(word)) {
			s.at += len(word)
			return true
		}
	}
	if s.at < len(s.text) && s.text[s.at] == '"' {
		return s.quoted()
	}
	return s.number()
}

func (s *scanner) quoted() bool {
	if !s.one('"') {
		return false
	}
	for !s.tick() && s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return true
		case c < ' ':
			return false
		case c == '\\' && !s.escape():
			return false
		}
	}
	return false
}

// escape is what follows a backslash.
func (s *scanner) escape() bool {
	if s.at >= len(s.text) {
		return false
	}
	c := s.text[s.at]
	s.at++
	if c != 'u' {
		return bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0
	}
	for range 4 {
		if s.at >= len(s.text) || bytes.IndexByte([]byte("0123456789abcdefABCDEF"), s.text[s.at]) < 0 {
			return false
		}
		s.at++
	}
	return true
}

func (s *scanner) number() bool {
	s.one('-')
	if !s.one('0') && !s.digits() {
		return false
	}
	if s.one('.') && !s.digits() {
		return false
	}
	if s.one('e') || s.one('E') {
		if !s.one('+') {
			s.one('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for !s.tick() && s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}
