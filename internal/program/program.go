// Package program finds programs, and the parts of a program besides its own file: the interpreter
// of a script, and the shared libraries that the system's loader gives to an ELF file.
//
// It looks for libraries like ld.so(8) of the GNU C library, without LD_LIBRARY_PATH, LD_PRELOAD
// and the directories for special processors. It does not see files that a running program opens
// itself (dlopen), such as plugins. It knows nothing about programs of Windows and macOS.
package program

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Parts are the parts of a program.
type Parts struct {
	// Interpreter is the program that runs a script: a file, or a name to look for on PATH. It is
	// "" if the program is no script.
	Interpreter string
	// Libraries are the files in the directories that the program or one of its libraries names
	// (DT_RUNPATH, DT_RPATH), by absolute names in the order of loading.
	Libraries []string
	// Machine are the other libraries, by the names of [Machine.Name], in the order of loading.
	Machine []string
}

// Of returns the interpreter or the shared libraries of a program. m returns the machine that has
// these libraries. A file that is
// neither script nor ELF has no parts, and m is not called.
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

// longestLine is the length of the first line that Linux reads.
const longestLine = 256

// interpreter returns the program that the first line of a script names, or the argument of env(1).
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

// Find returns the file of a program that a recipe names: a name with a slash is relative to the
// directory of the assets, any other name is on PATH.
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
