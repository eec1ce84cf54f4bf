package source

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// maxProfile is how much of a profile is looked at. Those of screens have some
// kilobytes; the description stands at the start.
const maxProfile = 64 << 10

// pngProfile judges the body of an iCCP chunk: a name, a zero, the method 0,
// zlib data.
func pngProfile(body []byte) string {
	end := bytes.IndexByte(body, 0)
	if end < 0 || end+2 > len(body) {
		return "damaged ICC profile"
	}
	name, packed := body[:end], body[end+2:]
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "damaged ICC profile"
	}
	defer r.Close()
	// What is torn is judged by as much of it as there is.
	icc, _ := io.ReadAll(io.LimitReader(r, maxProfile))
	return judgeProfile(icc, string(name))
}

// judgeProfile returns a line that names an ICC profile, or "" if it is one of
// sRGB. The format is that of ICC.1:2010: after a header of 128 bytes there is
// a list of tags, of which "desc" describes the profile. The name serves if it
// does not.
func judgeProfile(icc []byte, name string) string {
	if d := description(icc); d != "" {
		name = d
	}
	name = strings.TrimSpace(strings.ToValidUTF8(name, "?"))
	if strings.Contains(name, "sRGB") {
		return ""
	}
	const longest = 60
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "..."
	}
	if name == "" {
		return "ICC profile without a name"
	}
	return fmt.Sprintf("ICC profile %q", name)
}

// description returns the text of a profile's tag "desc", "" if there is none.
func description(icc []byte) string {
	const listAt, entry, mostTags = 128, 12, 100
	if len(icc) < listAt+4 || string(icc[36:40]) != "acsp" {
		return ""
	}
	count := min(mostTags, binary.BigEndian.Uint32(icc[listAt:]))
	for list := icc[listAt+4:]; count > 0 && len(list) >= entry; list, count = list[entry:], count-1 {
		if string(list[:4]) != "desc" {
			continue
		}
		at, size := uint64(binary.BigEndian.Uint32(list[4:])), uint64(binary.BigEndian.Uint32(list[8:]))
		if at > uint64(len(icc)) {
			return ""
		}
		return profileText(icc[at:min(at+size, uint64(len(icc)))])
	}
	return ""
}

// profileText reads a text of one of two types: "desc" of version 2, which is
// ASCII after its length, or "mluc" of version 4, which is UTF-16 in several
// languages, of which the first is taken.
func profileText(tag []byte) string {
	if len(tag) < 28 {
		return ""
	}
	word := func(i int) uint64 { return uint64(binary.BigEndian.Uint32(tag[i:])) }
	end := uint64(len(tag))
	switch string(tag[:4]) {
	case "desc":
		text, _, _ := bytes.Cut(tag[12:min(12+word(8), end)], []byte{0})
		return string(text)
	case "mluc":
		// Number and size of entries; language, length and place of the first.
		length, at := word(20), min(word(24), end)
		text := tag[at:min(at+length, end)]
		units := make([]uint16, len(text)/2)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(text[2*i:])
		}
		return strings.TrimRight(string(utf16.Decode(units)), "\x00")
	}
	return ""
}
