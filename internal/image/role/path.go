package role

import (
	"strconv"
	"strings"
)

// Limits on the parts of a path. Parts beyond them are ignored.
const (
	maxName  = 255
	maxWord  = 32
	maxJoin  = 4 // words of a compound: "ambient_occlusion", "occlusion-rough-metal"
	maxParts = 32
)

// A part is a word of a name.
type part struct {
	text   string
	before byte // the separator before it; 0 for none, as inside "wallNormal"
	number bool
}

// A finding is the result of reading a name.
type finding struct {
	name Name
	// sure is set if no directory overrides it: "roughness" is never a button.
	sure bool
}

// OfPath returns the meaning of a file's path, without allocating. Precedence: the last meaningful
// word, as in "brick_wall_Normal_2k"; then words that are clear anywhere, as in "icon_sword"; then
// directories, as in "ui/close". For PerhapsNumbered call OfNeighbored.
func OfPath(path string) Name {
	name, digits := ofPath(path, false)
	if digits != "" {
		if counted, _ := ofPath(path, true); counted != name {
			return PerhapsNumbered
		}
	}
	return name
}

// OfNeighbored is OfPath for a caller that knows whether one of the image's Neighbors exists.
func OfNeighbored(path string, neighbors bool) Name {
	name, _ := ofPath(path, neighbors)
	return name
}

// Neighbors returns the paths of the frames before and after an image whose number may also be a
// size or a UDIM tile. If one of them exists, the number counts frames.
func Neighbors(path string) []string {
	_, digits := ofPath(path, false)
	at := strings.LastIndex(path, digits)
	n, err := strconv.Atoi(digits)
	if err != nil || at < 0 {
		return nil
	}
	near := []int{n - 1, n + 1}
	if isTile(digits) {
		near = []int{firstTile - 1} // a tile may have other tiles beside it
	}
	var list []string
	for _, n := range near {
		list = append(list, path[:at]+strconv.Itoa(n)+path[at+len(digits):])
	}
	return list
}

// ofPath is OfPath with a choice: counts is set if a number that may be a size or a tile counts
// frames. It also returns the digits of such a number.
func ofPath(path string, counts bool) (name Name, digits string) {
	folders, base := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folders, base = path[:i], path[i+1:]
	}
	ext := strings.LastIndexByte(base, '.')
	if ext > 0 {
		base = base[:ext]
	}
	if len(base) > maxName {
		return Nameless, ""
	}
	var room [maxParts]part
	found, digits := roleOfName(splitWords(room[:0], base), counts)
	if found.sure {
		return found.name, digits
	}
	switch folder := ofFolders(folders); folder {
	case Nameless:
	case Environments, Lightmaps, LUTs: // names of models in "hdri" are more precise
		if found.name == Nameless || found.name == Numbered {
			return folder, digits
		}
	default:
		return folder, digits
	}
	if found.name == Nameless && len(path)-len(folders) > 4 && strings.EqualFold(path[len(path)-4:], ".hdr") {
		return Environments, digits // unbounded light is usually an environment
	}
	if found.name == Nameless && len(base) == 1 && isLetter(base[0]) {
		return Letter, digits
	}
	return found.name, digits
}

// splitWords appends the words of a name to list, up to its capacity.
func splitWords(list []part, name string) []part {
	from, before := 0, byte(' ')
	flush := func(to int) {
		if to > from && len(list) < cap(list) {
			list = append(list, part{name[from:to], before, isDigit(name[from])})
			before = 0
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case strings.IndexByte("_-. ()[]+,~#@&!", c) >= 0:
			flush(i)
			before, from = c, i+1
		case i > from && beginsWord(name, i):
			flush(i)
			from = i
		}
	}
	flush(len(name))
	return list
}

// beginsWord reports whether a word begins at name[i]: at a capital after a small letter, at the
// last of several capitals before a small letter ("ORMMap"), and at and after digits.
func beginsWord(name string, i int) bool {
	last, c := name[i-1], name[i]
	switch {
	case isDigit(last) != isDigit(c):
		return true
	case isUpper(c) && !isUpper(last):
		return true
	}
	return isUpper(last) && isUpper(c) && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }

// roleOfName finds the meaning of the words of a name, and returns the digits of the tail.
func roleOfName(list []part, counts bool) (finding, string) {
	rest, tail := strip(list, counts)
	return readWords(list, rest, tail), tail.digits
}

// readWords finds the meaning of a name whose words after list[:rest] are in tail.
func readWords(list []part, rest int, tail tail) finding {
	found, plain := ofEnd(list[:rest], tail, rest < len(list) && list[rest].before == 0)
	if found.name != Nameless && !plain {
		return found
	}
	// "button_normal" is the button in its normal state.
	for i := rest; i > 0; i-- {
		for n := min(2, i); n > 0; n-- {
			if w := joined(list[:i], n); w != nil && w.flags&anywhere != 0 {
				return finding{w.name, found.name == Nameless}
			}
		}
	}
	if found.name != Nameless {
		return found
	}
	for n := min(2, len(list)); n > 0; n-- {
		if w := joined(list[:n], n); w != nil && w.flags&front != 0 {
			return finding{w.name, true}
		}
	}
	if name := ofFront(list); name != Nameless {
		return finding{name, false}
	}
	if tail.numbered && rest > 0 {
		return finding{Numbered, false}
	}
	return finding{}
}

// ofFront returns the possible meaning of the first words, if they usually end a name, as in
// "Normal_Plane" and "Occlusion_map_2".
func ofFront(list []part) Name {
	for n := min(2, len(list)); n > 0; n-- {
		w := joined(list[:n], n)
		switch {
		case w == nil || w.flags&atEnd == 0:
		case w.name == Normals:
			return PerhapsNormal
		case (w.name == Packed || w.name == Occlusion) && w.flags&english == 0:
			return PerhapsData
		}
	}
	return Nameless
}

