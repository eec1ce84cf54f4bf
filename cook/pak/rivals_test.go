package pak

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// An archive is an open archive of any format.
type archive interface {
	find(name string) (offset, size int64, ok bool)
	open(name string) (io.ReadCloser, error)
	Close() error
}

// A rival is a program's archive format to compare with paks, and how the program reads it.
type rival struct {
	name  string
	write func(name string, tree map[string][]byte) error
	mount func(name string) (archive, error)
}

var rivals = []rival{
	{"pak", writePak(0), mountPak},
	{"pak-stored", writePak(-1), mountPak},
	{"zip", writeZip(zip.Deflate), mountZip},
	{"zip-stored", writeZip(zip.Store), mountZip},
	{"godot", writePCK, mountPCK},
	{"quake", writeQuake, mountQuake},
}

type ours struct{ *Pak }

func writePak(level int) func(string, map[string][]byte) error {
	return func(name string, tree map[string][]byte) error {
		_, err := Create(context.Background(), name, filesOf(tree), Options{Level: level, Workers: 2})
		return err
	}
}

func mountPak(name string) (archive, error) {
	p, err := Open(name)
	return ours{p}, err
}

func (p ours) find(name string) (offset, size int64, ok bool) {
	e, ok, err := p.Lookup(name)
	return e.Offset, e.Size, ok && err == nil
}

func (p ours) open(name string) (io.ReadCloser, error) { return p.Open(name) }

// zipped is an open zip file. Package archive/zip indexes the names on the first lookup.
type zipped struct{ *zip.ReadCloser }

func writeZip(method uint16) func(string, map[string][]byte) error {
	return func(name string, tree map[string][]byte) error {
		out, err := os.Create(name)
		if err != nil {
			return err
		}
		defer out.Close()
		w := zip.NewWriter(out)
		for _, n := range slices.Sorted(maps.Keys(tree)) {
			f, err := w.CreateHeader(&zip.FileHeader{Name: n, Method: method})
			if err != nil {
				return err
			}
			if _, err := f.Write(tree[n]); err != nil {
				return err
			}
		}
		return w.Close()
	}
}

func mountZip(name string) (archive, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	return zipped{z}, nil
}

func (z zipped) find(name string) (offset, size int64, ok bool) {
	f, err := z.Open(name)
	if err != nil {
		return 0, 0, false
	}
	defer f.Close()
	info, err := f.Stat()
	return 0, info.Size(), err == nil
}

func (z zipped) open(name string) (io.ReadCloser, error) { return z.Open(name) }

// place is the position of a file in an archive.
type place struct{ offset, size int64 }

// storedIn is an open archive of uncompressed files.
type storedIn struct {
	*os.File
	lookup func(name string) (place, bool)
}

func (s *storedIn) find(name string) (offset, size int64, ok bool) {
	p, ok := s.lookup(name)
	return p.offset, p.size, ok
}

func (s *storedIn) open(name string) (io.ReadCloser, error) {
	p, ok := s.lookup(name)
	if !ok {
		return nil, os.ErrNotExist
	}
	return io.NopCloser(io.NewSectionReader(s.File, p.offset, p.size)), nil
}

// This is PCK, version 2, of Godot 4. A PCK has a header of 96 bytes, the number of files, a record
// for each file, and the data. A record has the length of the path, padded to a multiple of 4, the
// path, offset, size, MD5 and flags. Godot exports data with an alignment of 32 bytes. It opens a
// PCK by putting all files into a hash table, keyed by the MD5 of the path.
const (
	pckHeader = 96
	pckAlign  = 32
)

func writePCK(name string, tree map[string][]byte) error {
	var head, data bytes.Buffer
	names := slices.Sorted(maps.Keys(tree))
	put := func(list ...any) {
		for _, x := range list {
			binary.Write(&head, binary.LittleEndian, x)
		}
	}
	path := func(n string) []byte {
		p := []byte("res://" + n)
		return append(p, make([]byte, -len(p)&3)...)
	}
	base := pckHeader + 4
	for _, n := range names {
		base += 4 + len(path(n)) + 8 + 8 + md5.Size + 4
	}
	base = (base + pckAlign - 1) / pckAlign * pckAlign
	put([]byte("GDPC"), uint32(2), uint32(4), uint32(2), uint32(0), uint32(0), uint64(base), [16]uint32{}, uint32(len(names)))
	for _, n := range names {
		p := path(n)
		put(uint32(len(p)), p, uint64(data.Len()), uint64(len(tree[n])), md5.Sum(tree[n]), uint32(0))
		data.Write(tree[n])
		data.Write(make([]byte, -data.Len()&(pckAlign-1)))
	}
	head.Write(make([]byte, base-head.Len()))
	return os.WriteFile(name, append(head.Bytes(), data.Bytes()...), 0o666)
}

