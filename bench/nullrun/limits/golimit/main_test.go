//go:build linux && (amd64 || arm64)

package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// list returns a list of two directories below two roots. One has two files, the other none.
func list(roots uint32) []byte {
	text := "a\x00x\x00y\x00" + "b\x00"
	b := binary.NativeEndian.AppendUint32([]byte("nullrun1"), roots)
	b = binary.NativeEndian.AppendUint32(b, 2)
	for i, names := range []uint32{2, 0} {
		b = binary.NativeEndian.AppendUint32(b, uint32(i))
		b = binary.NativeEndian.AppendUint32(b, names)
		b = binary.NativeEndian.AppendUint64(b, uint64(16+2*16+6*i))
	}
	return append(b, text...)
}

func TestCounts(t *testing.T) {
	dir := t.TempDir()
	roots := []string{filepath.Join(dir, "first"), filepath.Join(dir, "second")}
	for i, name := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(roots[i], name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, size := range map[string]int{"x": 3, "y": 600_000} {
		if err := os.WriteFile(filepath.Join(roots[0], "a", name), make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "list")
	if err := os.WriteFile(file, list(2), 0o666); err != nil {
		t.Fatal(err)
	}
	want := total{folders: 2, files: 2, bytes: 600_003}
	for _, verb := range []string{"stat", "read"} {
		got, err := statTrees(append([]string{verb, file, "2"}, roots...))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", verb, got, err, want)
		}
	}

	if err := os.Remove(filepath.Join(roots[0], "a", "y")); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"stat", "read"} {
		if _, err := statTrees(append([]string{verb, file, "2"}, roots...)); err == nil || !strings.Contains(err.Error(), "y in a") {
			t.Errorf("%s of a missing file: %v", verb, err)
		}
	}
	for _, args := range [][]string{nil, {"look", file, "1", dir, dir}, {"stat", file, "0", dir, dir}, {"stat", file, "1", dir}, {"stat", dir + "/none", "1", dir, dir}} {
		if _, err := statTrees(args); err == nil {
			t.Errorf("golimit %q works", args)
		}
	}
}
