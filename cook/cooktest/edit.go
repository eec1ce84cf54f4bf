package cooktest

import (
	"fmt"
	"strconv"
	"strings"
)

// A Kind says what an edit does.
type Kind string

// The kinds of edits. Paths are relative to the place of a script, with slashes:
// assets/x/a.txt is a source, cooked/x/a.txt an output, store/ the store, and
// outside/ is where nobody may read or write.
const (
	Write     Kind = "write"     // gives Path the content Data in place, making its folders
	Replace   Kind = "replace"   // the same by a new file that is renamed to Path
	Overwrite Kind = "overwrite" // writes Data at the byte N
	KeepTime  Kind = "keeptime"  // writes Data and restores the time of the last write
	Append    Kind = "append"    // writes Data behind what is there
	Truncate  Kind = "truncate"  // cuts off what lies behind the byte N
	Touch     Kind = "touch"     // sets the time of the last write to N seconds since 1970
	Retouch   Kind = "retouch"   // sets it to what it is
	Restore   Kind = "restore"   // deletes the file and writes the same bytes again
	Chmod     Kind = "chmod"     // sets the permissions to N
	Rename    Kind = "rename"    // renames a file or folder to To
	Swap      Kind = "swap"      // lets two files or folders change names
	Remove    Kind = "remove"    // deletes a file, or a folder with all that is in it
	Mkdir     Kind = "mkdir"     // makes a folder
	Link      Kind = "link"      // makes Path a link that says To
	HardLink  Kind = "hardlink"  // makes Path another name of the file To
	Block     Kind = "block"     // puts a folder that is not cook's in the place of an output
	Flip      Kind = "flip"      // changes a bit of a file, see below
	Cut       Kind = "cut"       // makes a file shorter
	Lose      Kind = "lose"      // deletes a file
	Map       Kind = "map"       // opens a shared mapping of a file and writes to its byte N
	MapWrite  Kind = "mapwrite"  // writes to byte N through that mapping, without a trace in any stamp
	Tick      Kind = "tick"      // waits until the file system gives other times
	Wait      Kind = "wait"      // waits N milliseconds
)

// Flip, Cut and Lose take a pattern or a folder: N chooses one of its files and
// the place in it.

// fields are what an edit of each kind has.
var fields = map[Kind]struct{ path, to, n, data bool }{
	Write: {path: true, data: true}, Replace: {path: true, data: true}, KeepTime: {path: true, data: true},
	Append: {path: true, data: true}, Overwrite: {path: true, n: true, data: true}, Truncate: {path: true, n: true},
	Touch: {path: true, n: true}, Retouch: {path: true}, Restore: {path: true}, Chmod: {path: true, n: true},
	Rename: {path: true, to: true}, Swap: {path: true, to: true}, Remove: {path: true}, Mkdir: {path: true},
	Link: {path: true, to: true}, HardLink: {path: true, to: true}, Block: {path: true},
	Flip: {path: true, n: true}, Cut: {path: true, n: true}, Lose: {path: true, n: true},
	Map: {path: true, n: true}, MapWrite: {path: true, n: true}, Tick: {}, Wait: {n: true},
}

// An Edit is one thing that a person, a program or bad luck does to the files.
type Edit struct {
	Kind     Kind
	Path, To string
	N        int64
	Data     string
}

// String gives the edit as a line of a script, less the command's name.
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

// ParseEdit reads the words of an edit.
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

// quote makes one word of a script out of a path.
func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"#$") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// quoteData makes one word out of any bytes: plain, or as a Go string.
func quoteData(s string) string {
	if s == "" || strings.HasPrefix(s, `"`) || strconv.QuoteToASCII(s) != `"`+s+`"` {
		s = strconv.QuoteToASCII(s)
	}
	return quote(s)
}
