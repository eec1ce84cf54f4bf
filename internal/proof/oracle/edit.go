package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// A Kind is a kind of edit.
type Kind string

// The kinds of edits. Paths are slash-separated and relative to Place.Dir. assets/x/a.txt is a
// source, cooked/x/a.txt an output, and store/ the store. outside/ is a directory that cook must
// neither read nor write.
const (
	Write     Kind = "write"     // writes Data to the file Path in place, and creates missing directories
	Replace   Kind = "replace"   // writes Data to a new file and renames it to Path
	Overwrite Kind = "overwrite" // writes Data at offset N
	KeepTime  Kind = "keeptime"  // writes Data and restores the modification time
	Append    Kind = "append"    // appends Data
	Truncate  Kind = "truncate"  // truncates to N bytes
	Touch     Kind = "touch"     // sets the modification time to N seconds since 1970
	Retouch   Kind = "retouch"   // sets the modification time to its current value
	Restore   Kind = "restore"   // deletes the file and writes the same bytes again
	Chmod     Kind = "chmod"     // sets the permissions to N
	Rename    Kind = "rename"    // renames a file or directory to To
	Swap      Kind = "swap"      // exchanges the names of two files or directories
	Remove    Kind = "remove"    // deletes a file, or a directory and everything in it
	Mkdir     Kind = "mkdir"     // creates a directory
	Link      Kind = "link"      // creates the symbolic link Path with the target To
	HardLink  Kind = "hardlink"  // creates the hard link Path to To
	Block     Kind = "block"     // replaces an output with a foreign directory
	Flip      Kind = "flip"      // flips a bit of a file (see below)
	Cut       Kind = "cut"       // truncates a file
	Lose      Kind = "lose"      // deletes a file
	Map       Kind = "map"       // opens a shared mapping of a file and writes to its byte N
	MapWrite  Kind = "mapwrite"  // writes to byte N through that mapping, which changes no file time
	Tick      Kind = "tick"      // waits for the file system clock to tick
	Wait      Kind = "wait"      // waits N milliseconds
)

// Flip, Cut and Lose take a pattern or a directory as Path. N selects one of the files and an
// offset in it.

// fields maps each kind of edit to the fields that it uses.
var fields = map[Kind]struct{ path, to, n, data bool }{
	Write: {path: true, data: true}, Replace: {path: true, data: true}, KeepTime: {path: true, data: true},
	Append: {path: true, data: true}, Overwrite: {path: true, n: true, data: true}, Truncate: {path: true, n: true},
	Touch: {path: true, n: true}, Retouch: {path: true}, Restore: {path: true}, Chmod: {path: true, n: true},
	Rename: {path: true, to: true}, Swap: {path: true, to: true}, Remove: {path: true}, Mkdir: {path: true},
	Link: {path: true, to: true}, HardLink: {path: true, to: true}, Block: {path: true},
	Flip: {path: true, n: true}, Cut: {path: true, n: true}, Lose: {path: true, n: true},
	Map: {path: true, n: true}, MapWrite: {path: true, n: true}, Tick: {}, Wait: {n: true},
}

// An Edit is one change to the files. It stands for the act of a user, another program or a fault.
type Edit struct {
	Kind     Kind
	Path, To string
	N        int64
	Data     string
}

// String returns the edit as a script line, without the command name.
func (e Edit) String() string {
	has := fields[e.Kind]
	words := []string{string(e.Kind)}
	if has.path {
		words = append(words, quote(e.Path))
	}
	if has.to {
		words = append(words, quote(e.To))
	}
	if has.n && e.Kind == Chmod {
		words = append(words, fmt.Sprintf("%#o", e.N))
	} else if has.n {
		words = append(words, strconv.FormatInt(e.N, 10))
	}
	if has.data {
		words = append(words, quoteData(e.Data))
	}
	return strings.Join(words, " ")
}

// ParseEdit parses the words of an edit.
func ParseEdit(words []string) (Edit, error) {
	if len(words) == 0 {
		return Edit{}, fmt.Errorf("edit: no kind given")
	}
	e := Edit{Kind: Kind(words[0])}
	has, ok := fields[e.Kind]
	if !ok {
		return e, fmt.Errorf("edit: there is no kind %q", e.Kind)
	}
	rest := words[1:]
	next := func(wanted bool) (word string) {
		if wanted && len(rest) > 0 {
			word, rest = rest[0], rest[1:]
		}
		return word
	}
	want := 1
	for _, one := range []bool{has.path, has.to, has.n, has.data} {
		if one {
			want++
		}
	}
	if len(words) != want {
		return e, fmt.Errorf("edit %s: %d words, want %d", e.Kind, len(words), want)
	}
	e.Path, e.To = next(has.path), next(has.to)
	var err error
	if has.n {
		if e.N, err = strconv.ParseInt(next(true), 0, 64); err != nil {
			return e, fmt.Errorf("edit %s: %w", e.Kind, err)
		}
	}
	if e.Data = next(has.data); strings.HasPrefix(e.Data, `"`) {
		if e.Data, err = strconv.Unquote(e.Data); err != nil {
			return e, fmt.Errorf("edit %s: data: %w", e.Kind, err)
		}
	}
	return e, nil
}

// quote returns a path as one word of a script.
func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"#$") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// quoteData returns arbitrary bytes as one word of a script, if necessary as a Go string.
func quoteData(s string) string {
	if s == "" || strings.HasPrefix(s, `"`) || strconv.QuoteToASCII(s) != `"`+s+`"` {
		s = strconv.QuoteToASCII(s)
	}
	return quote(s)
}