// ofEnd returns the meaning of the last words of a name, and whether they are plain English. cut
// is set if the tail follows without a separator.
func ofEnd(list []part, t tail, cut bool) (found finding, plain bool) {
	for n := min(maxJoin, len(list)); n > 0; n-- {
		w := joined(list, n)
		if w == nil || w.flags&(front|anywhere|inFolder) != 0 && w.flags&atEnd == 0 {
			continue
		}
		begin := list[len(list)-n]
		switch {
		case w.flags&letter != 0 && (begin.before != '_' && len(list) > 1 || cut):
			continue // "rock-n" means north, "world_s1" is one of four
		case w.flags&frames != 0 && !t.numbered:
			continue
		case w.flags&whole != 0 && (begin.before == 0 || len(list) == 1):
			continue // "darkMetal", "metal"
		}
		name := w.name
		if name == PerhapsData && (t.sized || begin.text == "ARM") {
			name = Packed // "planks_rough_2k": only material maps have such names
		}
		if unreal(list) && w.flags&letter != 0 {
			switch name {
			case PerhapsNormal:
				name = Normals
			case PerhapsData:
				name = Packed
			}
		}
		if name == Normals {
			name = t.points(name)
		}
		plain := w.flags&(english|letter|frames) != 0 && !t.sized && t.way == Nameless
		return finding{name, !plain}, plain
	}
	return finding{}, false
}

// unreal reports whether a name has the form of Unreal's textures: "T_Rock_N".
func unreal(list []part) bool { return len(list) > 2 && list[0].text == "T" && list[1].before == '_' }

// joined returns the table's word for the last n parts together, or nil.
func joined(list []part, n int) *word {
	var room [maxWord]byte
	text := room[:0]
	for _, p := range list[len(list)-n:] {
		if len(text)+len(p.text) > maxWord {
			return nil
		}
		text = append(text, p.text...)
	}
	for i, c := range text {
		if isUpper(c) {
			text[i] = c + 'a' - 'A'
		}
	}
	all := sortedWords()
	low, high := 0, len(all)
	for low < high {
		if mid := (low + high) / 2; all[mid].text < string(text) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(all) && all[low].text == string(text) {
		return &all[low]
	}
	return nil
}

// ofFolders returns the meaning of the nearest directory with a name in the table.
func ofFolders(folders string) Name {
	for folders != "" {
		i := strings.LastIndexByte(folders, '/')
		if last := folders[i+1:]; len(last) <= maxWord {
			var room [maxParts]part
			list := splitWords(room[:0], last)
			for n := min(maxJoin, len(list)); n > 0; n-- {
				if w := joined(list, n); w != nil && w.flags&inFolder != 0 {
					return w.name
				}
			}
		}
		folders = folders[:max(i, 0)]
	}
	return Nameless
}

// A tail describes the words after the meaningful ones.
type tail struct {
	numbered bool   // it has a number that counts images
	sized    bool   // "_2k"
	digits   string // a number that may be a size or a tile, or ""
	way      Name   // OpenGL or DirectX, Nameless if neither is given
}

// points returns n, or the direction of green if the tail gives one.
func (t tail) points(n Name) Name {
	if t.way != Nameless {
		return t.way
	}
	return n
}

// strip removes the tail from a name: numbers, sizes, programs, levels of detail, versions and
// words for "texture". It returns how many words are left. Numbers that may be sizes or tiles count
// images if counts is set.
func strip(list []part, counts bool) (rest int, t tail) {
	rest = len(list)
	for rest > 0 {
		last := list[rest-1]
		switch before := list[:rest]; {
		case last.number:
			if isSize(last.text) || isTile(last.text) {
				t.digits = last.text
				t.numbered = t.numbered || counts
			} else {
				t.numbered = true
			}
			rest--
		case rest > 1 && list[rest-2].number && last.before == 0 && (last.text == "k" || last.text == "K"):
			t.sized = true
			rest -= 2
		case rest > 1 && list[rest-2].number && (last.text == "x" || last.text == "X"): // 64x64, @2x
			t.numbered, t.digits = false, ""
			rest -= 2
		default:
			if endsInCompound(before) {
				return rest, t
			}
			n := 0
			for _, k := range [...]int{2, 1} {
				if w := joinedTag(before, k); w != 0 {
					n = k
					t.noteDirection(w)
					break
				}
			}
			if n == 0 || n == rest { // a name is never only a tag
				return rest, t
			}
			rest -= n
		}
	}
	return rest, t
}

// endsInCompound reports whether the last words together are a compound of the table, as in
// "BumpMap".
func endsInCompound(list []part) bool {
	for n := 2; n <= min(maxJoin, len(list)); n++ {
		if w := joined(list, n); w != nil && w.name != Nameless && w.flags&atEnd != 0 {
			return true
		}
	}
	return false
}

// isSize reports whether digits may be a size in pixels.
func isSize(digits string) bool {
	switch digits {
	case "128", "256", "512", "1024", "2048", "4096", "8192":
		return true
	}
	return false
}

const firstTile = 1001

// isTile reports whether digits may be a UDIM tile.
func isTile(digits string) bool {
	return len(digits) == 4 && digits >= "1001" && digits <= "1199"
}

func (t *tail) noteDirection(g tag) {
	switch {
	case t.way != Nameless:
	case g == up:
		t.way = OpenGL
	case g == down:
		t.way = DirectX
	}
}

// joinedTag returns the tag of the last n words together.
func joinedTag(list []part, n int) tag {
	if n > len(list) {
		return noTag
	}
	if w := joined(list, n); w != nil {
		return w.tag
	}
	return noTag
}
