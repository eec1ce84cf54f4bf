package program

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Machine is the search order of the system's loader for shared libraries, at one moment: later
// installations change it.
type Machine struct {
	cache map[string][]string // files by name, from ldconfig
}

// machineFolders are searched after the cache.
var machineFolders = [...]string{"/lib64", "/usr/lib64", "/lib", "/usr/local/lib", "/usr/lib"}

// debianTriplet returns the name of the directories of this architecture in /lib and /usr/lib,
// which Debian's loader searches first. They matter for a link that is not named like the
// SONAME of its library, because ldconfig leaves it out of the cache.
func debianTriplet() string {
	switch runtime.GOARCH {
	case "386":
		return "i386-linux-gnu"
	case "amd64":
		return "x86_64-linux-gnu"
	case "arm":
		return "arm-linux-gnueabihf"
	case "arm64":
		return "aarch64-linux-gnu"
	case "loong64":
		return "loongarch64-linux-gnu"
	case "ppc64le":
		return "powerpc64le-linux-gnu"
	default: // riscv64, s390x
		return runtime.GOARCH + "-linux-gnu"
	}
}

// ThisMachine returns the machine of this process.
func ThisMachine() *Machine {
	text, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		return &Machine{} // not every system has one
	}
	return &Machine{parseCache(string(text))}
}

// places returns the files that a library may be, in the order of the search.
func (m *Machine) places(library string) []string {
	files := slices.Clone(m.cache[library])
	for _, folder := range []string{"/lib", "/usr/lib"} {
		files = append(files, filepath.Join(folder, debianTriplet(), library))
	}
	for _, folder := range machineFolders {
		files = append(files, filepath.Join(folder, library))
	}
	return files
}

// Name returns the name of a library and, after '=', the name of the file behind it, which mostly
// has the version: "libpng16.so.16=libpng16.so.16.48.0". If both are equal, it returns the name
// alone. For a missing library nothing follows the '='. If the machine has the library for several
// kinds of processors, the first one of the loader counts.
func (m *Machine) Name(library string) string {
	for _, file := range m.places(library) {
		if file, ok := follow(file); ok {
			return nameAs(library, file)
		}
	}
	return nameAs(library, "")
}

// Named returns the library and the file of a name that [Machine.Name] has returned, "" for a
// missing file.
func Named(name string) (library, file string) {
	library, file, ok := strings.Cut(name, "=")
	if !ok {
		file = library
	}
	return library, file
}

// nameAs returns a library with the name of its file: "lib", "lib=base" if the file is called base,
// or "lib=" without a file.
func nameAs(library, file string) string {
	switch base := filepath.Base(file); {
	case file == "":
		return library + "="
	case base != library:
		return library + "=" + base
	}
	return library
}

// follow returns the target of a link, if the file is a link.
func follow(file string) (string, bool) {
	for range 40 { // the system follows that many
		to, err := os.Readlink(file)
		if err != nil {
			return file, !errors.Is(err, fs.ErrNotExist)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	return "", false
}

// parseCache reads the format "glibc-ld.so.cache1.1" of sysdeps/generic/dl-cache.h, also behind the
// older format. The files of a name have the order of the loader's search. Files for special
// processors are left out.
func parseCache(text string) map[string][]string {
	const magic, header, entry = "glibc-ld.so.cache1.1", 48, 24
	_, after, ok := strings.Cut(text, magic)
	if text = magic + after; !ok || len(text) < header {
		return nil
	}
	raw := []byte(text)
	word := func(at int) int { return int(binary.NativeEndian.Uint32(raw[at:])) }
	at := func(offset int) string {
		if offset >= len(raw) {
			return ""
		}
		return text[offset:][:max(0, bytes.IndexByte(raw[offset:], 0))]
	}
	n := min(word(len(magic)), (len(raw)-header)/entry)
	files := make(map[string][]string, n)
	for e := header; e < header+n*entry; e += entry {
		name, file := at(word(e+4)), at(word(e+8))
		if hardware := binary.NativeEndian.Uint64(raw[e+16:]); hardware == 0 && filepath.IsAbs(file) {
			files[name] = append(files[name], file)
		}
	}
	return files
}
