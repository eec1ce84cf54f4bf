package memory

import (
	"testing"
)

func TestZeroedPool(t *testing.T) {
	p := New(Options{}).Group("g", GroupOptions{}).Pool("p", PoolOptions{Zeroed: true})
	dirty := func(b []byte) []byte {
		for i := range b {
			b[i] = 0xEE
		}
		return b
	}
	p.Free(nil, dirty(p.Bytes(nil, 1000)))
	for name, alloc := range map[string]func() ([]byte, error){
		"Bytes":     func() ([]byte, error) { return p.Bytes(nil, 1000), nil },
		"TryBytes":  func() ([]byte, error) { return p.TryBytes(nil, 1000) },
		"WaitBytes": func() ([]byte, error) { return p.WaitBytes(t.Context(), nil, 1000) },
		"Resize up, in place": func() ([]byte, error) {
			b, _ := p.Resize(dirty(p.Bytes(nil, 1000)), 900)
			b, err := p.Resize(b, 1000)
			clear(b[:900])
			return b, err
		},
		"Resize up, elsewhere": func() ([]byte, error) {
			p.Free(nil, dirty(p.Bytes(nil, 1000)))
			b, err := p.Resize(dirty(p.Bytes(nil, 100)), 1000)
			clear(b[:100])
			return b, err
		},
	} {
		b, err := alloc()
		if err != nil || len(b) != 1000 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		for i, c := range b {
			if c != 0 {
				t.Errorf("%s: byte %d is %#x", name, i, c)
				break
			}
		}
		p.Free(nil, dirty(b))
	}
}

// The user may have extended the slice up to its capacity, so Resize must keep that content.
func TestResizeKeepsTheContent(t *testing.T) {
	p := New(Options{}).Group("g", GroupOptions{}).Pool("p", PoolOptions{Zeroed: true})
	for _, n := range []int{113, 5000} { // The first size fits in place, and the second needs a move.
		b := p.Bytes(nil, 100)
		b = b[:cap(b)]
		for i := range b {
			b[i] = 1
		}
		resized, err := p.Resize(b, n)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range resized {
			if want := byte(min(1, max(0, len(b)-i))); c != want {
				t.Fatalf("to %d: byte %d is %d, want %d", n, i, c, want)
			}
		}
		p.Free(nil, resized)
	}
}

func TestResizeWithoutTracker(t *testing.T) {
	var p *Pool
	b, err := p.Resize(p.Bytes(nil, 3), 5)
	if b[:3][0] = 7; err != nil || len(b) != 5 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if b, err := p.Resize(b, 1); err != nil || len(b) != 1 || b[0] != 7 {
		t.Errorf("%v, %v", b, err)
	}
	if err := p.Retag(nil, b); err != nil {
		t.Error(err)
	}
	var a Account
	if err := a.Resize(5); err != nil || a != (Account{}) {
		t.Errorf("%+v, %v", a, err)
	}
	f := newFixture(Options{Live: 1})
	f.images.Bytes(nil, 1)
	b = f.images.Bytes(nil, 4)
	b[3] = 9
	if b, err := f.images.Resize(b, 8); err != nil || len(b) != 8 || b[3] != 9 {
		t.Errorf("%v, %v", b, err)
	}
	if b, err := f.images.Resize(nil, 8); err != nil || len(b) != 8 {
		t.Errorf("%v, %v", b, err)
	}
}

func TestResizeMisusePanics(t *testing.T) {
	f := newFixture(Options{})
	b := f.images.Bytes(f.w, 100)
	wantPanic(t, "resize through files/content;100 bytes;"+culprit, func() { f.files.Resize(b, 5) })
	wantPanic(t, "resize;10 bytes after;"+culprit, func() { f.images.Resize(b[10:], 5) })
	wantPanic(t, "retag;not belong to a pool", func() { f.images.Retag(nil, make([]byte, 5)) })
	wantPanic(t, "negative", func() { f.images.Resize(b, -1) })
	a := f.images.group.Grow(nil, 1)
	wantPanic(t, "negative", func() { a.Resize(-1) })
	wantPanic(t, "another tracker", func() { a.Retag(nil, New(Options{}).Group("g", GroupOptions{})) })
	if a.Shrink(); f.images.group.Bytes() != 100 {
		t.Errorf("%d bytes are held, want 100", f.images.group.Bytes())
	}
	if err := f.files.Retag(nil, b); err != nil {
		t.Error(err)
	}
	wantPanic(t, "free through images/pixels;files/content outside of any worker", func() { f.images.Free(nil, b) })
	f.files.Free(nil, b)
	wantPanic(t, "already freed", func() { f.files.Resize(b, 5) })
	wantPanic(t, "already freed", func() { f.files.Retag(nil, b) })
	if f.files.group.Bytes() != 0 {
		t.Errorf("%d bytes are held, want none", f.files.group.Bytes())
	}
}
