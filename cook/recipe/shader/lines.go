package shader

import "bytes"

// A scanner goes through the lines of GLSL and knows what of them lies in comments or
// goes on with the line before, so that no directive can stand there.
type scanner struct {
	text      []byte
	at        int
	comment   bool // within /* */
	continued bool // the line before ended with a backslash
	inLine    bool // and was a // comment
	code      []byte
}

// next returns a line with its end, and what of it is code: the same with spaces for
// comments, or nothing if it goes on with the line before. Both are nil at the end;
// code is good until the next call.
func (s *scanner) next() (line, code []byte) {
	if s.at >= len(s.text) {
		return nil, nil
	}
	end := len(s.text)
	if i := bytes.IndexByte(s.text[s.at:], '\n'); i >= 0 {
		end = s.at + i + 1
	}
	line = s.text[s.at:end]
	s.at = end
	s.code = append(s.code[:0], line...)
	inLine := s.continued && s.inLine
	for i := 0; i < len(line); i++ {
		pair := string(line[i:min(i+2, len(line))])
		switch {
		case inLine || !s.comment && pair == "//":
			inLine = true
			s.blank(i, 1)
		case !s.comment && pair == "/*", s.comment && pair == "*/":
			s.comment = !s.comment
			s.blank(i, 2)
			i++
		case s.comment:
			s.blank(i, 1)
		}
	}
	if s.continued {
		s.code = s.code[:0]
	}
	s.continued = bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte{'\\'})
	s.inLine = inLine
	return line, s.code
}

// blank puts spaces in the place of n bytes of a comment.
func (s *scanner) blank(i, n int) {
	for ; n > 0; i, n = i+1, n-1 {
		if s.code[i] != '\r' && s.code[i] != '\n' {
			s.code[i] = ' '
		}
	}
}
