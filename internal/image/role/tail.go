package role

// A tail is what stands behind the words that mean something.
type tail struct {
	numbered bool   // a number that counts pictures
	sized    bool   // "_2k"
	digits   string // of a number that may be a size or a tile, "" for none
	way      Name   // OpenGL or DirectX, Nameless if neither is said
}

// points returns a normal map's name with the way that its green points.
func (t tail) points(n Name) Name {
	if t.way != Nameless {
		return t.way
	}
	return n
}

// strip returns how many words are left when numbers, sizes, programs, levels of detail,
// versions and words for "texture" are taken off the end of a name. Numbers that may be sizes
// or tiles count pictures if counts is set.
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
			if n == 0 || n == rest { // one that is all of the name is no tag
				return rest, t
			}
			rest -= n
		}
	}
	return rest, t
}

// says reports whether the last words are of the table together, as in "BumpMap".
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

// isTile reports whether digits may be a tile of UDIM.
func isTile(digits string) bool {
	return len(digits) == 4 && digits >= "1001" && digits <= "1199"
}

// A tag is what a word at the end of a name says that is no role.
type tag uint8

const (
	noTag tag = iota
	idle
	up   // green points up, as OpenGL has it
	down // and down, as Direct3D has it
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

// joinedTag returns what the last n words say that is no role.
func joinedTag(list []part, n int) tag {
	if n > len(list) {
		return noTag
	}
	if w := joined(list, n); w != nil {
		return w.tag
	}
	return noTag
}
