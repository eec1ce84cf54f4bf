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

func TestAddLoop(t *testing.T) {
	for _, c := range []struct {
		comments string
		want     string // expected loops
		warnings int
		err      string
	}{
		{comments: "TITLE=x", want: "[]"},
		{comments: "LOOPEND=5", want: "[{0 5 0 false}]"},
		{comments: "LOOPLENGTH=5", want: "[{0 5 0 false}]"},
		{comments: "LOOPSTART=10", want: "[{10 1000 0 false}]"},
		{comments: "LOOPSTART=0", want: "[{0 1000 0 false}]"},
		{comments: "loopstart=10,LoopLength=20", want: "[{10 30 0 false}]"},
		{comments: "LOOPSTART= 10 ,LOOPEND=40", want: "[{10 40 0 false}]"},
		{comments: "LOOP_START=10,LOOP-END=40", want: "[{10 40 0 false}]"},
		{comments: "LOOP_START=0:00.5,LOOP_END=00:00:01.9999999", want: "[{50 200 0 false}]"},
		{comments: "LOOPSTART=10,LOOPLENGTH=20,LOOPEND=99", want: "[{10 30 0 false}]"},
		{comments: "LOOPSTART=1,LOOPSTART=2", want: "[{1 1000 0 false}]"},
		{comments: "LOOPSTART=10,LOOPEND=2000", want: "[{10 1000 0 false}]", warnings: 1},
		{comments: "LOOPSTART=10,LOOPEND=5", want: "[]", warnings: 1},
		{comments: "LOOPSTART=1000", want: "[]", warnings: 1},
		{comments: "LOOPSTART=ten", err: `LOOPSTART="ten": want a number`},
		{comments: "LOOPSTART=-1", err: "want a number"},
		{comments: "LOOPSTART=1:60", err: "want a number"},
		{comments: "LOOPSTART=1:2:3:4", err: "want a number"},
		{comments: "LOOPSTART=1:", err: "want a number"},
		{comments: "LOOPSTART=1:1.x", err: "want a number"},
		{comments: "LOOPSTART=1,LOOPEND=99999999999999999999", err: "LOOPEND"},
	} {
		list, err := Read(block(strings.Split(c.comments, ",")...))
		if err != nil {
			t.Fatal(err)
		}
		clip := &pcm.Clip{Rate: 100, Channels: 1, Samples: make([]float32, 1000)}
		err = list.AddLoop(clip)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.comments, err, c.err)
			}
			continue
		}
		if got := fmt.Sprint(clip.Loops); err != nil || got != c.want || len(clip.Warnings) != c.warnings {
			t.Errorf("%s: %s, %q, %v, want %s", c.comments, got, clip.Warnings, err, c.want)
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
	if _, err := Read(append(b, 1)); err != nil { // a framing bit follows in Vorbis
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
		clip := &pcm.Clip{Rate: 48000, Channels: 1, Samples: make([]float32, 100)}
		if err := list.AddLoop(clip); err != nil {
			return
		}
		for _, l := range clip.Loops {
			if l.Start < 0 || l.Start >= l.End || l.End > 100 {
				t.Errorf("%+v", l)
			}
		}
	})
}

func ExampleList_AddLoop() {
	clip := &pcm.Clip{Rate: 48000, Channels: 1, Samples: make([]float32, 10000)}
	if err := (List{"LOOPSTART": "1000", "LOOPLENGTH": "5000"}).AddLoop(clip); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(clip.Loops[0].Start, clip.Loops[0].End)
	// Output: 1000 6000
}
