package scan

// compileGlob compiles a glob, which may contain slashes. ok is false if the glob is malformed and
// therefore matches nothing.
func compileGlob(s string) (glob []step, ok bool) {
	for i := 0; i < len(s); {
		switch s[i] {
		case '*':
			end := i
			for end < len(s) && s[end] == '*' {
				end++
			}
			st := step{op: opStar}
			if end-i > 1 && (i == 0 || s[i-1] == '/') {
				switch rest := s[end:]; {
				case rest == "", len(rest) > 1 && rest[:2] == `\/`:
					st.op = opDeep
				case rest[0] == '/':
					st.op = opFolders
					end++
				}
			}
			glob = append(glob, st)
			i = end
		case '?':
			glob = append(glob, step{op: opAny})
			i++
		case '[':
			set, end, ok := compileSet(s, i)
			if !ok {
				return nil, false
			}
			glob = append(glob, step{op: opSet, set: set})
			i = end
		case '\\':
			i++
			if i == len(s) {
				return nil, false
			}
			fallthrough
		default:
			glob = append(glob, step{op: opByte, char: s[i]})
			i++
		}
	}
	return glob, true
}

// compileSet compiles the bracket expression at s[i:]. It returns the index after the expression. A
// ']' at its start and a '-' that is not between two bytes are literal.
func compileSet(s string, i int) (set *byteSet, end int, ok bool) {
	at := func(i int) byte { // returns 0 at the end, because patterns contain no NUL
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	set = new(byteSet)
	i++
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	var low byte // previous byte, which may begin a range, or 0
	for first := true; first || at(i) != ']'; first = false {
		c := at(i)
		switch {
		case c == '\\':
			i++
			c = at(i)
			if c == 0 {
				return nil, 0, false
			}
			set.add(c)
		case c == 0:
			return nil, 0, false
		case c == '-' && low != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if at(i) == '\\' {
				i++
			}
			high := at(i)
			if high == 0 {
				return nil, 0, false
			}
			for b := int(low); b <= int(high); b++ {
				set.add(byte(b))
			}
			c = 0
		case c == '[' && at(i+1) == ':':
			last := i + 2
			for at(last) != 0 && at(last) != ']' {
				last++
			}
			switch {
			case at(last) == 0:
				return nil, 0, false
			case last == i+2 || at(last-1) != ':':
				set.add('[')
			default:
				if !set.addClass(s[i+2 : last-1]) {
					return nil, 0, false
				}
				i, c = last, 0
			}
		default:
			set.add(c)
		}
		low = c
		i++
	}
	if negated {
		for w := range set {
			set[w] = ^set[w]
		}
	}
	return set, i + 1, true
}

// addClass adds the members of a POSIX class. It returns false for an unknown name.
func (s *byteSet) addClass(name string) bool {
	in := class(name)
	if in == nil {
		return false
	}
	for b := range 256 {
		if in(byte(b)) {
			s.add(byte(b))
		}
	}
	return true
}

// class returns the membership function of a POSIX class, or nil for an unknown name. As in git,
// the classes contain ASCII letters and four kinds of space.
func class(name string) func(b byte) bool {
	lower := func(b byte) bool { return 'a' <= b && b <= 'z' }
	upper := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	alpha := func(b byte) bool { return lower(b) || upper(b) }
	alnum := func(b byte) bool { return alpha(b) || digit(b) }
	printed := func(b byte) bool { return ' ' <= b && b <= '~' }
	switch name {
	case "alnum":
		return alnum
	case "alpha":
		return alpha
	case "blank":
		return func(b byte) bool { return b == ' ' || b == '\t' }
	case "cntrl":
		return func(b byte) bool { return b < ' ' || b == 0x7f }
	case "digit":
		return digit
	case "graph":
		return func(b byte) bool { return printed(b) && b != ' ' }
	case "lower":
		return lower
	case "print":
		return printed
	case "punct":
		return func(b byte) bool { return printed(b) && b != ' ' && !alnum(b) }
	case "space":
		return func(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
	case "upper":
		return upper
	case "xdigit":
		return func(b byte) bool { return digit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }
	}
	return nil
}
