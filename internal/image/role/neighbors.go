package role

import (
	"slices"
	"strconv"
	"strings"
)

// Settle returns the meaning of an image. n is the meaning of its path. neighbors is the result of
// OfNeighbors or Nameless; it has no effect if the path alone determines the meaning.
func (n Name) Settle(neighbors Name) Name {
	switch {
	case !n.AsksNeighbors():
		return n
	case neighbors != Nameless:
		return neighbors
	case n == PerhapsNumbered || n == PerhapsMap:
		return Nameless
	}
	return n
}

// AsksNeighbors reports whether the meaning of an image depends on the other images in its
// directory.
func (n Name) AsksNeighbors() bool {
	switch n {
	case Nameless, Numbered, Letter, Animations, PerhapsNumbered, PerhapsMap:
		return true
	}
	return false
}

// OfNeighbors takes the names of all images in a directory. It returns the meaning of each image
// for which these names change the result of Name.Settle:
//
//   - A number counts frames if its family has a number that is neither a size nor a UDIM tile.
//   - A short word means a map if the directory has another map of the surface ("wall_r" beside "wall_n"). But it does not mean a map if another image differs only in a word of the same length ("door_r" beside "door_l").
//   - Images without a meaning are sprites or interface elements if enough other images in the directory are sprites or interface elements. Frames among many images without a meaning are not sprites.
//   - An image without a meaning beside a height map of a terrain may hold codes.
func OfNeighbors(names []string) map[string]Name {
	d := readDirectory(names)
	settled := make([]Name, len(names))
	for i := range names {
		settled[i] = d.ofImage(i)
	}
	d.shareKind(settled)
	said := map[string]Name{}
	for i, name := range names {
		if path := OfPath(name); path.AsksNeighbors() && settled[i] != path.Settle(Nameless) {
			said[name] = settled[i]
		}
	}
	return said
}

// A directory holds the names of its images, in the forms that OfNeighbors compares.
type directory struct {
	images []imageName
	// numbers maps families to the numbers in their names. The key of a family is a name without
	// its number.
	numbers map[string][]string
	// ends maps the beginnings of names to their last words.
	ends map[string][]string
	// surfaces maps the name of each surface to its maps.
	surfaces map[string][]surfaceMap
	bare     map[string]bool // names without a word for a map, such as "normal"
	terrain  bool            // true if there is a height map of a terrain
}

// An imageName is the name of an image without its extension.
type imageName struct {
	file string
	base string // lower-case name without the extension
	list []part
	rest int // number of words before the tail
	tail tail
}

// A surfaceMap is a word at the end of a name that may mean a map, such as "r" in "wall_r".
type surfaceMap struct {
	word string
	name Name
	pair bool // true if the word means a map only if there is another map of the surface
}

// readDirectory splits names into words and groups them.
func readDirectory(names []string) *directory {
	d := &directory{numbers: map[string][]string{}, ends: map[string][]string{}, surfaces: map[string][]surfaceMap{}, bare: map[string]bool{}}
	for _, file := range names {
		base := withoutExt(file)
		if len(base) > maxName {
			base = ""
		}
		var room [maxParts]part
		low := []byte(base)
		lowerWord(low)
		n := imageName{file: file, base: string(low), list: slices.Clone(splitWords(room[:0], base))}
		n.rest, n.tail = strip(n.list, false)
		d.images = append(d.images, n)
		for _, p := range n.list {
			if p.number {
				key := n.family(p)
				d.numbers[key] = append(d.numbers[key], p.text)
			}
		}
		if last, ok := n.lastWord(); ok {
			stem := n.stem(last)
			d.ends[stem] = append(d.ends[stem], n.base[n.list[last].at:][:len(n.list[last].text)])
		}
		if first, m := n.ending(); m.word != "" {
			stem := n.stem(first)
			d.surfaces[stem] = append(d.surfaces[stem], m)
			d.terrain = d.terrain || stem == "" && isTerrain(m.word)
		} else {
			d.bare[n.base] = true
			d.bare[n.stem(n.rest)] = true
		}
	}
	return d
}

// isTerrain reports whether a word indicates a height map of a terrain.
func isTerrain(word string) bool {
	return slices.Contains([]string{"dem", "elev", "elevation", "heightmap", "heights", "hmap"}, word)
}

// shown lists words for images that are only displayed. The program that reads the height map does
// not read them as data.
var shown = []string{"background", "logo", "minimap", "preview", "screenshot", "splash", "thumb", "thumbnail", "title"}

// family returns the name without the given number.
func (n *imageName) family(p part) string {
	return n.base[:p.at] + "\x00" + n.base[p.at+len(p.text):] + "\x00" + strings.ToLower(n.file[len(n.base):])
}

// stem returns the part of a name before a word, without trailing separators.
func (n *imageName) stem(word int) string {
	if word >= len(n.list) {
		return n.base
	}
	return strings.TrimRight(n.base[:n.list[word].at], "_-. ")
}

