package obj

import (
	"errors"
	"path"
	"strings"
)

// A material holds the statements of a material in an MTL file. Statement names are in lower case,
// because some exporters write map_kd.
type material struct {
	name    string
	known   bool                  // set if a library defines the material
	colors  map[string][3]float32 // colors by statement, such as Kd and Ks
	numbers map[string]float32    // numbers by statement, such as Ns and Pr; d is the opacity, even if the file has Tr
	maps    map[string]texmap     // texture maps by statement, such as map_Kd and norm
}

// A texmap is a texture map of a material: a file and its options.
type texmap struct {
	file   string // path relative to the model
	scale  [2]float64
	offset [2]float64
	clamp  bool
	bump   float64 // value of the option -bm
	from   string  // value of the option -imfchan; "" if missing
}

// These are the statements of MTL, by the type of their arguments. Exporters of PBR materials added
// Pr, Pm, Ps, Pc, Pcr, aniso, anisor and norm. Wavefront defined the others.
var (
	mtlColors  = "kd ks ka ke tf"
	mtlNumbers = "ns ni pr pm ps pc pcr aniso anisor sharpness"
	mtlMaps    = "map_kd map_ks map_ka map_ke map_ns map_d map_tr map_bump bump disp decal refl norm map_pr map_pm map_ps map_pc map_pcr"
)

// listHasWord reports whether a list of words contains word.
func listHasWord(list, word string) bool { return strings.Contains(" "+list+" ", " "+word+" ") }

// A library reads an MTL file. It skips materials that no usemtl line selects.
type library struct {
	materials []*material
	byName    map[string]int
	dir       string // directory of the file
	current   int
	lost      *losses
}

func (l *library) parseMTLStatement(words []string, rest string) error {
	if words[0] == "newmtl" {
		l.current = none
		if i, ok := l.byName[rest]; ok && !l.materials[i].known {
			l.current = i
			l.materials[i].known = true
		}
		return nil
	}
	if l.current == none || words[0] == paint {
		return nil
	}
	m := l.materials[l.current]
	switch word := strings.ToLower(words[0]); {
	case word == "d" || word == "tr":
		return m.readOpacity(word, words, l.lost)
	case word == "illum": // illumination model; glTF has only one
		if len(words) > 1 && (words[1] == "0" || words[1] == "1") {
			m.setNumber("dull", 1)
		}
	case listHasWord(mtlColors, word):
		c, err := readColor(words)
		switch {
		case err == errSpectrum:
			l.lost.countLost(words[0]+" "+words[1], "")
		case err != nil && word == "kd":
			return err
		case err != nil:
			l.lost.countLost(words[0], "")
		default:
			if m.colors == nil {
				m.colors = map[string][3]float32{}
			}
			m.colors[word] = c
		}
	case listHasWord(mtlNumbers, word):
		if len(words) < 2 {
			l.lost.countLost(words[0], "")
		} else if x, err := parseFloat32(words[1]); err != nil {
			l.lost.countLost(words[0], "")
		} else {
			m.setNumber(word, x)
		}
	case listHasWord(mtlMaps, word):
		if m.maps == nil {
			m.maps = map[string]texmap{}
		}
		t := l.readTexmap(words[1:], rest)
		if t.file != "" {
			m.maps[word] = t
		}
	default:
		l.lost.countLost(words[0], "")
	}
	return nil
}

func (m *material) setNumber(key string, x float32) {
	if m.numbers == nil {
		m.numbers = map[string]float32{}
	}
	m.numbers[key] = x
}

// readOpacity reads d, or Tr, which is 1 - d.
func (m *material) readOpacity(word string, words []string, lost *losses) error {
	if len(words) < 2 {
		return errors.New("there is no number after " + words[0])
	}
	if len(words) > 2 && words[1] == "-halo" {
		lost.countLost("d -halo", "")
	}
	x, err := parseFloat32(words[len(words)-1]) // the last word is the number, as in "d -halo 0.5"
	if err != nil {
		return err
	}
	if word == "tr" {
		x = 1 - x
	}
	m.setNumber("d", min(max(x, 0), 1))
	return nil
}

// errSpectrum is the error for spectral colors, which only a spectral renderer can use.
var errSpectrum = errors.New("the color is not given as red, green and blue")

// readColor reads three numbers, or one number for a gray.
func readColor(words []string) (c [3]float32, err error) {
	if len(words) < 2 {
		return c, errors.New("there is no number after " + words[0])
	}
	if words[1] == "spectral" || words[1] == "xyz" {
		return c, errSpectrum
	}
	for i := range c {
		if c[i] = c[0]; i+1 < len(words) {
			if c[i], err = parseFloat32(words[i+1]); err != nil {
				return c, err
			}
		}
		c[i] = max(c[i], 0)
	}
	return c, nil
}

// mapOption returns the maximum number of words after a map option, or 0 if the option is unknown.
// The options -o, -s and -t may have fewer words.
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

// readTexmap reads the options of a texture map and its file name, which may contain spaces. It
// converts the name to a path relative to the model.
func (l *library) readTexmap(words []string, rest string) texmap {
	t := texmap{scale: [2]float64{1, 1}, bump: 1}
	for len(words) > 0 {
		option, n := words[0], mapOption(words[0])
		if n == 0 {
			break
		}
		words = dropWord(words, &rest)
		var values []string
		for i := 0; i < n && len(words) > 1; i++ {
			if _, err := parseFloat32(words[0]); err != nil && n > 1 {
				break
			}
			values = append(values, words[0])
			words = dropWord(words, &rest)
		}
		l.readMapOption(&t, option, values)
	}
	name := strings.ReplaceAll(rest, `\`, "/")
	switch {
	case name == "":
		return t
	case name[0] == '/' || strings.Contains(name, ":"):
		// The path refers to the author's machine. The file may be in the directory of the model.
		name = path.Base(name[strings.LastIndexByte(name, ':')+1:])
	}
	t.file = path.Join(l.dir, name)
	return t
}

// readMapOption reads an option of a texture map. An option that glTF cannot represent counts as
// lost, unless its value has no effect.
func (l *library) readMapOption(t *texmap, option string, values []string) {
	var numbers []float64
	for _, v := range values {
		if x, err := parseFloat32(v); err == nil {
			numbers = append(numbers, float64(x))
		}
	}
	is := func(idle ...string) bool { return len(values) == 0 || listHasWord(strings.Join(idle, " "), values[0]) }
	switch {
	case option == "-s" && len(numbers) > 0:
		copy(t.scale[:], numbers)
	case option == "-o" && len(numbers) > 0:
		copy(t.offset[:], numbers)
	case option == "-bm" && len(numbers) > 0:
		t.bump = numbers[0]
	case option == "-imfchan" && len(values) > 0:
		t.from = values[0]
	case option == "-clamp":
		t.clamp = len(values) > 0 && values[0] == "on"
	case option == "-mm" && len(numbers) == 2 && numbers[0] == 0 && numbers[1] == 1,
		option == "-t" && !containsNonzero(numbers), option == "-boost" && !containsNonzero(numbers),
		option == "-cc" && is("off"), (option == "-blendu" || option == "-blendv") && is("on"), option == "-type":
	default:
		l.lost.countLost(option, "")
	}
}

func containsNonzero(numbers []float64) bool {
	for _, x := range numbers {
		if x != 0 {
			return true
		}
	}
	return false
}

// dropWord removes the first word from words. It also removes it from rest, which is the same text
// before it was split.
func dropWord(words []string, rest *string) []string {
	*rest = strings.Trim(strings.TrimPrefix(strings.Trim(*rest, blanks), words[0]), blanks)
	return words[1:]
}
