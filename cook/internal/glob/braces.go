package glob

import "strings"

// alternatives expands the braces of a valid glob: a{b,c} gives ab and ac. ok is false if there
// are too many alternatives.
func alternatives(glob string) (list []string, ok bool) {
	open := indexMark(glob, "{")
	if open < 0 {
		return []string{glob}, true
	}
	head, rest := glob[:open], glob[open+1:]
	var branches []string
	for depth, start, i := 1, 0, 0; depth > 0; i++ {
		next := indexMark(rest[i:], "{,}")
		if next < 0 {
			return nil, false // invalid after all
		}
		i += next
		switch {
		case rest[i] == '{':
			depth++
		case rest[i] == '}':
			depth--
		}
		if depth == 0 || depth == 1 && rest[i] == ',' {
			branches = append(branches, rest[start:i])
			start = i + 1
		}
		if depth == 0 {
			rest = rest[start:]
		}
	}
	for _, b := range branches {
		more, ok := alternatives(head + b + rest)
		if list = append(list, more...); !ok || len(list) > maxAlternatives {
			return nil, false
		}
	}
	return list, true
}

// indexMark returns the index of the first of the marks that is neither escaped nor in a class,
// or -1.
func indexMark(glob, marks string) int {
	inClass := false
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case strings.IndexByte(marks, c) >= 0:
			return i
		}
	}
	return -1
}
