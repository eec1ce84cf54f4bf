package vorbiscomment

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

func block(comments ...string) []byte {
	add := func(b []byte, text string) []byte {
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	b := add(nil, "a vendor")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(comments)))
	for _, c := range comments {
		b = add(b, c)
	}
	return b
}

func TestLoop(t *testing.T) {
	for _, c := range []struct {
		comments string
		want     pcm.Loop
		none     bool
		err      string
	}{
		{comments: "TITLE=x", none: true},
		{comments: "LOOPEND=5", none: true},
		{comments: "LOOPSTART=10", want: pcm.Loop{Start: 10, End: 1000}},
		{comments: "loopstart=10,LoopLength=20", want: pcm.Loop{Start: 10, End: 30}},
		{comments: "LOOPSTART= 10 ,LOOPEND=40", want: pcm.Loop{Start: 10, End: 40}},
		{comments: "LOOPSTART=10,LOOPLENGTH=20,LOOPEND=99", want: pcm.Loop{Start: 10, End: 30}},
		{comments: "LOOPSTART=1,LOOPSTART=2", want: pcm.Loop{Start: 1, End: 1000}},
		{comments: "LOOPSTART=ten", err: `LOOPSTART="ten": want a number`},
		{comments: "LOOPSTART=-1", err: "want a number"},
		{comments: "LOOPSTART=1,LOOPEND=99999999999999999999", err: "LOOPEND"},
	} {
		list, err := Read(block(strings.Split(c.comments, ",")...))
		if err != nil {
			t.Fatal(err)
		}
		l, err := list.Loop()
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.comments, err, c.err)
			}
		case err != nil || (l == nil) != c.none:
			t.Errorf("%s: %v, %v", c.comments, l, err)
		case l != nil && Close(*l, 1000) != c.want:
			t.Errorf("%s: %+v, want %+v", c.comments, Close(*l, 1000), c.want)
		}
	}
}

func TestReadRefusesWhatIsCutOff(t *testing.T) {
	b := block("A=1", "B=2")
	for n := range b {
		if _, err := Read(b[:n]); err == nil {
			t.Errorf("%d of %d bytes: no error", n, len(b))
		}
	}
	if _, err := Read(append(b, 1)); err != nil { // the framing bit of Vorbis
		t.Error(err)
	}
	long := binary.LittleEndian.AppendUint32(block("A=1")[:16], 5000)
	if _, err := Read(append(long, "A=1"...)); err == nil {
		t.Error("a comment of 5000 bytes in three")
	}
	huge := binary.LittleEndian.AppendUint32(block()[:12], 0xffffffff)
	if _, err := Read(huge); err == nil {
		t.Error("four billion comments in nothing")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(block("LOOPSTART=1", "LOOPLENGTH=2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(data)
		if err != nil {
			return
		}
		if l, err := list.Loop(); err == nil && l != nil && l.Start < 0 {
			t.Errorf("%+v", l)
		}
	})
}

func ExampleList_Loop() {
	l, err := List{"LOOPSTART": "1000", "LOOPLENGTH": "5000"}.Loop()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Start, l.End)
	// Output: 1000 6000
}
