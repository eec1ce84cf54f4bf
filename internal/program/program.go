// Package program finds programs and the files that they need. These are the interpreter of a
// script, and the shared libraries that the system's loader loads for an ELF file.
//
// It searches libraries like ld.so(8) of the GNU C library, without LD_LIBRARY_PATH, LD_PRELOAD and
// the directories for special processors. It does not find files that a running program opens
// itself (dlopen), such as plugins. It does not support programs of Windows and macOS.
package program

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Parts are the files that a program needs in addition to its own file.
type Parts struct {
	// Interpreter is the program that runs a script. It is a file, or a name to look up on PATH. It
	// is "" if the program is not a script.
	Interpreter string
	// Libraries are the absolute paths of libraries, in load order, in directories that the program
	// or one of its libraries specifies (DT_RUNPATH, DT_RPATH).
	Libraries []string
	// Machine lists the other libraries in load order, by the names that [Machine.Name] returns.
	Machine []string
}

// Of returns the interpreter or the shared libraries of a program. m returns the machine that has
// the libraries. For a file that is neither a script nor ELF, Of returns no parts and does not call
// m.
func Of(file string, m func() *Machine) (Parts, error) {
	f, err := os.Open(file)
	if err != nil {
		return Parts{}, err
	}
	defer f.Close()
	head := make([]byte, longestLine)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Parts{}, &fs.PathError{Op: "read", Path: file, Err: err}
	}
	switch head = head[:n]; {
	case runtime.GOOS == "windows":
	case bytes.HasPrefix(head, []byte("#!")):
		return Parts{Interpreter: interpreter(head)}, nil
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		l := loader{machine: m(), asked: map[string]bool{}}
		err := l.loadProgram(file)
		return Parts{Libraries: l.files, Machine: l.onMachine}, err
	}
	return Parts{}, nil
}

// longestLine is the number of bytes of the first line that Linux reads.
const longestLine = 256

// interpreter returns the program that the first line of a script specifies, or the argument of
// env(1).
func interpreter(head []byte) string {
	line, _, _ := bytes.Cut(head[len("#!"):], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	for _, word := range words[1:] {
		word = strings.TrimPrefix(word, "-S") // after -S, the rest of the line is a command line
		if word != "" && !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return words[0]
}

// Find returns the file of a program that a recipe runs. A name with a slash is relative to the
// directory of the assets. Any other name is looked up on PATH.
func Find(assets, name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) {
		return filepath.Join(assets, filepath.FromSlash(name)), nil
	}
	file, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", notOnPath(name)
	case err != nil:
		return "", err
	}
	return filepath.Abs(file)
}

// notOnPath is the error for a program that is not on PATH.
type notOnPath string

func (name notOnPath) Error() string {
	return fmt.Sprintf("%s is not on PATH; install it, or give its file name with a slash", string(name))
}

func (notOnPath) Is(target error) bool { return target == fs.ErrNotExist }

// A Machine holds a snapshot of the loader's cache, which lists the system's shared libraries.
// Later installations may change the cache.
type Machine struct {
	cache map[string][]string // files by library name, as listed by ldconfig
}

// machineFolders are the directories that are searched after the cache.
var machineFolders = [...]string{"/lib64", "/usr/lib64", "/lib", "/usr/local/lib", "/usr/lib"}

// debianTriplet returns the name of this architecture's directories in /lib and /usr/lib. Debian's
// loader searches them first. They matter for a link whose name differs from its library's SONAME,
// because ldconfig omits the link from the cache.
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
	default: // other architectures, such as riscv64 and s390x
		return runtime.GOARCH + "-linux-gnu"
	}
}

// ThisMachine returns the machine of this process.
func ThisMachine() *Machine {
	text, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		return &Machine{} // some systems have no ldconfig
	}
	return &Machine{parseCache(string(text))}
}

// loaderPaths returns the possible files of a library, in search order.
func (m *Machine) loaderPaths(library string) []string {
	files := slices.Clone(m.cache[library])
	for _, folder := range []string{"/lib", "/usr/lib"} {
		files = append(files, filepath.Join(folder, debianTriplet(), library))
	}
	for _, folder := range machineFolders {
		files = append(files, filepath.Join(folder, library))
	}
	return files
}

