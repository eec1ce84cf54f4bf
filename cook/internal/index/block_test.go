package index

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
)

// manyBlocks builds an index of about 40 blocks.
func manyBlocks(t *testing.T) []byte {
	var c content
	for folder := range 100 {
		c.folders = append(c.folders, listed{scan.Folder{Path: fmt.Sprintf("d%02d", folder)}, true, Assets})
		for i := range 100 {
			path := fmt.Sprintf("d%02d/f%02d.bin", folder, i)
			c.files = append(c.files, File{Path: path, Stamp: stamp(int64(1 + 100*folder + i)), Blob: blob(byte(i))})
			c.actions = append(c.actions, Action{Path: path, Method: Method{{"recipe", "copy"}}, Made: []Artifact{{Path: path}}})
		}
	}
	c.files = append(c.files, File{Path: "d50/cook.toml", Role: Config})
	data := build(c)
	if n := blockCount(len(data)); n < 30 {
		t.Fatalf("%d blocks", n)
	}
	return data
}

func openLazily(t *testing.T, data []byte) *Index {
	x, err := Open(bytes.Clone(data), noChanges(mustOpen(t, bytes.Clone(data)), vouching{}))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ask looks up one asset, as a query does.
func ask(x *Index) error {
	return Guard(func() error {
		if err := x.Load(); err != nil {
			return err
		}
		f, ok := x.Files().File("d33/f44.bin")
		actions := x.Results().ActionsOf("d33/f44.bin")
		owner, _ := x.Results().Owner("d33/f44.bin")
		if !ok || f.Blob != blob(44) || len(actions) != 1 || len(actions[0].Made) != 1 || owner != "d33/f44.bin" || len(x.Files().Configs()) != 1 {
			return fmt.Errorf("%v, %v, made by %q, %v", f, actions, owner, x.Files().Configs())
		}
		return nil
	})
}

func TestQueryReadsFewBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	data := manyBlocks(t)
	x := openLazily(t, data)
	if err := ask(x); err != nil {
		t.Fatal(err)
	}
	base := x.base
	touched, all := 0, blockCount(len(base.data)-len(base.seals)-headerSize)
	for b := range all {
		bad := bytes.Clone(data)
		bad[headerSize+b*blockSize] ^= 1
		x, err := Open(bad, noChanges(mustOpen(t, bytes.Clone(data)), vouching{}))
		if err != nil {
			t.Fatal(err)
		}
		err = ask(x)
		if base.sealed[b/32].Load()>>(b%32)&1 != 0 {
			touched++
			if !errors.Is(err, ErrFault) {
				t.Errorf("damaged block %d, which the query reads: error %v", b, err)
			}
		} else if err != nil {
			t.Errorf("damaged block %d, which the query does not read: error %v", b, err)
		}
		if err := x.Check(); !errors.Is(err, ErrDamaged) {
			t.Errorf("damaged block %d: Check returns %v", b, err)
		}
	}
	if touched == 0 || touched > all/2 {
		t.Errorf("the query reads %d of %d blocks", touched, all)
	}
}

func TestRewriteSealsChangedBlocks(t *testing.T) {
	x := openLazily(t, manyBlocks(t))
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	n := x.Edit()
	for _, path := range []string{"d00/f00.bin", "d55/f00.bin", "d99/f99.bin"} {
		ref, _, ok := x.Files().Find(path)
		if !ok {
			t.Fatal(path)
		}
		n.Restamp(ref, stamp(77777), true)
	}
	flat, changes := rewriteBase(x)
	again, err := Open(bytes.Clone(flat.data), changes)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Check(); err != nil {
		t.Fatal(err)
	}
	if f, ok := again.Files().File("d55/f00.bin"); !ok || f.Stamp != stamp(77777) {
		t.Errorf("%v", f)
	}
}

func TestChangedBlockIsSealedOnce(t *testing.T) {
	x := openLazily(t, manyBlocks(t)).base
	var rows bitset
	for i := range x.nodes().len() {
		rows.insertRow(i)
	}
	have := x.sealAgain(map[int]*bitset{secNodes: &rows})
	if want := blockCount(x.nodes().len()*nodeSize) + 1; have > want {
		t.Errorf("%d blocks, want at most %d", have, want)
	}
}

func TestDamageInLastByteOfRead(t *testing.T) {
	data := manyBlocks(t)
	x, err := openFlat(bytes.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.sealed {
		x.sealed[i].Store(0)
	}
	const second = headerSize + blockSize
	x.data[second] ^= 1
	if err := noticing(func() error { x.checkRange(second-1, 1); return nil }); err != nil {
		t.Errorf("reading the byte before the damaged block: error %v", err)
	}
	if err := noticing(func() error { x.checkRange(second-1, 2); return nil }); !errors.Is(err, ErrDamaged) {
		t.Errorf("reading the first byte of the damaged block: error %v", err)
	}
}

// TestTornVouchesAreReadOrRefused decodes a vouching with a changed or missing byte. The decoder
// must return ErrDamaged or a value, and must not panic.
func TestTornVouchesAreReadOrRefused(t *testing.T) {
	v := newVouching(hashing.Digest{}, []Vouch{{"pc", []string{"a", "b/c"}}, {"", nil}})
	good := v.appendVouches(nil)
	read := func(b []byte) error {
		var got vouching
		err := got.decodeVouches(b)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("error %v, want ErrDamaged", err)
		}
		for i := range got.vouches {
			got.vouches[i].eachPending(func(string) {})
		}
		return err
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if read(good[:i]) == nil && i != 0 && i != totalsSize+8 {
			t.Errorf("cut to %d bytes: read", i)
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := append([]byte(nil), good...)
			bad[i] ^= flip
			read(bad)
		}
	}
	if read(append(good[:len(good):len(good)], good...)) == nil {
		t.Error("a repeated target is accepted")
	}
}
