package shader

import (
	"github.com/assetcook/assetcook/internal/plaintext"
)

const (
	// maxType limits the parts of a type. The parts of a struct count once for each use of the
	// struct, because naga visits all of them. If each struct has two members of the previous
	// struct's type, naga's work doubles with each line.
	maxType = 1 << 16
	// maxCost limits the parts of types and expressions that naga visits, at 20 to 200 ns each. For
	// each operator, naga computes the types of the operands again, including the values of lets.
	maxCost = 10_000_000
	// memberCost is the cost factor of member access, because naga visits the operand twice.
	memberCost = 16
)

// A sizer counts the parts of WGSL that naga would visit. Its input must have no comments.
type sizer struct {
	source, code []byte
	at           int
	cost         int
}

// checkCost refuses WGSL that naga would take very long to compile.
func checkCost(source, code []byte) error {
	s := sizer{source: source, code: code}
	if err := s.limitTypes(); err != nil {
		return err
	}
	s.at = 0
	return s.limitExpressions()
}

// token returns the next name, number or single character, or nil at the end.
func (s *sizer) token() []byte {
	for s.at < len(s.code) && (s.code[s.at] <= ' ') {
		s.at++
	}
	start := s.at
	for s.at < len(s.code) && inName(s.code[s.at]) {
		s.at++
	}
	if s.at == start && s.at < len(s.code) {
		s.at++
	}
	return s.code[start:s.at]
}

func inName(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// A typeDecl is the declaration of a struct or alias. It lists the type names in the declaration.
type typeDecl struct {
	at    int
	names []string
	size  int // number of parts; 0 if unknown
	open  bool
}

// limitTypes limits the sizes of structs and aliases. Their declarations may be in any order.
func (s *sizer) limitTypes() error {
	decls := map[string]*typeDecl{}
	var order []*typeDecl
	for {
		word := s.token()
		if len(word) == 0 {
			break
		}
		isStruct := string(word) == "struct"
		if !isStruct && string(word) != "alias" {
			continue
		}
		name := string(s.token())
		d := &typeDecl{at: s.at - len(name)}
		for {
			word := s.token()
			if len(word) == 0 || isStruct && word[0] == '}' || !isStruct && word[0] == ';' {
				break
			}
			if inName(word[0]) {
				d.names = append(d.names, string(word))
			}
		}
		decls[name] = d
		order = append(order, d)
	}
	for _, d := range order {
		size := d.countParts(decls)
		if s.cost += size; size > maxType || s.cost > maxCost {
			return plaintext.Errorf(s.source, d.at, "the nested structs have more than %d members in total; use fewer", maxType)
		}
	}
	return nil
}

// countParts computes the size of a type.
func (d *typeDecl) countParts(decls map[string]*typeDecl) int {
	if d.size > 0 || d.open { // naga itself refuses a type that contains itself
		return max(1, d.size)
	}
	d.open = true
	size := 1
	for _, name := range d.names {
		add := 1
		if of := decls[name]; of != nil {
			add = of.countParts(decls)
		}
		size = min(size+add, 2*maxType)
	}
	d.open, d.size = false, size
	return size
}

// A run counts the parts of the expressions at one bracket depth.
type run struct {
	whole int // number of parts before the last comma
	parts int // number of parts since the last comma
	last  int // number of parts in the operand of a following member access
}

// limitExpressions limits the work of naga for function bodies.
func (s *sizer) limitExpressions() error {
	lets := map[string]int{}
	runs := []run{{}}
	braces := 0
	let := "" // name of the let that is being declared
	begins, member := true, false
	for {
		word := s.token()
		if len(word) == 0 {
			return nil
		}
		top := &runs[len(runs)-1]
		switch c := word[0]; {
		case c == ';' || c == '{' || c == '}':
			if let != "" {
				lets[let] = runs[0].whole + runs[0].parts
			}
			if c == '{' {
				braces++
			} else if c == '}' {
				braces = max(0, braces-1)
			}
			if braces == 0 {
				clear(lets) // let declarations end with their function
			}
			runs, let, begins, member = append(runs[:0], run{}), "", true, false
			continue
		case begins && string(word) == "let":
			let = string(s.token())
		case member: // a member name costs nothing
		case inName(c):
			top.last = 1 + lets[string(word)]
			top.parts += top.last
		case c == '(' || c == '[':
			runs = append(runs, run{})
		case (c == ')' || c == ']') && len(runs) > 1:
			inner := top.whole + top.parts
			runs = runs[:len(runs)-1]
			top = &runs[len(runs)-1]
			top.last += inner
			top.parts += inner
		case c == '.':
			s.cost += memberCost * top.last
			top.parts += top.last
			top.last *= 2
		case c == ',':
			*top = run{whole: top.whole + top.parts}
		default:
			s.cost += top.parts
			top.last = 0
		}
		begins, member = false, word[0] == '.'
		top = &runs[len(runs)-1]
		top.whole, top.parts, top.last = min(top.whole, maxCost), min(top.parts, maxCost), min(top.last, maxCost)
		if s.cost > maxCost {
			return plaintext.Errorf(s.source, s.at-len(word), "compiling would take too long, because expressions or nested lets are too long; change one let to var")
		}
	}
}
