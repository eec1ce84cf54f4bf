// Package pakread is a reader of paks in C: c/pak.h for engines, and a program that uses it.
package pakread

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/pak"
)

// What package pak writes, a reader that knows the format from its documentation reads.
func TestReadInC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "pakread")
	if out, err := exec.Command(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-o", program, "c/pakread.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var files []pak.File
	want := ""
	contents := map[string][]byte{}
	for i := range 200 {
		name, data := fmt.Sprintf("folder%d/ünï %03d.bin", i%3, i), bytes.Repeat([]byte{byte(i), 1, 2}, i*i)
		contents[name] = data
		files = append(files, pak.File{Name: name, Read: func() ([]byte, error) { return data, nil }})
	}
	name := filepath.Join(dir, "a.pak")
	if _, err := pak.Create(t.Context(), name, files, pak.Options{Level: -1}); err != nil {
		t.Fatal(err)
	}
	p, err := pak.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
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
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.pak")
	for at := len(whole) - 128; at < len(whole); at++ { // nothing crashes
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0xff
		if err := os.WriteFile(bad, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, bad).CombinedOutput(); err != nil && err.Error() != "exit status 1" || strings.Contains(string(out), "runtime error") {
			t.Errorf("byte %d: %v %s", at, err, out)
		}
	}
}
