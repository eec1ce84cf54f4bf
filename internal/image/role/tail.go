package role

// A tail describes the words after the meaningful ones.
type tail struct {
	numbered bool   // it has a number that counts pictures
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
// pictures if counts is set.
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
			if says(before) {
				return rest, t
			}
			n := 0
			for _, k := range [...]int{2, 1} {
				if w := joinedTag(before, k); w != 0 {
					n = k
					t.note(w)
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

// says reports whether the last words together are a compound of the table, as in "BumpMap".
func says(list []part) bool {
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

// A tag is a word at the end of a name that is not a role.
type tag uint8

const (
	noTag tag = iota
	idle
	up   // green points up, as in OpenGL
	down // green points down, as in Direct3D
)

func (t *tail) note(g tag) {
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

// The places where a word counts, and its weight.
const (
	atEnd    = 1 << iota // after all other words except tags
	front                // before all other words
	anywhere             // between other words
	inFolder             // as the last word of a directory
	english              // overridden by a directory: "ui/normal"
	whole                // only after a separator: "wall_metal", not "wallMetal"
	letter               // only after an underscore
	frames               // only before a number
)

// A word has a meaning at some places of a name.
type word struct {
	text  string
	name  Name
	flags uint16
	tag   tag
}
