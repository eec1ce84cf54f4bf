package role

import "strings"

// These are limits on the parts of a path. Parts beyond the limits are ignored.
const (
	maxName  = 255
	maxWord  = 32
	maxJoin  = 4 // number of words in a compound such as "ambient_occlusion" or "occlusion-rough-metal"
	maxParts = 32
)

// A part is a word of a name.
type part struct {
	text   string
	at     int  // offset of the word in the name
	before byte // separator before the word; 0 for none, as inside "wallNormal"
	number bool
}

// A finding is the meaning of a name, and how certain it is.
type finding struct {
	name Name
	// sure is set if the name of a directory cannot override the meaning. For example, "roughness"
	// never means a button.
	sure bool
	// end is the number of words that have the meaning, if they are the last words of the name.
	end int
}

// A view is the information about the other images in an image's directory.
type view struct {
	counts bool // true if a number that may be a size or a tile counts frames
	pair   pairing
}

// A pairing says whether a word such as "r" in "wall_r" means a map of a surface.
type pairing uint8

const (
	unasked pairing = iota // the other images are unknown, so the meaning is PerhapsMap
	alone                  // the directory has no other map of the surface, so the letters in the name mean nothing
	beside                 // the directory has another map of the surface
	listed                 // the last word belongs to a list, such as an alphabet, so it means nothing
)

// OfPath returns the meaning of a file's path, without allocating. Words at the end of the name
// take precedence, as in "brick_wall_Normal_2k". Next are words that are clear anywhere in a name,
// as in "icon_sword", and then the names of directories, as in "ui/close". Name.Settle takes the
// other images in the directory into account.
func OfPath(path string) Name {
	name, digits := ofPath(path, view{})
	if digits != "" {
		if counted, _ := ofPath(path, view{counts: true}); counted != name {
			return PerhapsNumbered
		}
	}
	return name
}

// ofPath is like OfPath, but also considers the other images in the directory, as described by v.
// It also returns the digits of a number that may be a size or a tile.
func ofPath(path string, v view) (name Name, digits string) {
	folders, base := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folders, base = path[:i], path[i+1:]
	}
	base = withoutExt(base)
	if len(base) > maxName {
		return Nameless, ""
	}
	var room [maxParts]part
	found, digits := roleOfName(splitWords(room[:0], base), v)
	if found.sure {
		return found.name, digits
	}
	switch folder := ofFolders(folders); folder {
	case Nameless:
	case Environments, Lightmaps, LUTs: // names of models in a directory "hdri" are more precise than the directory
		if found.name == Nameless || found.name == Numbered {
			return folder, digits
		}
	default:
		return folder, digits
	}
	if found.name == Nameless && len(path)-len(folders) > 4 && strings.EqualFold(path[len(path)-4:], ".hdr") {
		return Environments, digits // light without an upper limit usually belongs to an environment
	}
	if found.name == Nameless && len(base) == 1 && isLetter(base[0]) && v.pair != listed {
		return Letter, digits
	}
	return found.name, digits
}

// withoutExt returns a file name without its extension.
func withoutExt(base string) string {
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[:i]
	}
	return base
}

