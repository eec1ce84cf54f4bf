package manifest

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

// appendAsset appends the line of an asset, without what separates lines.
func appendAsset(b []byte, a *Asset) []byte {
	b = append(b, '{')
	b = appendName(b, "source", a.Source)
	b = appendTarget(b, "target", a.Target)
	if a.ID != "" {
		b = append(b, `,"id":"`...)
		b = append(b, a.ID...)
		b = append(b, '"')
	}
	b = append(b, `,"outputs":[`...)
	for i := range a.Outputs {
		if i > 0 {
			b = append(b, ',')
		}
		o := &a.Outputs[i]
		b = append(b, '{')
		b = appendName(b, "path", o.Path)
		b = append(b, `,"size":`...)
		b = strconv.AppendInt(b, o.Size, 10)
		b = append(b, `,"blake3":"`...)
		b = hex.AppendEncode(b, o.BLAKE3[:])
		b = append(b, `"}`...)
	}
	return append(b, "]}"...)
}

// appendPart appends the line of a part in the root.
func appendPart(b []byte, p *part) []byte {
	b = append(b, '{')
	b = appendName(b, "first", p.first.source)
	b = appendTarget(b, "first_target", p.first.target)
	b = append(b, `,"path":`...)
	b = appendText(b, p.name)
	b = append(b, `,"assets":`...)
	b = strconv.AppendInt(b, p.assets, 10)
	return append(b, '}')
}

func appendTarget(b []byte, field, target string) []byte {
	if target == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, field...)
	b = append(b, `":`...)
	return appendText(b, target)
}

func appendName(b []byte, field, name string) []byte {
	b = append(b, '"')
	b = append(b, field...)
	b = append(b, `":`...)
	b = appendText(b, name)
	if utf8.ValidString(name) {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, field...)
	b = append(b, `_base64":"`...)
	b = base64.StdEncoding.AppendEncode(b, []byte(name))
	return append(b, '"')
}

// appendText appends s as encoding/json writes it with SetEscapeHTML(false).
func appendText(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		if plain(s[i]) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b = append(b, s[done:i]...)
		i += size
		done = i
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
		}
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// plain reports whether a byte is a character that stands for itself in JSON.
func plain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }
