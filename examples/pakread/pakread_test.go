// Package pakread tests a C program that reads paks with clients/c/cook.h.
package pakread

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/pak"
)

// compiled builds the C program with additional arguments, and returns its path.
func compiled(t *testing.T, gcc string, more ...string) string {
	for _, source := range []string{"c/pakread.c", "../../clients/c/cook.h"} {
		if _, err := os.ReadFile(source); err != nil { // makes go test run this test again after an edit of the file
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "pakread")
	args := append([]string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-o", program, "c/pakread.c"}, more...)
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// created writes a pak of files of various kinds and sizes. It returns the pak's name and the
// contents.
func created(t *testing.T, level int) (name string, contents map[string][]byte) {
	name, contents = filepath.Join(t.TempDir(), "a.pak"), map[string][]byte{}
	for i := range 200 {
		contents[fmt.Sprintf("directory%d/ünï %03d.bin", i%3, i)] = bytes.Repeat([]byte{byte(i), 1, 2}, i*i)
	}
	for i := range 400_000 { // makes several frames with skippable frames in between
		contents["large.txt"] = fmt.Appendf(contents["large.txt"], "%d\n", i*i)
	}
	var files []pak.File
	for file, data := range contents {
		files = append(files, pak.File{Name: file, Read: func() ([]byte, error) { return data, nil }})
	}
	if _, err := pak.Create(t.Context(), name, files, pak.Options{Level: level}); err != nil {
		t.Fatal(err)
	}
	return name, contents
}

// TestReadInC expects C programs to read default paks with libzstd, and paks of level -1 without
// libzstd.
func TestReadInC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	t.Run("compressed", func(t *testing.T) {
		probe := exec.Command(gcc, "-fsyntax-only", "-x", "c", "-")
		probe.Stdin = strings.NewReader("#include <zstd.h>\n")
		if probe.Run() != nil {
			t.Skip("needs zstd.h")
		}
		program := compiled(t, gcc, "-DCOOK_ZSTD=1", "-lzstd")
		name, contents := created(t, 0)
		reads(t, program, name, contents)
		damages(t, program, name)
	})
	t.Run("stored", func(t *testing.T) {
		program := compiled(t, gcc, "-DCOOK_ZSTD=0")
		name, contents := created(t, -1)
		reads(t, program, name, contents)
		damages(t, program, name)
		name, _ = created(t, 0)
		if out, err := exec.Command(program, name, "large.txt").CombinedOutput(); err == nil || !strings.Contains(string(out), "large.txt: compressed; build") {
			t.Errorf("a compressed file without libzstd: %v %s", err, out)
		}
	})
}

// reads runs a program that lists and reads all files of a pak, and checks its output.
func reads(t *testing.T, program, name string, contents map[string][]byte) {
	p, err := pak.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want := ""
	for e := range p.Entries() {
		want += fmt.Sprintf("%d %s\n", e.Size, e.Name)
	}
	if out, err := exec.Command(program, name).Output(); err != nil || string(out) != want {
		t.Errorf("%v: lists\n%s\nwant\n%s", err, out, want)
	}
	for file, data := range contents {
		if out, err := exec.Command(program, name, file).Output(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: %v, %d bytes of %d", file, err, len(out), len(data))
		}
	}
	if err := exec.Command(program, name, "folder0/none").Run(); err == nil {
		t.Error("a file that is not there is found")
	}
}

// damages changes the footer, and the record of large.txt. The program must not crash, and must
// detect wrong sizes.
func damages(t *testing.T, program, name string) {
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	footer := whole[len(whole)-128:]
	records, count := int(binary.LittleEndian.Uint64(footer[8:])), int(binary.LittleEndian.Uint32(footer[16:]))
	last := records + 72*(count-1) // large.txt is the last record, after the files of directory0 to directory2
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put := func(at int, b byte) {
		if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	try := func(at int, words ...string) error {
		put(at, ^whole[at])
		defer put(at, whole[at])
		out, err := exec.Command(program, append([]string{name}, words...)...).CombinedOutput()
		if err != nil && err.Error() != "exit status 1" || strings.Contains(string(out), "runtime error") {
			t.Errorf("byte %d: %v %.200s", at, err, out)
		}
		return err
	}
	for at := len(whole) - 128; at < len(whole); at++ {
		try(at)
	}
	for at := last + 8; at < last+72; at++ {
		size := at < last+32 && at >= last+16
		if err := try(at, "large.txt"); size && err == nil {
			t.Errorf("byte %d: a wrong size is not seen", at)
		}
	}
}