func mountPCK(name string) (archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, 64<<10)
	var header [pckHeader + 4]byte
	if _, err := io.ReadFull(r, header[:]); err != nil || string(header[:4]) != "GDPC" || header[4] != 2 {
		return nil, errors.Join(errors.New("no PCK"), err, f.Close())
	}
	base, count := binary.LittleEndian.Uint64(header[24:]), binary.LittleEndian.Uint32(header[pckHeader:])
	files := map[[md5.Size]byte]place{}
	for range count {
		var n [4]byte
		if _, err := io.ReadFull(r, n[:]); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		rest := make([]byte, binary.LittleEndian.Uint32(n[:])+8+8+md5.Size+4)
		if _, err := io.ReadFull(r, rest); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		path := len(rest) - (8 + 8 + md5.Size + 4)
		files[md5.Sum(bytes.TrimRight(rest[:path], "\x00"))] = place{
			int64(base + binary.LittleEndian.Uint64(rest[path:])), int64(binary.LittleEndian.Uint64(rest[path+8:])),
		}
	}
	return &storedIn{f, func(name string) (place, bool) {
		p, ok := files[md5.Sum([]byte("res://"+name))]
		return p, ok
	}}, nil
}

// This is PAK of Quake. A PAK has "PACK", offset and size of the directory, the data, and the
// directory. A record has 56 bytes of name, the offset and the size. All numbers have 32 bits.
// Quake searches the directory linearly; here a map holds the names, as in newer engines.
const quakeRecord = 64

func writeQuake(name string, tree map[string][]byte) error {
	out := append([]byte("PACK"), make([]byte, 8)...)
	var directory []byte
	for _, n := range slices.Sorted(maps.Keys(tree)) {
		if len(n) > 55 {
			return fmt.Errorf("%s: longer than 55 bytes", n)
		}
		directory = append(append(directory, n...), make([]byte, 56-len(n))...)
		directory = binary.LittleEndian.AppendUint32(directory, uint32(len(out)))
		directory = binary.LittleEndian.AppendUint32(directory, uint32(len(tree[n])))
		out = append(out, tree[n]...)
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)))
	binary.LittleEndian.PutUint32(out[8:], uint32(len(directory)))
	return os.WriteFile(name, append(out, directory...), 0o666)
}

func mountQuake(name string) (archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	var header [12]byte
	if _, err := f.ReadAt(header[:], 0); err != nil || string(header[:4]) != "PACK" {
		return nil, errors.Join(errors.New("no PAK"), err, f.Close())
	}
	directory := make([]byte, binary.LittleEndian.Uint32(header[8:]))
	if _, err := f.ReadAt(directory, int64(binary.LittleEndian.Uint32(header[4:]))); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	files := make(map[string]place, len(directory)/quakeRecord)
	for e := range slices.Chunk(directory, quakeRecord) {
		n, _, _ := bytes.Cut(e[:56], []byte{0})
		files[string(n)] = place{int64(binary.LittleEndian.Uint32(e[56:])), int64(binary.LittleEndian.Uint32(e[60:]))}
	}
	return &storedIn{f, func(name string) (place, bool) { p, ok := files[name]; return p, ok }}, nil
}

func TestRivals(t *testing.T) {
	tree := map[string][]byte{"a": []byte("first"), "b/second.txt": bytes.Repeat([]byte("second "), 300), "empty": {}}
	for _, r := range rivals {
		name := filepath.Join(t.TempDir(), r.name)
		if err := r.write(name, tree); err != nil {
			t.Fatal(err)
		}
		a, err := r.mount(name)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		for file, want := range tree {
			_, size, ok := a.find(file)
			in, err := a.open(file)
			if err != nil || !ok || size != int64(len(want)) {
				t.Fatalf("%s: %s: %v, %v, %d bytes", r.name, file, err, ok, size)
			}
			if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s is %q, %v", r.name, file, got, err)
			}
			in.Close()
		}
		if _, _, ok := a.find("none"); ok {
			t.Errorf("%s: finds what is not there", r.name)
		}
	}
}
