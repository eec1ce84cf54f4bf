package manifest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

// decodeAsset decodes the line of an asset, and refuses lines that differ from the output of
// appendAsset.
func decodeAsset(line string) (Asset, error) {
	var a Asset
	c := cursor{rest: line}
	c.expectText("{")
	a.Source = c.readName("source")
	a.Target = c.readTarget("target")
	if c.skipText(`,"id":`) {
		if a.ID = c.readText(); a.ID == "" {
			c.failAt("an ID is empty before")
		}
	}
	for begin := `,"uses":[{`; c.skipText(begin); begin = ",{" {
		a.Uses = append(a.Uses, c.readName("asset"))
		c.expectText("}")
	}
	if len(a.Uses) > 0 {
		c.expectText("]")
	}
	c.expectText(`,"outputs":[`)
	for more := !c.skipText("]"); more && c.err == nil; more = !c.skipText("]") {
		if len(a.Outputs) > 0 {
			c.expectText(",")
		}
		var o Output
		c.expectText("{")
		o.Path = c.readName("path")
		c.expectText(`,"size":`)
		o.Size = c.readNumber()
		c.expectText(`,"blake3":`)
		o.BLAKE3 = c.readDigest()
		o.Inner = c.skipText(innerText)
		o.Role = c.readRole()
		c.expectText("}")
		a.Outputs = append(a.Outputs, o)
	}
	c.expectText("}")
	if err := c.expectEnd(); err != nil {
		return Asset{}, err
	}
	return a, a.checkAsset()
}

// decodePart decodes the line of a part, and refuses lines that differ from the output of
// appendPart.
func decodePart(line string) (part, error) {
	var p part
	c := cursor{rest: line}
	c.expectText("{")
	p.first.source = c.readName("first")
	p.first.target = c.readTarget("first_target")
	c.expectText(`,"path":`)
	p.name = c.readText()
	c.expectText(`,"assets":`)
	p.assets = c.readNumber()
	c.expectText("}")
	if err := c.expectEnd(); err != nil {
		return part{}, err
	}
	first := Asset{Source: p.first.source, Target: p.first.target}
	return p, errors.Join(first.checkAsset(), checkPartName(p.name))
}

// cursor reads a line from left to right. After an error it reads no further.
type cursor struct {
	rest string
	err  error
}

func (c *cursor) failAt(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s %.40q", what, c.rest)
	}
	c.rest = ""
}

// skipText skips s if the rest of the line begins with s.
func (c *cursor) skipText(s string) bool {
	rest, found := strings.CutPrefix(c.rest, s)
	c.rest = rest
	return found
}

func (c *cursor) expectText(s string) {
	if !c.skipText(s) {
		c.failAt("want " + s + " at")
	}
}

func (c *cursor) expectEnd() error {
	if c.rest != "" {
		c.failAt("want the end of the line at")
	}
	return c.err
}

// readName reads the fields that appendQuotedName wrote.
func (c *cursor) readName(field string) string {
	start := c.rest
	c.expectText(`"` + field + `":`)
	name, simple := c.readQuoted()
	if c.skipText(`,"` + field + `_base64":`) {
		encoded, _ := c.readQuoted()
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			c.failAt("invalid base64 before")
		}
		name, simple = string(raw), false
	}
	if !simple {
		c.spelled(start, appendQuotedName(nil, field, name))
	}
	return name
}

// readTarget reads a target field, if the line has one.
func (c *cursor) readTarget(field string) string {
	if !c.skipText(`,"` + field + `":`) {
		return ""
	}
	target := c.readText()
	if target == "" {
		c.failAt("a target is empty before")
	}
	return target
}

// readRole reads the role of an output, if it has one.
func (c *cursor) readRole() string {
	if !c.skipText(roleText) {
		return ""
	}
	role, rest, ok := strings.Cut(c.rest, `"`)
	if !ok || !IsRole(role) {
		c.failAt("want a role at")
		return ""
	}
	c.rest = rest
	return role
}

// readText reads a text that appendText wrote.
func (c *cursor) readText() string {
	start := c.rest
	s, simple := c.readQuoted()
	if !simple {
		c.spelled(start, appendText(nil, s))
	}
	return s
}

// spelled fails unless the text from start up to the cursor equals want. JSON allows several
// spellings of a string; an update would lose all spellings but the one in want.
func (c *cursor) spelled(start string, want []byte) {
	if c.err == nil && start[:len(start)-len(c.rest)] != string(want) {
		c.failAt(fmt.Sprintf("a string must be written as %.80s before", want))
	}
}

// readQuoted reads a JSON string. simple reports whether the string has no escapes, and
// therefore only one spelling.
func (c *cursor) readQuoted() (s string, simple bool) {
	start := c.rest
	c.expectText(`"`)
	i := 0
	for i < len(c.rest) && isPlainText(c.rest[i]) {
		i++
	}
	if i < len(c.rest) && c.rest[i] == '"' {
		s, c.rest = c.rest[:i], c.rest[i+1:]
		return s, true
	}
	for i < len(c.rest) && c.rest[i] != '"' {
		if c.rest[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(c.rest) {
		c.failAt("want a string at")
		return "", false
	}
	c.rest = c.rest[i+1:]
	if json.Unmarshal([]byte(start[:len(start)-len(c.rest)]), &s) != nil {
		c.failAt("an invalid string before")
	}
	return s, false
}

// readNumber reads a decimal integer from 0 to 2^63-1.
func (c *cursor) readNumber() int64 {
	end := 0
	for end < len(c.rest) && c.rest[end] >= '0' && c.rest[end] <= '9' {
		end++
	}
	digits := c.rest[:end]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || end > 1 && digits[0] == '0' {
		c.failAt("want a number at")
		return 0
	}
	c.rest = c.rest[end:]
	return n
}

func (c *cursor) readDigest() hashing.Digest {
	s, _ := c.readQuoted()
	d, err := hashing.ParseDigest(s) // ParseDigest accepts one spelling only
	if err != nil {
		c.failAt("want 64 hex digits before")
	}
	return d
}
