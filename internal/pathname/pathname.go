// Package pathname prints names that may hold any bytes.
package pathname

import (
	"strconv"
	"strings"
)

// Show returns a name as it is if a terminal shows it faithfully on one line,
// otherwise quoted as a Go string: control characters, bidirectional overrides
// and broken UTF-8 become escapes.
func Show(name string) string {
	quoted := strconv.Quote(name)
	if quoted[1:len(quoted)-1] == name {
		return name
	}
	if plain := strings.ReplaceAll(name, `"`, `\"`); quoted[1:len(quoted)-1] == plain {
		return name // only quotation marks were escaped
	}
	return quoted
}
