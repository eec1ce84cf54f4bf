package role

import (
	"slices"
	"strconv"
	"strings"
)

// A Change is the effect of an image's neighbors on the meaning of the image. The zero value changes
// nothing.
type Change struct {
	From Name // meaning of the file name alone
	To   Name // meaning of the file name among its neighbors
}

// Settle returns the meaning of an image. n is the meaning of its path, or the meaning that a rule
// sets. c is the result of OfNeighbors for the image. It has no effect if n is not the meaning of the
// file name, or if the path alone determines the meaning.
func (n Name) Settle(c Change) Name {
	switch {
	case !n.AsksNeighbors():
		return n
	case c != Change{} && n == c.From:
		return c.To
	case n == PerhapsNumbered || n == PerhapsMap:
		return Nameless
	}
	return n
}

// AsksNeighbors reports whether the meaning of an image depends on the other images in its
// directory.
func (n Name) AsksNeighbors() bool {
	switch n {
	case Nameless, Numbered, Letter, Animations, PerhapsNumbered, PerhapsMap,
		Colors, Packed, Heights, Normals, PerhapsNormal:
		return true
	}
	return false
}

// OfNeighbors takes the names of all images in a directory. It returns a change for each image
// for which these names change the result of Name.Settle:
//
//   - A number counts frames if its family has a number that is neither a size nor a UDIM tile.
//   - A letter means nothing if it belongs to an alphabet ("key_m" beside "key_k" and "key_l"), and a short word means nothing in a list of codes ("flag_nor" beside the flags of other countries). A letter alone means a map only if the bare names of maps are a good part of the directory.
//   - The word "normal" only suggests a normal map if the directory has no other map of the surface, and another image differs only in this word ("normal" beside "small").
//   - A short word means a map if the directory has another map of the surface ("wall_r" beside "wall_n"). But it does not mean a map if another image differs only in a word of the same length ("door_r" beside "door_l").
//   - A word for a map needs no separator if the directory has the image without this word ("earthbump" beside "earth").
//   - Images without a meaning are sprites or interface elements if enough other images in the directory are sprites or interface elements. Frames among many images without a meaning are not sprites.
//   - An image without a meaning beside a height map of a terrain may hold codes.
func OfNeighbors(names []string) map[string]Change {
	d := readDirectory(names)
	settled := make([]Name, len(names))
	for i := range names {
		settled[i] = d.ofImage(i)
	}
	d.shareKind(settled)
	said := map[string]Change{}
	for i, name := range names {
		if path := OfPath(name); path.AsksNeighbors() && settled[i] != path.Settle(Change{}) {
			said[name] = Change{path, settled[i]}
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
	// ends maps the beginnings of names to the short words that follow: the last word before the
	// tail, and the words in the tail.
	ends   map[string][]string
	varied map[string]bool  // beginnings of names before a word that cannot be a map
	digits []string         // names that consist of one digit
	lists  map[listKey]bool // results of areList
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
	// english is true if the word is a common English word.
	english bool
}

// readDirectory splits names into words and groups them.
func readDirectory(names []string) *directory {
	d := &directory{numbers: map[string][]string{}, ends: map[string][]string{}, surfaces: map[string][]surfaceMap{}, lists: map[listKey]bool{}, bare: map[string]bool{}, varied: map[string]bool{}}
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
		for i := max(n.rest-1, 0); i < len(n.list); i++ {
			if !n.list[i].number {
				d.noteEnd(n.stem(i), n.word(i))
			}
		}
		if len(n.base) == 1 && isDigit(n.base[0]) {
			d.digits = append(d.digits, n.base)
		}
		if first, m := n.ending(); m.word != "" {
			stem := n.stem(first)
			if !slices.Contains(d.surfaces[stem], m) {
				d.surfaces[stem] = append(d.surfaces[stem], m)
			}
			d.terrain = d.terrain || stem == "" && isTerrain(m.word)
		} else {
			d.bare[n.base] = true
			d.bare[n.stem(n.rest)] = true
		}
	}
	return d
}

// noteEnd notes a word that follows the beginning of a name.
func (d *directory) noteEnd(stem, word string) {
	if len(word) <= maxCode && !slices.Contains(d.ends[stem], word) {
		d.ends[stem] = append(d.ends[stem], word)
	}
	d.varied[stem] = d.varied[stem] || !mayBeMap(word)
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

// word returns a word of a name, in lower case.
func (n *imageName) word(i int) string { return n.base[n.list[i].at:][:len(n.list[i].text)] }

// ending finds the word at the end of a name. It returns the index of the word's first part, and
// the table's entry for the word.
func (n *imageName) ending() (first int, m surfaceMap) {
	list := n.list[:n.rest]
	found, _ := ofEnd(list, n.tail, n.rest < len(n.list) && n.list[n.rest].before == 0, beside)
	if found.end == 0 {
		return 0, surfaceMap{}
	}
	w := joined(list, found.end)
	return len(list) - found.end, surfaceMap{w.text, found.name, w.flags&paired != 0, w.flags&english != 0}
}

// ofImage returns the meaning of an image, based on its family and its surface.
func (d *directory) ofImage(i int) Name {
	n := &d.images[i]
	v := view{counts: d.countsFrames(n), pair: alone}
	switch {
	case d.isListed(n):
		v.pair = listed
	case d.isMap(n):
		v.pair = beside
	}
	name, _ := ofPath(n.file, v)
	if name == Normals && v.pair == alone && d.onlySuggestsNormals(n) {
		return PerhapsNormal
	}
	if name == Nameless || name == Numbered {
		if glued := d.gluedMap(n); glued != Nameless {
			return glued
		}
	}
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
	return d.hasOtherMap(stem, own.word)
}

// gluedMap returns the meaning of the map at the end of a word without a separator, such as
// "earthbump". The image without this map ("earth") must be in the directory. Words of colors and
// masks are ignored, because "sunglow" and "gasmask" are things.
func (d *directory) gluedMap(n *imageName) Name {
	last := n.rest - 1
	if last < 0 {
		return Nameless
	}
	for at, end := n.list[last].at, n.list[last].at+len(n.list[last].text); end-at > minGlued; {
		at++
		w := joined([]part{{text: n.base[at:end]}}, 1)
		if w == nil || w.flags&atEnd == 0 || w.flags&(letter|whole|frames|paired) != 0 || w.name == Colors || w.name == Masked || !isSurface(w.name) {
			continue
		}
		stem := n.base[:at]
		switch {
		case !d.bare[stem] && !d.hasOtherMap(stem, w.text):
		case w.name == Normals:
			return PerhapsNormal
		default:
			return w.name
		}
	}
	return Nameless
}

// hasOtherMap reports whether the directory has a map of a surface whose last word is not the given
// word.
func (d *directory) hasOtherMap(stem, word string) bool {
	return slices.ContainsFunc(d.surfaces[stem], func(m surfaceMap) bool {
		return m.word != word && !m.pair && isSurface(m.name)
	})
}

// onlySuggestsNormals reports whether the word for a normal map at the end of a name may mean
// something else. The word is English or short, another image differs only in the last word
// ("small" beside "normal", "flag_fra" beside "flag_nor"), and the directory has no map of the surface.
func (d *directory) onlySuggestsNormals(n *imageName) bool {
	first, own := n.ending()
	stem := n.stem(first)
	return (own.english || len(own.word) <= maxCode) && !n.tail.sized && !unreal(n.list) &&
		!(stem != "" && d.bare[stem]) && !d.hasOtherMap(stem, own.word) &&
		d.varied[stem]
}

// The names in a directory form a list if the words at their ends are all letters of an alphabet, or
// are codes of countries or languages.
const (
	alphabetRun = 3 // fewest consecutive letters in an alphabet
	maxCode     = 3 // longest code
	fewestCodes = 8 // fewest words in a list of codes that cannot be maps
	minGlued    = 4 // shortest word for a map without a separator
	mapShare    = 5 // minimum share of bare names of maps: one in five images
)

// A listKey identifies the words of one length that follow the same beginning of a name.
type listKey struct {
	stem   string
	length int
}

// isListed reports whether the last word of a name belongs to a list. Then the word means nothing.
func (d *directory) isListed(n *imageName) bool {
	last := n.rest - 1
	if last < 0 || n.list[last].number || len(n.list[last].text) > maxCode {
		return false
	}
	key := listKey{n.stem(last), len(n.list[last].text)}
	is, ok := d.lists[key]
	if !ok {
		is = d.areList(key)
		d.lists[key] = is
	}
	return is
}

// areList reports whether words at the ends of names form a list.
func (d *directory) areList(key listKey) bool {
	switch words := d.ends[key.stem]; {
	case key.length > 1:
		return isCodeList(words, key.length)
	case key.stem == "":
		return isAlphabet(words) || isAlphabet(d.digits) || !d.hasLetterMaps()
	default:
		return isAlphabet(words)
	}
}

// hasLetterMaps reports whether the one-letter names of a directory may be the maps of a surface. The
// directory must have several bare names of maps, and a good part of its images must have such names.
func (d *directory) hasLetterMaps() bool {
	maps, known := 0, false
	for i := range d.images {
		if n := &d.images[i]; n.rest == 1 && len(n.list[0].text) == 1 && (len(n.list) == 1 || n.list[1].before != 0) {
			maps++
			known = known || isWordOfMap(n.word(0))
		}
	}
	for _, m := range d.surfaces[""] {
		if len(m.word) > 1 && isSurface(m.name) {
			maps++
			known = true
		}
	}
	return known && maps > 1 && mapShare*maps >= len(d.images)
}

// isAlphabet reports whether the one-letter words have three consecutive letters or digits. At least
// one of the three must not be the name of a map.
func isAlphabet(words []string) bool {
	var there [256]bool
	for _, word := range words {
		if len(word) == 1 {
			there[word[0]] = true
		}
	}
	run, maps := 0, 0
	for c, ok := range there {
		if !ok {
			run, maps = 0, 0
			continue
		}
		run++
		if isWordOfMap(string(rune(c))) {
			maps++
		}
		if run >= alphabetRun && maps < run {
			return true
		}
	}
	return false
}

// isCodeList reports whether most words of a length cannot be the names of maps, and there are many.
func isCodeList(words []string, length int) bool {
	codes, maps := 0, 0
	for _, word := range words {
		switch {
		case len(word) != length:
		case mayBeMap(word):
			maps++
		default:
			codes++
		}
	}
	return codes >= fewestCodes && codes > maps
}

// isWordOfMap reports whether a word at the end of a name may mean a map.
func isWordOfMap(word string) bool {
	w := joined([]part{{text: word}}, 1)
	return w != nil && w.flags&atEnd != 0
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
