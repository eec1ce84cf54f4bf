package source

import (
	"bytes"
	"fmt"
	"strings"
)

// foreign recognizes pictures that other programs have to convert first, and says how a
// rule does that.
func foreign(head []byte) error {
	var name, program string
	switch {
	case isMedia(head, "avif", "avis"):
		name, program = "AVIF", "avifdec"
	case isMedia(head, "heic", "heix", "hevc", "heim", "heis"):
		name, program = "HEIC", "heif-convert"
	case bytes.HasPrefix(head, []byte("\xff\x0a")), bytes.HasPrefix(head, []byte("\x00\x00\x00\x0cJXL \r\n\x87\n")):
		name, program = "JPEG XL", "djxl"
	case isSVG(head):
		name, program = "SVG", "rsvg-convert"
	default:
		return nil
	}
	return fmt.Errorf(`%s pictures are not read; have a rule run %s on it with outputs = ["{stem}.png"], and a rule with from = "artifacts" cook that`, name, program)
}

// isMedia recognizes files of the ISO base media format by their major brand (ISO/IEC
// 14496-12, section 4.3).
func isMedia(head []byte, brands ...string) bool {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return false
	}
	for _, b := range brands {
		if string(head[8:12]) == b {
			return true
		}
	}
	return false
}

// isSVG looks for the root element behind what XML may start with.
func isSVG(head []byte) bool {
	text := strings.TrimLeft(string(head[:min(len(head), 1024)]), "\ufeff \t\r\n")
	return strings.HasPrefix(text, "<svg") ||
		(strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<!--") || strings.HasPrefix(text, "<!DOCTYPE svg")) && strings.Contains(text, "<svg")
}
