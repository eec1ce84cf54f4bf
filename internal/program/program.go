// Package program finds out what a program on the disk is made of besides its own file: the
// interpreter that a script names in its first line, and the shared libraries that the
// system's loader gives to an ELF file.
//
// Libraries are looked for as ld.so(8) of the GNU C library does it, without LD_LIBRARY_PATH,
// LD_PRELOAD and the folders for special processors. What a program opens by itself while
// it runs (dlopen), such as plugins, is not seen. Of programs of Windows and macOS nothing
// is known.
package program

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Parts are what a program is made of.
type Parts struct {
	// Interpreter is what runs a script: a file, or a name to be looked for on PATH; "" if
	// the program is no script.
	Interpreter string
	// Libraries are the files that the program, or one of its libraries, says where to
	// find (DT_RUNPATH, DT_RPATH), by absolute names in the order in which they are loaded.
	Libraries []string
	// Machine are the libraries that the machine has for all programs, as [Machine.Name] has
	// them, in the order in which they are loaded.
	Machine []string
}

// Of returns the parts of a program, whose libraries are looked for on a machine. A file that
// is neither script nor ELF has none, and asks for no machine.
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
		err := l.load(file)
		return Parts{Libraries: l.files, Machine: l.onMachine}, err
	}
	return Parts{}, nil
}

// longestLine is how much of a script Linux looks at.
const longestLine = 256

// interpreter returns what the first line of a script names, or has env(1) look for.
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
		word = strings.TrimPrefix(word, "-S") // the rest is a command line
		if word != "" && !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return words[0]
}
