package manifest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/hashing"
)

// check refuses what no manifest may hold.
func (a *Asset) check() error {
	if !below(a.Source) {
		return fmt.Errorf("source %q is not a clean path below the asset directory", a.Source)
	}
	if !utf8.ValidString(a.Target) {
		return fmt.Errorf("target %q of source %q is not UTF-8", a.Target, a.Source)
	}
	if a.ID != "" && !isUUID(a.ID) {
		return fmt.Errorf("ID %q of source %q is not a UUID in lower case", a.ID, a.Source)
	}
	for i := range a.Outputs {
		o := &a.Outputs[i]
		if !inside(o.Path) {
			return fmt.Errorf("output %q of source %q is not a clean path below the output directory", o.Path, a.Source)
		}
		if o.Size < 0 {
			return fmt.Errorf("output %q of source %q has size %d", o.Path, a.Source, o.Size)
		}
	}
	return nil
}

// isUUID reports whether a text is a UUID in its usual form.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, c := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}

// below reports whether p can name a source. It is the same on all systems: a
// source is not opened by the name in a manifest.
func below(p string) bool {
	return p != "." && p != ".." && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, "/") && path.Clean(p) == p
}

// inside reports whether p can name an output on this system.
func inside(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}

const (
	partPrefix = PartsDir + "/"
	partSuffix = ".json"
	partHash   = 16 // bytes of the BLAKE3
)

func partName(data []byte) string {
	digest := hashing.DigestOf(data)
	return partPrefix + hex.EncodeToString(digest[:partHash]) + partSuffix
}

// IsPart reports whether name is one that a part may have.
func IsPart(name string) bool { return checkPartName(name) == nil }

func checkPartName(name string) error {
	digits, found := strings.CutPrefix(name, partPrefix)
	digits, end := strings.CutSuffix(digits, partSuffix)
	if found && end && len(digits) == 2*partHash && strings.Trim(digits, "0123456789abcdef") == "" {
		return nil
	}
	return fmt.Errorf("%q is not the name of a part", name)
}

// checkPart returns an error if the content of a part does not fit its name.
func checkPart(name string, data []byte) error {
	if partName(data) != name {
		return errors.New("damaged: the content does not match its name")
	}
	return nil
}
