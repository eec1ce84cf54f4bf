package source

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/assetcook/assetcook/internal/detmath"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A gAMA chunk holds the encoding exponent of light, multiplied by 100000.
const (
	gammaUnit = 100000
	// sRGBGamma is the exponent that means sRGB by convention. Images with this exponent are
	// treated as sRGB. The sRGB curve differs from a power function near black, where it is linear.
	sRGBGamma = 45455
	// leastGamma and mostGamma are the limits of plausible exponents.
	leastGamma, mostGamma = gammaUnit / 10, gammaUnit * 10
)

// applicable returns gamma, or 0 if gamma is implausible or within 5 % of sRGB's. libpng has the
// same tolerance of 5 %.
func applicable(gamma int64) int {
	if gamma < leastGamma || gamma > mostGamma || gamma*100 > sRGBGamma*95 && gamma*100 < sRGBGamma*105 {
		return 0
	}
	return int(gamma)
}

// convertToSRGB converts the colors of m to sRGB. The colors are linear light raised to an
// exponent, and gamma is 100000 times this exponent.
func convertToSRGB(ctx context.Context, m *pixmap.Map, gamma int) error {
	if m.Pix16 != nil {
		return applyTable(ctx, m.Pix16, gammaTable[uint16](math.MaxUint16, gamma))
	}
	return applyTable(ctx, m.Pix8, gammaTable[uint8](math.MaxUint8, gamma))
}

// applyTable replaces every color of pix by its table entry. It does not change alpha.
func applyTable[T uint8 | uint16](ctx context.Context, pix, table []T) error {
	const block = 4 << 16 // number of values between two checks of the context
	for len(pix) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := pix[:min(block, len(pix))]
		pix = pix[len(part):]
		for i := 0; i < len(part); i += 4 {
			part[i], part[i+1], part[i+2] = table[part[i]], table[part[i+1]], table[part[i+2]]
		}
	}
	return nil
}

// gammaTable returns the sRGB value of each stored value from 0 to top.
func gammaTable[T uint8 | uint16](top int, gamma int) []T {
	table := make([]T, top+1)
	for i := range table {
		light := detmath.Pow(float64(i)/float64(top), gammaUnit/float64(gamma))
		table[i] = T(math.Floor(float64(encodeSRGB(light)*float64(top)) + 0.5))
	}
	return table
}

// encodeSRGB is the transfer function of IEC 61966-2-1. It takes and returns values from 0 to 1.
func encodeSRGB(light float64) float64 {
	if light <= 0.0031308 {
		return 12.92 * light
	}
	return min(1, float64(1.055*detmath.Pow(light, 1/2.4))-0.055)
}

// maxProfile is the maximum number of bytes of a profile that are read. Display profiles have a few
// kilobytes, and the description is near the start.
const maxProfile = 64 << 10

// pngProfile checks the body of an iCCP chunk, which has a name, a zero byte, the compression
// method 0, and zlib data. It returns the result of judgeProfile.
func pngProfile(body []byte) string {
	end := bytes.IndexByte(body, 0)
	if end < 0 || end+2 > len(body) {
		return "the ICC profile is damaged"
	}
	name, packed := body[:end], body[end+2:]
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "the ICC profile is damaged"
	}
	defer r.Close()
	// If the profile is truncated, the readable part determines the result.
	icc, _ := io.ReadAll(io.LimitReader(r, maxProfile))
	return judgeProfile(icc, string(name))
}

// judgeProfile returns a line that names an ICC profile, or "" if the profile is sRGB. In
// ICC.1:2010, a header of 128 bytes precedes a list of tags, and the tag "desc" describes the
// profile. If there is no description, judgeProfile uses the given name.
func judgeProfile(icc []byte, name string) string {
	if d := profileDescription(icc); d != "" {
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

// profileDescription returns the text of a profile's tag "desc", or "".
func profileDescription(icc []byte) string {
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

// profileText reads the text of a "desc" tag. In version 2 (type "desc"), this is ASCII after its
// length. In version 4 (type "mluc"), it is UTF-16 in several languages, and profileText returns
// the first.
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
		// The tag has the number and the size of entries, and then the language, length and offset
		// of the first entry.
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
