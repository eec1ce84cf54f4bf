package program

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
)

// A loader finds the libraries of a program, breadth first.
type loader struct {
	machine   *Machine
	asked     map[string]bool // names of libraries
	files     []string
	onMachine []string
}

// An object is an ELF file that needs libraries.
type object struct {
	header  elf.FileHeader
	needed  []string // names of libraries
	runpath []string // directories to search
	rpath   []string // directories without a runpath, inherited ones included
}

func (l *loader) load(program string) error {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return err
	}
	first, ok := readELF(real, nil)
	if !ok {
		return nil // the system will report the error
	}
	for queue := []object{first}; len(queue) > 0; queue = queue[1:] {
		by := &queue[0]
		for _, name := range by.needed {
			if l.asked[name] {
				continue
			}
			l.asked[name] = true
			if next, ok := l.find(name, by); ok {
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// find finds a library that an object needs.
func (l *loader) find(name string, by *object) (object, bool) {
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
	for _, file := range l.machine.places(name) {
		if found, ok := readELF(file, by); ok {
			real, _ := follow(file)
			l.onMachine = append(l.onMachine, nameAs(name, real))
			return found, true
		}
	}
	l.onMachine = append(l.onMachine, nameAs(name, ""))
	return object{}, false
}

// readELF reads the libraries that an ELF file needs, if the file is for the processor of the
// object that needs it.
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
	o.needed, _ = image.ImportedLibraries() // a static program has none
	o.runpath = folders(image, elf.DT_RUNPATH, filepath.Dir(file))
	if o.runpath == nil {
		o.rpath = folders(image, elf.DT_RPATH, filepath.Dir(file))
		if by != nil {
			o.rpath = append(o.rpath, by.rpath...)
		}
	}
	return o, true
}

// directories returns the directories that a tag lists, with $ORIGIN filled in.
func folders(image *elf.File, tag elf.DynTag, origin string) []string {
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