// splitWords appends the words of a name to list, up to its capacity.
func splitWords(list []part, name string) []part {
	from, before := 0, byte(' ')
	flush := func(to int) {
		if to > from && len(list) < cap(list) {
			list = append(list, part{name[from:to], from, before, isDigit(name[from])})
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

// beginsWord reports whether a word begins at name[i]. A word begins at a capital after a
// lower-case letter, and at the last of several capitals before a lower-case letter ("ORMMap"). It
// also begins at the first digit of a number, and at the first letter after a number.
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

// roleOfName finds the meaning of a name from its words. It also returns the digits in the tail.
func roleOfName(list []part, v view) (finding, string) {
	rest, tail := strip(list, v.counts)
	return readWords(list, rest, tail, v.pair), tail.digits
}

// readWords finds the meaning of a name. tail describes the words after list[:rest].
func readWords(list []part, rest int, tail tail, p pairing) finding {
	found, plain := ofEnd(list[:rest], tail, rest < len(list) && list[rest].before == 0, p)
	if found.name != Nameless && !plain {
		return found
	}
	// Words that are clear anywhere override a plain word at the end: "button_normal" is a button,
	// not a normal map.
	for i := rest; i > 0; i-- {
		for n := min(2, i); n > 0; n-- {
			if w := joined(list[:i], n); w != nil && w.flags&anywhere != 0 {
				return finding{name: w.name, sure: found.name == Nameless}
			}
		}
	}
	if found.name != Nameless {
		return found
	}
	for n := min(2, len(list)); n > 0; n-- {
		if w := joined(list[:n], n); w != nil && w.flags&front != 0 {
			return finding{name: w.name, sure: true}
		}
	}
	if name := ofFront(list); name != Nameless {
		return finding{name: name}
	}
	if tail.numbered && rest > 0 {
		return finding{name: Numbered}
	}
	return finding{}
}

// ofFront returns the meaning of the first words of a name. They must be words that are usually at
// the end, as in "Normal_Plane" and "Occlusion_map_2".
func ofFront(list []part) Name {
	for n := min(2, len(list)); n > 0; n-- {
		w := joined(list[:n], n)
		switch {
		case w == nil || w.flags&atEnd == 0 || w.flags&paired != 0:
		case w.name == Normals:
			return PerhapsNormal
		case (w.name == Packed || w.name == Occlusion) && w.flags&english == 0:
			return PerhapsData
		}
	}
	return Nameless
}

// ofEnd returns the meaning of the last words of a name before the tail t, and whether they are plain
// English words. cut is set if no separator precedes the tail.
func ofEnd(list []part, t tail, cut bool, p pairing) (found finding, plain bool) {
	for n := min(maxJoin, len(list)); n > 0; n-- {
		w := joined(list, n)
		if w == nil || w.flags&(front|anywhere|inFolder) != 0 && w.flags&atEnd == 0 {
			continue
		}
		begin := list[len(list)-n]
		switch {
		case w.flags&letter != 0 && (begin.before != '_' && len(list) > 1 || cut):
			continue // "n" in "rock-n" means north, and "s1" in "world_s1" is a number
		case w.flags&frames != 0 && !t.numbered:
			continue
		case p == listed && n == 1 && len(begin.text) <= maxCode:
			continue
		case w.flags&paired != 0 && n > 1:
			continue // "r" in "castle_m_r" means the right part of the middle
		case w.flags&whole != 0 && (begin.before == 0 || len(list) == 1):
			continue // names such as "darkMetal" and "metal" do not mean maps
		}
		name := w.name
		if name == PerhapsData && (t.sized || begin.text == "ARM") {
			name = Packed // only maps of materials have names such as "planks_rough_2k"
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
		inPair := w.flags&paired != 0 && !t.sized && begin.text != "ARM"
		switch {
		case inPair && p == alone:
			continue
		case inPair && p == unasked:
			name = PerhapsMap
		}
		plain := (w.flags&(english|letter|frames) != 0 || inPair) && !t.sized && t.way == Nameless
		return finding{name, !plain, n}, plain
	}
	return finding{}, false
}

// unreal reports whether a name has the form of a texture name in Unreal Engine, such as
// "T_Rock_N".
func unreal(list []part) bool { return len(list) > 2 && list[0].text == "T" && list[1].before == '_' }

// joined returns the table's entry for the last n parts joined together, or nil.
func joined(list []part, n int) *word {
	var room [maxWord]byte
	text := room[:0]
	for _, p := range list[len(list)-n:] {
		if len(text)+len(p.text) > maxWord {
			return nil
		}
		text = append(text, p.text...)
	}
	lowerWord(text)
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

// lowerWord converts the ASCII capitals in a text to lower case.
func lowerWord(text []byte) {
	for i, c := range text {
		if isUpper(c) {
			text[i] = c + 'a' - 'A'
		}
	}
}

// ofFolders returns the meaning of the nearest directory whose name is in the table.
func ofFolders(folders string) Name {
	for folders != "" {
		i := strings.LastIndexByte(folders, '/')
		if last := folders[i+1:]; len(last) <= maxWord {
			var room [maxParts]part
			list := splitWords(room[:0], last)
			for n := min(maxJoin, len(list)); n > 0; n-- {
				if w := joined(list, n); w != nil && w.flags&inFolder != 0 && (n == len(list) || w.flags&english == 0) {
					return w.name
				}
			}
			if w := joined(list[:min(1, len(list))], min(1, len(list))); w != nil && w.flags&inFolder != 0 && isFlat(w.name) {
				return w.name // names such as "gui-qt" and "icons32"
			}
		}
		folders = folders[:max(i, 0)]
	}
	return Nameless
}

// isFlat reports whether images with this meaning are drawn unscaled.
func isFlat(n Name) bool { return n == UIs || n == Sprites || n == Fonts }

// A tail describes the last words of a name, which follow the words with the meaning.
type tail struct {
	numbered bool   // true if the name has a number that counts images
	sized    bool   // true if the name has a size such as "_2k"
	digits   string // digits of a number that may be a size or a tile, or ""
	way      Name   // OpenGL or DirectX; Nameless if the tail has neither
}

// points returns the direction of green if the tail specifies one, and otherwise n.
func (t tail) points(n Name) Name {
	if t.way != Nameless {
		return t.way
	}
	return n
}

// strip removes the tail from a name and returns the number of remaining words. The tail has
// numbers, sizes, programs, levels of detail, versions, and words for "texture". If counts is set,
// numbers that may be sizes or tiles are treated as numbers of images.
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
		case rest > 1 && list[rest-2].number && (last.text == "x" || last.text == "X"): // sizes such as 64x64 and @2x
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
			if n == 0 || n == rest { // a name never consists of a tag alone
				return rest, t
			}
			rest -= n
		}
	}
	return rest, t
}

// endsInCompound reports whether the last words joined together are a compound in the table, as
// in "BumpMap".
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

// joinedTag returns the tag for the last n words joined together.
func joinedTag(list []part, n int) tag {
	if n > len(list) {
		return noTag
	}
	if w := joined(list, n); w != nil {
		return w.tag
	}
	return noTag
}
