package dirfd

import (
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestForgedNamesAreRefused checks that a name can refer only to a file of the directory.
func TestForgedNamesAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in", "sub", "file"), "inside")
	write(t, filepath.Join(dir, "secret"), "outside")
	names := []string{
		"", "file", "file\x00\x00", "fi\x00le\x00", "\x00file\x00", // names without a NUL, or with more than one
		"\x00", ".\x00", "..\x00", // names that are empty, or refer to a directory
		"sub/file\x00", "../secret\x00", "/\x00", "sub/\x00", filepath.ToSlash(dir) + "/secret\x00",
	}
	if runtime.GOOS == "windows" {
		names = append(names, ".. \x00", "...\x00", `sub\file`+"\x00", `..\secret`+"\x00", "C:\x00", "sub:x\x00", "NUL\x00")
	}
	f, err := Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	root, err := openRootFolder(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range names {
		b := []byte(name)
		var info Info
		for _, follow := range []bool{true, false} {
			wantErr(t, "stat "+name, f.Stat(b, follow, &info), syscall.EINVAL)
			wantErr(t, "stat "+name, root.Stat(b, follow, &info), syscall.EINVAL)
		}
		_, _, _, err := f.Read(b, 1, true, make([]byte, 2))
		wantErr(t, "read "+name, err, syscall.EINVAL)
		_, _, _, err = root.Read(b, 1, true, make([]byte, 2))
		wantErr(t, "read "+name, err, syscall.EINVAL)
		_, err = f.OpenFile(b, &info)
		wantErr(t, "open "+name, err, syscall.EINVAL)
		_, err = root.OpenFile(b, &info)
		wantErr(t, "open "+name, err, syscall.EINVAL)
	}
	wantErr(t, "stat nil", f.Stat(nil, false, nil), syscall.EINVAL)
}

func TestForgedPathsAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in", "sub", "file"), "inside")
	paths := []string{
		"", "sub", "sub\x00\x00", "s\x00ub\x00", "\x00sub\x00",
		"/\x00", filepath.ToSlash(dir) + "\x00", "//\x00", "/sub\x00",
		"..\x00", "../in\x00", "sub/..\x00", "sub/../..\x00", "./../in/sub\x00", "sub/../sub\x00",
	}
	if runtime.GOOS == "windows" {
		paths = append(paths, `sub\..\..`+"\x00", "sub/.. /..\x00", "C:sub\x00")
	}
	f, err := Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	root, err := openRootFolder(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, path := range paths {
		for _, beneath := range []bool{true, false} {
			_, err := f.Sub([]byte(path), beneath)
			wantErr(t, "sub "+path, err, syscall.EINVAL)
			_, err = root.Sub([]byte(path), beneath)
			wantErr(t, "sub "+path, err, syscall.EINVAL)
		}
	}
	_, err = f.Sub(nil, true)
	wantErr(t, "sub nil", err, syscall.EINVAL)
}