// lastWord returns the index of the last word that is not a number.
func (n *imageName) lastWord() (i int, ok bool) {
	for i = len(n.list) - 1; i >= 0; i-- {
		if !n.list[i].number {
			return i, true
		}
	}
	return 0, false
}

// ending finds the word at the end of a name. It returns the index of the word's first part, and
// the table's entry for the word.
func (n *imageName) ending() (first int, m surfaceMap) {
	list := n.list[:n.rest]
	found, _ := ofEnd(list, n.tail, n.rest < len(n.list) && n.list[n.rest].before == 0, beside)
	if found.end == 0 {
		return 0, surfaceMap{}
	}
	w := joined(list, found.end)
	return len(list) - found.end, surfaceMap{w.text, found.name, w.flags&paired != 0}
}

// ofImage returns the meaning of an image, based on its family and its surface.
func (d *directory) ofImage(i int) Name {
	n := &d.images[i]
	v := view{counts: d.countsFrames(n), pair: alone}
	if d.isMap(n) {
		v.pair = beside
	}
	name, _ := ofPath(n.file, v)
	if name == Nameless && d.terrain && len(n.list) == 1 && !slices.Contains(shown, n.base) {
		return Codes
	}
	return name
}

// countsFrames reports whether the number in an image's name counts frames. It does if the family
// has a number that is not a size. If the number may be a tile, the family must have a number that
// is not a tile.
func (d *directory) countsFrames(n *imageName) bool {
	digits := n.tail.digits
	if digits == "" {
		return false
	}
	at := slices.IndexFunc(n.list, func(p part) bool { return p.number && p.text == digits })
	for i := at + 1; i < len(n.list); i++ {
		if n.list[i].number && n.list[i].text == digits {
			at = i
		}
	}
	tiles := isTile(digits)
	return slices.ContainsFunc(d.numbers[n.family(n.list[at])], func(number string) bool {
		return !isUsualSize(number) && !(tiles && isTile(number))
	})
}

// isUsualSize reports whether digits may be one of several usual sizes in pixels. These are at
// least 8, and a power of two or three times a power of two.
func isUsualSize(digits string) bool {
	n, err := strconv.Atoi(digits)
	if err != nil || n < 8 {
		return false
	}
	for n%2 == 0 {
		n /= 2
	}
	return n == 1 || n == 3
}

// isMap reports whether the short word at the end of a name means a map of a surface.
func (d *directory) isMap(n *imageName) bool {
	first, own := n.ending()
	if !own.pair {
		return false
	}
	stem := n.stem(first)
	if len(own.word) <= 2 && slices.ContainsFunc(d.ends[stem], func(word string) bool { return len(word) == len(own.word) && !mayBeMap(word) }) {
		return false // "_l" beside "_r" means left; two letters may also be the code of a country
	}
	if unreal(n.list) || stem != "" && d.bare[stem] {
		return true
	}
	return slices.ContainsFunc(d.surfaces[stem], func(m surfaceMap) bool {
		return m.word != own.word && !m.pair && isSurface(m.name)
	})
}

// isSurface reports whether a meaning is a map of a surface.
func isSurface(n Name) bool {
	switch n {
	case Colors, Packed, Occlusion, Masked, Normals, OpenGL, DirectX, Heights, PerhapsNormal, PerhapsData:
		return true
	}
	return false
}

// mayBeMap reports whether a short word may be the name of a map: a known suffix or a digit.
func mayBeMap(word string) bool {
	w := joined([]part{{text: word}}, 1)
	return w != nil && (w.flags&atEnd != 0 || w.tag != noTag) || isDigit(word[0])
}

// A directory holds sprites if at least fewestFrames images are sprites. Also, at least one in
// frameShare of the sprites and the images without a meaning must be a sprite. The same applies to
// interface elements.
const (
	fewestFrames = 2
	frameShare   = 4 // minimum share: one in four images
	fewestUIs    = 3
	uiShare      = 3 // minimum share: one in three images
)

// shareKind gives images without a meaning the meaning of the sprites or interface elements beside
// them. So all parts of a character or an interface are scaled in the same way. If there are too
// few sprites and too few interface elements, frames of animations become Numbered. A directory
// with maps is left unchanged.
func (d *directory) shareKind(settled []Name) {
	var sprites, ui, neutral int
	for _, name := range settled {
		switch name {
		case Animations, Sprites:
			sprites++
		case UIs:
			ui++
		case Nameless, Numbered:
			neutral++
		case Packed, Occlusion, Normals, OpenGL, DirectX, Heights, PerhapsNormal:
			return // the directory holds maps of surfaces
		}
	}
	of, kind := []Name{Nameless, Numbered}, Sprites
	switch {
	case sprites >= fewestFrames && frameShare*sprites >= sprites+neutral:
	case ui >= fewestUIs && uiShare*ui >= ui+neutral:
		kind = UIs
	case neutral > 0:
		of, kind = []Name{Animations}, Numbered
	}
	for i, name := range settled {
		if slices.Contains(of, name) {
			settled[i] = kind
		}
	}
}