// Name returns the name of a library and, after '=', the name of the file that it links to. The
// file's name usually includes the version: "libpng16.so.16=libpng16.so.16.48.0". If both names are
// equal, Name returns only one. For a missing library nothing follows the '='. If the machine has
// the library for several kinds of processors, Name uses the file that comes first in the loader's
// search order.
func (m *Machine) Name(library string) string {
	for _, file := range m.loaderPaths(library) {
		if file, ok := followLinks(file); ok {
			return nameAs(library, file)
		}
	}
	return nameAs(library, "")
}

// Named returns the library and the file from a name that [Machine.Name] returned. file is "" if
// the library is missing.
func Named(name string) (library, file string) {
	library, file, ok := strings.Cut(name, "=")
	if !ok {
		file = library
	}
	return library, file
}

// nameAs combines a library with the name of its file. It returns "lib" for a file named lib,
// "lib=base" for a file named base, or "lib=" without a file.
func nameAs(library, file string) string {
	switch base := filepath.Base(file); {
	case file == "":
		return library + "="
	case base != library:
		return library + "=" + base
	}
	return library
}

// followLinks returns the final target of a symbolic link. It returns false if file is not a link.
func followLinks(file string) (string, bool) {
	for range 40 { // the system follows at most 40 links
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

// parseCache parses the format "glibc-ld.so.cache1.1" of sysdeps/generic/dl-cache.h, even if the
// older format precedes it. Files of the same library are in the loader's search order. Files for
// special processors are omitted.
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

// A loader finds the libraries of a program in breadth-first order.
type loader struct {
	machine   *Machine
	asked     map[string]bool // names of libraries that have been searched
	files     []string
	onMachine []string
}

// An object is an ELF file and the libraries that it needs.
type object struct {
	header  elf.FileHeader
	needed  []string // names of the libraries that the file needs
	runpath []string // directories of DT_RUNPATH
	rpath   []string // directories of DT_RPATH, including inherited ones; empty if there is a runpath
}

func (l *loader) loadProgram(program string) error {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return err
	}
	first, ok := readELF(real, nil)
	if !ok {
		return nil // ignored, because the system reports an error when the program is run
	}
	for queue := []object{first}; len(queue) > 0; queue = queue[1:] {
		by := &queue[0]
		for _, name := range by.needed {
			if l.asked[name] {
				continue
			}
			l.asked[name] = true
			if next, ok := l.findLibrary(name, by); ok {
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// findLibrary searches for a library. The argument by is the object that needs it.
func (l *loader) findLibrary(name string, by *object) (object, bool) {
	folders := by.runpath
	if folders == nil {
		folders = by.rpath
	}
	if strings.Contains(name, "/") {
		folders = []string{""}
	}
	for _, folder := range folders {
		file, err := filepath.Abs(filepath.Join(folder, name))
		if found, ok := readELF(file, by); ok && err == nil {
			l.files = append(l.files, file)
			return found, true
		}
	}
	for _, file := range l.machine.loaderPaths(name) {
		if found, ok := readELF(file, by); ok {
			real, _ := followLinks(file)
			l.onMachine = append(l.onMachine, nameAs(name, real))
			return found, true
		}
	}
	l.onMachine = append(l.onMachine, nameAs(name, ""))
	return object{}, false
}

// readELF reads the names of the libraries that an ELF file needs. It returns false if the file is
// not ELF, or is for a different processor than the object that needs it.
func readELF(file string, by *object) (object, bool) {
	f, err := os.Open(file)
	if err != nil {
		return object{}, false
	}
	defer f.Close()
	image, err := elf.NewFile(f)
	if err != nil || by != nil && (image.Machine != by.header.Machine || image.Class != by.header.Class) {
		return object{}, false
	}
	o := object{header: image.FileHeader}
	o.needed, _ = image.ImportedLibraries() // a static program needs no libraries
	o.runpath = libraryFolders(image, elf.DT_RUNPATH, filepath.Dir(file))
	if o.runpath == nil {
		o.rpath = libraryFolders(image, elf.DT_RPATH, filepath.Dir(file))
		if by != nil {
			o.rpath = append(o.rpath, by.rpath...)
		}
	}
	return o, true
}

// libraryFolders returns the directories that a tag lists, with $ORIGIN replaced.
func libraryFolders(image *elf.File, tag elf.DynTag, origin string) []string {
	lists, _ := image.DynString(tag)
	var folders []string
	for _, list := range lists {
		for folder := range strings.SplitSeq(list, ":") {
			folder = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(folder)
			if folder != "" && !strings.Contains(folder, "$") {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}
