//go:build linux && (amd64 || arm64) && !race

package dirfd

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAllocatesNothing checks that neither successful nor failing calls allocate memory.
func TestAllocatesNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "hello")
	write(t, filepath.Join(dir, "a", "b", "file"), "below")
	link(t, "a", filepath.Join(dir, "link"))
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var (
		// The names are stored one after another in one array, as in a mapped index.
		names  = []byte("file\x00gone\x00link\x00a/b\x00../a\x00a/link\x00")
		file   = names[:5]
		gone   = names[5:10]
		linked = names[10:15]
		below  = names[15:19]
		forged = names[19:24]
		made   = []byte{'x', 0x80, 0}
		buf    = make([]byte, 64)
		info   Info
	)
	expect := func(got, want error) {
		if got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	for _, tc := range []struct {
		name string
		do   func()
	}{
		{"Stat", func() { expect(f.Stat(file, false, &info), nil) }},
		{"Stat, follow", func() { expect(f.Stat(linked, true, &info), nil) }},
		{"Stat, absent", func() { expect(f.Stat(gone, false, &info), syscall.ENOENT) }},
		{"Stat, forged", func() { expect(f.Stat(forged, false, &info), syscall.EINVAL) }},
		{"Stat, local", func() {
			var info Info
			expect(f.Stat(file, false, &info), nil)
		}},
		{"Info", func() { expect(f.Info(&info), nil) }},
		{"Read", func() {
			_, _, _, err := f.Read(file, 5, true, buf)
			expect(err, nil)
		}},
		{"Read, local", func() {
			var buf [64]byte
			_, _, _, err := f.Read(file, 5, true, buf[:])
			expect(err, nil)
		}},
		{"Read, shrunk", func() {
			_, _, _, err := f.Read(file, 9, true, buf)
			expect(err, nil)
		}},
		{"Read, link", func() {
			_, _, _, err := f.Read(linked, 9, true, buf)
			expect(err, syscall.ELOOP)
		}},
		{"OpenFile, Read, Close", func() {
			file, err := f.OpenFile(file, &info)
			expect(err, nil)
			_, err = file.Read(buf)
			expect(err, nil)
			expect(file.Close(), nil)
		}},
		{"Create", func() {
			made[1]++ // a name that is free
			expect(f.Create(made, 0o600, buf, &info), nil)
			expect(f.Create(file, 0o600, buf, &info), syscall.EEXIST)
		}},
		{"Sub, Info, Close", func() {
			for _, beneath := range []bool{true, false} {
				sub, err := f.Sub(below, beneath)
				expect(err, nil)
				expect(sub.Info(&info), nil)
				expect(sub.Close(), nil)
			}
		}},
		{"Sub, link", func() {
			_, err := f.Sub(linked, true)
			expect(err, syscall.ELOOP)
		}},
		{"Sub, name by name", func() {
			sub, err := f.sys.openByNames(below, true)
			expect(err, nil)
			expect(sub.Close(), nil)
		}},
		{"Sub, itself", func() {
			sub, err := f.Sub(below[3:], true)
			expect(err, nil)
			expect(sub.Close(), nil)
		}},
	} {
		if n := testing.AllocsPerRun(100, tc.do); n != 0 {
			t.Errorf("%s: %v allocations", tc.name, n)
		}
	}
	// This checks that the test itself detects allocations.
	if n := testing.AllocsPerRun(100, func() {
		if _, err := os.Lstat(dir); err != nil {
			t.Fatal(err)
		}
	}); n == 0 {
		t.Error("the measurement sees no allocations of os.Lstat")
	}
}
