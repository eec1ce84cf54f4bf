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

// decodeAsset reads what appendAsset wrote, and nothing else.
func decodeAsset(line string) (Asset, error) {
	var a Asset
	c := cursor{rest: line}
	c.expect("{")
	a.Source = c.name("source")
	a.Target = c.target("target")
	if c.skip(`,"id":`) {
		if a.ID = c.text(); a.ID == "" {
			c.fail("an empty ID before")
		}
	}
	c.expect(`,"outputs":[`)
	for more := !c.skip("]"); more && c.err == nil; more = !c.skip("]") {
		if len(a.Outputs) > 0 {
			c.expect(",")
		}
		var o Output
		c.expect("{")
		o.Path = c.name("path")
		c.expect(`,"size":`)
		o.Size = c.number()
		c.expect(`,"blake3":`)
		o.BLAKE3 = c.digest()
		c.expect("}")
		a.Outputs = append(a.Outputs, o)
	}
	c.expect("}")
	if err := c.end(); err != nil {
		return Asset{}, err
	}
	return a, a.check()
}

// decodePart reads what appendPart wrote, and nothing else.
func decodePart(line string) (part, error) {
	var p part
	c := cursor{rest: line}
	c.expect("{")
	p.first.source = c.name("first")
	p.first.target = c.target("first_target")
	c.expect(`,"path":`)
	p.name = c.text()
	c.expect(`,"assets":`)
	p.assets = c.number()
	c.expect("}")
	if err := c.end(); err != nil {
		return part{}, err
	}
	first := Asset{Source: p.first.source, Target: p.first.target}
	return p, errors.Join(first.check(), checkPartName(p.name))
}

// cursor reads a line from left to right. After an error it reads nothing more.
type cursor struct {
	rest string
	err  error
}

func (c *cursor) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s %.40q", what, c.rest)
	}
	c.rest = ""
}

// skip passes over s if it comes next.
func (c *cursor) skip(s string) bool {
	rest, found := strings.CutPrefix(c.rest, s)
	c.rest = rest
	return found
}

func (c *cursor) expect(s string) {
	if !c.skip(s) {
		c.fail("want " + s + " at")
	}
}

func (c *cursor) end() error {
	if c.rest != "" {
		c.fail("want the end of the line at")
	}
	return c.err
}

// name reads the fields that appendName wrote.
func (c *cursor) name(field string) string {
	start := c.rest
	c.expect(`"` + field + `":`)
	name, simple := c.quoted()
	if c.skip(`,"` + field + `_base64":`) {
		encoded, _ := c.quoted()
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			c.fail("base64 that cannot be read before")
		}
		name, simple = string(raw), false
	}
	if !simple {
		c.spelled(start, appendName(nil, field, name))
	}
	return name
}

// target reads a field that appendTarget wrote, if it did.
func (c *cursor) target(field string) string {
	if !c.skip(`,"` + field + `":`) {
		return ""
	}
	target := c.text()
	if target == "" {
		c.fail("an empty target before")
	}
	return target
}

// text reads what appendText wrote.
func (c *cursor) text() string {
	start := c.rest
	s, simple := c.quoted()
	if !simple {
		c.spelled(start, appendText(nil, s))
	}
	return s
}

// spelled fails unless the text since start has the spelling that this package writes.
// JSON has several spellings of a string; a second one here would be lost in an
// update.
func (c *cursor) spelled(start string, want []byte) {
	if c.err == nil && start[:len(start)-len(c.rest)] != string(want) {
		c.fail(fmt.Sprintf("not written as %.80s before", want))
	}
}

// quoted reads a JSON string. It is simple if there is no other spelling that
// had to be looked for: all of its characters stand for themselves.
func (c *cursor) quoted() (s string, simple bool) {
	start := c.rest
	c.expect(`"`)
	i := 0
	for i < len(c.rest) && plain(c.rest[i]) {
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
		c.fail("want a string at")
		return "", false
	}
	c.rest = c.rest[i+1:]
	if json.Unmarshal([]byte(start[:len(start)-len(c.rest)]), &s) != nil {
		c.fail("a string that cannot be read before")
	}
	return s, false
}

// number reads a decimal integer from 0 to 2^63-1.
func (c *cursor) number() int64 {
	end := 0
	for end < len(c.rest) && c.rest[end] >= '0' && c.rest[end] <= '9' {
		end++
	}
	digits := c.rest[:end]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || end > 1 && digits[0] == '0' {
		c.fail("want a number at")
		return 0
	}
	c.rest = c.rest[end:]
	return n
}

func (c *cursor) digest() hashing.Digest {
	s, _ := c.quoted()
	d, err := hashing.ParseDigest(s) // takes one spelling only
	if err != nil {
		c.fail("want 64 hex digits before")
	}
	return d
}
