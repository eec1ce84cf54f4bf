package mp3

import (
	"encoding/binary"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
)

// userTexts returns the user-defined texts (TXXX) of the ID3v2 tags at the start of a file, such as
// LOOPSTART, by name in upper case. It leaves out compressed and encrypted texts.
func userTexts(data []byte) vorbiscomment.List {
	texts := vorbiscomment.List{}
	end := skipTags(data)
	for at := 0; at < end; {
		size := synchsafe(data[at+6 : at+10])
		body := data[at+10 : at+10+size]
		if version := data[at+3]; version >= 2 && version <= 4 && data[at+5]&0x40 == 0 { // no extended header
			readFrames(texts, body, version)
		}
		at += 10 + size
	}
	return texts
}

// readFrames reads the frames of a tag.
func readFrames(texts vorbiscomment.List, body []byte, version byte) {
	id, head := "TXXX", 10
	if version == 2 {
		id, head = "TXX", 6
	}
	for len(body) > head && body[0] != 0 {
		size := 0
		switch version {
		case 2:
			size = int(body[3])<<16 | int(body[4])<<8 | int(body[5])
		case 3:
			size = int(binary.BigEndian.Uint32(body[4:]))
		case 4:
			size = synchsafe(body[4:8])
		}
		if size < 1 || size > len(body)-head {
			return
		}
		plain := version == 2 || body[9] == 0
		if frame := body[head : head+size]; plain && string(body[:len(id)]) == id {
			name, value, _ := strings.Cut(decodeText(frame[0], frame[1:]), "\x00")
			name, value = strings.ToUpper(name), strings.TrimRight(value, "\x00")
			if _, ok := texts[name]; !ok {
				texts[name] = value
			}
		}
		body = body[head+size:]
	}
}

// decodeText decodes the text of a frame. Names and numbers of loops are ASCII, so other
// characters of UTF-16 become question marks, and bytes of Latin-1 stay.
func decodeText(encoding byte, p []byte) string {
	if encoding != 1 && encoding != 2 {
		return string(p)
	}
	order := binary.ByteOrder(binary.BigEndian)
	var text strings.Builder
	for ; len(p) >= 2; p = p[2:] {
		switch c := order.Uint16(p); {
		case c == 0xfeff: // a byte order mark in the right order
		case c == 0xfffe:
			order = binary.LittleEndian
		case c < 0x80:
			text.WriteByte(byte(c))
		default:
			text.WriteByte('?')
		}
	}
	return text.String()
}

// synchsafe returns a number of four times seven bits.
func synchsafe(p []byte) int {
	return int(p[0]&0x7f)<<21 | int(p[1]&0x7f)<<14 | int(p[2]&0x7f)<<7 | int(p[3]&0x7f)
}
