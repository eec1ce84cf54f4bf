package obj

import (
	"errors"
	"path"
	"strings"
)

// A material is what is taken from an MTL file.
type material struct {
	name    string
	known   bool       // it stands in a file
	color   [3]float32 // Kd
	hasKd   bool
	opacity float32
	base    string // map_Kd, relative to the model
	normal  string // norm
	blend   bool   // map_d
}

// A library reads an MTL file. Materials that no usemtl line names are passed over.
type library struct {
	materials []*material
	byName    map[string]int
	dir       string // of the file
	current   int
}

func (l *library) line(words []string, rest string) error {
	if words[0] == "newmtl" {
		l.current = none
		if i, ok := l.byName[rest]; ok && !l.materials[i].known {
			l.current = i
			l.materials[i].known = true
			l.materials[i].opacity = 1
		}
		return nil
	}
	if l.current == none {
		return nil
	}
	m := l.materials[l.current]
	switch words[0] {
	case "Kd":
		return m.readColor(words[1:])
	case "d", "Tr":
		if len(words) < 2 {
			return errors.New("no number behind " + words[0])
		}
		x, err := number(words[len(words)-1]) // "d -halo 0.5" has an option
		if err != nil {
			return err
		}
		if words[0] == "Tr" {
			x = 1 - x
		}
		m.opacity = min(max(x, 0), 1)
	case "map_Kd":
		m.base = l.file(words[1:], rest)
	case "norm":
		m.normal = l.file(words[1:], rest)
	case "map_d":
		m.blend = true
	}
	return nil
}

func (m *material) readColor(words []string) error {
	if len(words) > 0 && (words[0] == "spectral" || words[0] == "xyz") {
		return nil // rare, and of no use without a spectrum
	}
	for i := range m.color {
		if i >= len(words) { // one number is a gray
			if i == 0 {
				return errors.New("no number behind Kd")
			}
			m.color[i] = m.color[0]
			continue
		}
		x, err := number(words[i])
		if err != nil {
			return err
		}
		m.color[i] = min(max(x, 0), 1)
	}
	m.hasKd = true
	return nil
}

// mapOption returns how many words follow an option of a map at most, 0 if it is none;
// -o, -s and -t may have fewer numbers.
func mapOption(word string) int {
	switch word {
	case "-blendu", "-blendv", "-boost", "-bm", "-clamp", "-cc", "-imfchan", "-texres", "-type":
		return 1
	case "-mm":
		return 2
	case "-o", "-s", "-t":
		return 3
	}
	return 0
}

// file returns the file of a map, relative to the model: what is left of the line behind
// its options. Names may have spaces.
func (l *library) file(words []string, rest string) string {
	for len(words) > 0 {
		n := mapOption(words[0])
		if n == 0 {
			break
		}
		words = drop(words, &rest)
		for i := 0; i < n && len(words) > 1; i++ {
			if _, err := number(words[0]); err != nil && n > 1 {
				break
			}
			words = drop(words, &rest)
		}
	}
	name := strings.ReplaceAll(rest, `\`, "/")
	switch {
	case name == "":
		return ""
	case name[0] == '/' || strings.Contains(name, ":"):
		// A place on the author's machine: the file may be beside the model.
		name = path.Base(name[strings.LastIndexByte(name, ':')+1:])
	}
	return path.Join(l.dir, name)
}

// drop removes the first word from words and from the text that they came from.
func drop(words []string, rest *string) []string {
	*rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(*rest), words[0]))
	return words[1:]
}
