package obj

import "bytes"

// Measure returns the most bytes that Convert holds for a model, its text and results
// included, and the most corners that its triangles can have.
func Measure(model []byte) (memory, corners int64) {
	var coordinates, parts, vertices, painted int64
	colored := false
	last := kind{}
	for rest := model; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		line = bytes.TrimLeft(line, blanks)
		if len(line) == 0 {
			continue
		}
		switch line[0] {
		case 'v':
			coordinates += 3
			vertices++
			colored = colored || bytes.HasSuffix(bytes.TrimRight(line, blanks), []byte{'\\'}) || len(bytes.Fields(line)) > 6
			continue
		case '#':
			if bytes.HasPrefix(line, []byte(paint)) {
				colored = true
				painted += int64(len(line))
			}
		case 'o', 'g', 'u':
			parts++
			continue
		}
		k, words := kindOf(line)
		if k != last {
			parts++
			last = k
		}
		if k.letter == 'f' {
			corners += 3 * max(words-3, 0) // without the f, and with two triangles less
		} else {
			corners += 3 * words // of whatever line: it may go on that before
		}
	}
	cornerCost := int64(2*12 + 32)
	if colored {
		coordinates += 4 * vertices
		cornerCost += 16
	}
	// A corner takes 12 bytes in a list that may have been copied as it grew, and 32 in the
	// buffer, or 48 with colors. Normals of length 0 may make two parts of one.
	return int64(len(model)) + 8*coordinates + painted + corners*cornerCost + 2*(parts+1)*partCost, corners
}

// partCost is about the memory of a part: a node, a mesh, three accessors and views, as
// values and as text.
const partCost = 6 << 10

// A kind is what lines of elements that follow each other in one part have in common.
type kind struct {
	letter       byte
	uvs, normals bool
}

// kindOf returns the kind of a line and counts its words.
func kindOf(line []byte) (k kind, words int64) {
	k = kind{letter: line[0], uvs: true, normals: true}
	for len(line) > 0 {
		end := bytes.IndexAny(line, blanks)
		if end < 0 {
			end = len(line)
		}
		if words > 0 && end > 0 {
			_, rest, _ := bytes.Cut(line[:end], []byte{'/'})
			uv, normal, _ := bytes.Cut(rest, []byte{'/'})
			k.uvs = k.uvs && len(uv) > 0
			k.normals = k.normals && len(normal) > 0
		}
		if end > 0 {
			words++
		}
		line = line[min(end+1, len(line)):]
	}
	return k, words
}
