package jsontext

import "bytes"

// HalfCharacter returns the offset of the first escape, in the string that starts
// at offset i of valid text, that is one half of a surrogate pair without the
// other: JSON lets it stand (RFC 8259, section 8.2), but no character is meant.
func HalfCharacter(text []byte, i int) (offset int, found bool) {
	end := StringEnd(text, i)
	for i++; i < end; i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] != 'u' {
			continue
		}
		unit := hex4(text[i+1:])
		switch {
		case unit&^0x3ff == 0xd800 && bytes.HasPrefix(text[i+5:end], []byte(`\u`)) && hex4(text[i+7:])&^0x3ff == 0xdc00:
			i += 6
		case unit&^0x7ff == 0xd800:
			return i - 1, true
		}
	}
	return 0, false
}
