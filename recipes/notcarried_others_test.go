package recipes_test

import (
	"encoding/binary"

	"golang.org/x/image/font/gofont/goregular"
)

// fontWith returns a font with an additional table.
func fontWith(name string) string {
	file := goregular.TTF
	count := int(binary.BigEndian.Uint16(file[4:]))
	const header, record = 12, 16
	records := append([]byte(nil), file[header:header+count*record]...)
	for at := 8; at < len(records); at += record {
		binary.BigEndian.PutUint32(records[at:], binary.BigEndian.Uint32(records[at:])+record)
	}
	head := append([]byte(nil), file[:header]...)
	binary.BigEndian.PutUint16(head[4:], uint16(count+1))
	extra := append([]byte(name), 0, 0, 0, 0)
	extra = binary.BigEndian.AppendUint32(extra, uint32(len(file)+record))
	extra = binary.BigEndian.AppendUint32(extra, 4)
	return string(head) + string(extra) + string(records) + string(file[header+count*record:]) + "\x00\x01\x00\x00"
}

func init() {
	font := func(part string, f fate, why, table, has string) sourcePart {
		p := sourcePart{kind: "fonts", part: part, fate: f, why: why, name: "a.ttf", source: string(goregular.TTF), rule: "recipe = \"font\"\ncharset = [\"U+41-43\"]\nsize = 16", has: has}
		if table != "" {
			p.source = fontWith(table)
		}
		return p
	}
	data := func(part string, f fate, why, name, source, rule, has string) sourcePart {
		return sourcePart{kind: "data", part: part, fate: f, why: why, name: name, source: source, rule: rule, has: has}
	}
	const cbor, lut = "recipe = \"data\"\nformat = \"cbor\"", `recipe = "lut"`
	const entries = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n"
	sourceParts = append(sourceParts, []sourcePart{
		font("outlines, advances, metrics of lines", kept, "", "", "ascender"),
		font("kerning of pairs (`kern`, `GPOS`)", kept, "unless `kerning = false`", "", "kerning"),
		font("colors of glyphs (`COLR`, `CBDT`, `sbix`, `SVG`)", warned, "", "COLR", "colors of glyphs"),
		font("variations (`fvar`)", warned, "the default instance is drawn", "fvar", "variations of a variable font"),
		font("ligatures and other substitutions (`GSUB`), anchors of marks", noMeaning, "metrics are by character; engines that shape text load the font itself, which a rule with `recipe = \"copy\"` ships", "GSUB", ""),
		font("hints, names, license and signature (`fpgm`, `prep`, `name`, `DSIG`)", noMeaning, "", "DSIG", ""),
		font("characters of the font that the rule does not name", noMeaning, "", "", ""),
	}, []sourcePart{
		data("JSON: order of keys, digits of numbers", kept, "", "a.json", `{"b":1.50,"a":12345678901234567890}`, "", `{"b":1.50,"a":12345678901234567890}`),
		data("JSON: duplicate keys", refused, "", "a.json", `{"a":1,"a":2}`, "", "a"),
		data("JSON: white space; comments of `.jsonc`", noMeaning, "", "a.jsonc", "{ /* c */ }", "", ""),
		data("YAML: comments, anchors, styles of quotes", noMeaning, "aliases become copies", "a.yaml", "# c\na: &x 'y'\nb: *x\n", cbor, ""),
		data("YAML: keys that are numbers, true, false or null, in CBOR and MessagePack", warned, "they become text", "a.yaml", "1: a\n", cbor, "become strings"),
		data("YAML: such keys in JSON", noMeaning, "JSON has only text", "a.yaml", "1: a\n", `recipe = "data"`, ""),
		data("YAML: duplicate keys", refused, "", "a.yaml", "a: 1\na: 2\n", cbor, "duplicate key"),
		data("YAML: unknown tags", refused, "", "a.yaml", "a: !thing 2\n", cbor, "tag !thing is unknown"),
		data("YAML: dates", kept, "as text", "a.yaml", "a: 2001-01-01\n", cbor, "2001-01-01"),
		data("integers of more than 64 bits", kept, "in JSON, and as big numbers of CBOR", "a.yaml", "a: 123456789012345678901\n", cbor, "\xc2\x49\x06\xb1\x4e\x9f\x81\x2f\x36\x6c\x35"),
		data("TOML: dates", kept, "as text", "a.toml", "a = 2001-01-01\n", cbor, "2001-01-01"),
		data("text: byte order mark", noMeaning, "", "a.txt", "\xef\xbb\xbfa", `recipe = "text"`, ""),
		data("text: bytes that are not UTF-8", refused, "", "a.txt", "a\xff\xfeb", `recipe = "text"`, "UTF-8"),
		data("`.cube`: title, comments", noMeaning, "", "a.cube", "TITLE \"t\"\n# c\nLUT_3D_SIZE 2\n"+entries, lut, ""),
		data("`.cube`: domain other than 0 to 1", warned, "", "a.cube", "LUT_3D_SIZE 2\nDOMAIN_MAX 4 4 4\n"+entries, lut, "cannot store the domain 0 to 4"),
		data("`.cube`: unknown keywords", refused, "", "a.cube", "LUT_3D_SIZE 2\nLUT_GAMMA 2\n"+entries, lut, "unknown keyword"),
		data("`.cube`: entries beyond 0 to 1, with `format = \"rgba8\"`", warned, "", "a.cube", "LUT_3D_SIZE 2\n"+entries[:len(entries)-6]+"2 1 1\n", lut+"\nformat = \"rgba8\"", "rgba8 stores only 0 to 1"),
	})
}
