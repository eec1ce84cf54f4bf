package wav

import (
	"encoding/binary"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Sizes and offsets of the smpl chunk.
const (
	smplHeader = 36
	smplLoop   = 24
	smplCount  = 28
)

// What a loop of the smpl chunk does.
const (
	loopForward  = 0
	loopPingPong = 1
)

// loops returns the loops of a sound of so many frames.
func (l *layout) loops(frames int64) []pcm.Loop {
	if l.smpl != nil {
		return smplLoops(l.smpl, frames)
	}
	return regionLoops(l.cues, l.lists, frames)
}

func smplLoops(p []byte, frames int64) []pcm.Loop {
	if len(p) < smplHeader {
		return nil
	}
	count := int(min(binary.LittleEndian.Uint32(p[smplCount:]), maxLoops))
	var loops []pcm.Loop
	for p = p[smplHeader:]; count > 0 && len(p) >= smplLoop; count-- {
		field := func(i int) uint32 { return binary.LittleEndian.Uint32(p[4*i:]) }
		kind := field(1)
		if kind == loopForward || kind == loopPingPong {
			loops = add(loops, pcm.Loop{
				Start: int64(field(2)), End: int64(field(3)) + 1,
				Count: int(min(field(5), 1<<31-1)), PingPong: kind == loopPingPong,
			}, frames)
		}
		p = p[smplLoop:]
	}
	return loops
}

// add appends a loop, cut off at the end of the sound, unless it is empty.
func add(loops []pcm.Loop, loop pcm.Loop, frames int64) []pcm.Loop {
	loop.End = min(loop.End, frames)
	if loop.Start >= loop.End {
		return loops
	}
	return append(loops, loop)
}

// regionLoops finds the regions of a cue list that are called a loop: the cue chunk
// says where one starts, its ltxt chunk how long it is, its labl chunk its name.
func regionLoops(cues, lists []byte, frames int64) []pcm.Loop {
	const point = 24
	length, named := map[uint32]uint32{}, map[uint32]bool{}
	for count := 0; len(lists) >= chunkHeader && count < maxLoops; count++ {
		n := min(uint64(binary.LittleEndian.Uint32(lists[4:])), uint64(len(lists)-chunkHeader))
		id, body := string(lists[:4]), lists[chunkHeader:][:n]
		lists = lists[chunkHeader+n:]
		if n%2 == 1 && len(lists) > 0 {
			lists = lists[1:]
		}
		switch {
		case id == "ltxt" && n >= 8:
			length[binary.LittleEndian.Uint32(body)] = binary.LittleEndian.Uint32(body[4:])
		case id == "labl" && n >= 4 && strings.Contains(strings.ToLower(string(body[4:min(n, 260)])), "loop"):
			named[binary.LittleEndian.Uint32(body)] = true
		}
	}
	var loops []pcm.Loop
	for cues = cues[min(4, len(cues)):]; len(cues) >= point && len(loops) < maxLoops; cues = cues[point:] {
		id, start := binary.LittleEndian.Uint32(cues), int64(binary.LittleEndian.Uint32(cues[20:]))
		if named[id] {
			loops = add(loops, pcm.Loop{Start: start, End: start + int64(length[id])}, frames)
		}
	}
	return loops
}

// appendSmpl appends a smpl chunk that holds the loops.
func appendSmpl(to []byte, rate int, loops []pcm.Loop) []byte {
	le := binary.LittleEndian
	to = le.AppendUint32(append(to, "smpl"...), uint32(smplHeader+smplLoop*len(loops)))
	const middleC = 60 // the note that the sound is, for a sampler
	for _, x := range [9]uint32{2: uint32(1e9 / rate), 3: middleC, 7: uint32(len(loops))} {
		to = le.AppendUint32(to, x)
	}
	for i, loop := range loops {
		kind := uint32(loopForward)
		if loop.PingPong {
			kind = loopPingPong
		}
		for _, x := range [6]uint32{uint32(i), kind, uint32(loop.Start), uint32(loop.End - 1), 0, uint32(loop.Count)} {
			to = le.AppendUint32(to, x)
		}
	}
	return to
}
