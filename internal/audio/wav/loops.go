package wav

import (
	"encoding/binary"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// These are sizes and offsets in the smpl chunk.
const (
	smplHeader = 36
	smplLoop   = 24
	smplCount  = 28
)

// middleC is the MIDI note that plays a sound unchanged, unless the sound declares another note.
const middleC = 60

// These are the kinds of loops in the smpl chunk.
const (
	loopForward  = 0
	loopPingPong = 1
)

// LoopChunks holds the bodies of the chunks of a RIFF file that describe loops.
type LoopChunks struct {
	smpl, cues, plays []byte
	lists             [][]byte // LIST chunks of type adtl
	dls               bool     // set if the file has a wsmp chunk with loops
	lost              []string // other properties of the sound that a clip cannot hold
}

// Take stores a chunk if it may describe loops. After a smpl chunk with loops it ignores other smpl
// chunks.
func (l *LoopChunks) Take(id string, body []byte) {
	switch {
	case id == "smpl" && (l.smpl == nil || smplCountOf(l.smpl) == 0):
		l.smpl = body
	case id == "cue " && l.cues == nil:
		l.cues = body
	case id == "plst" && l.plays == nil:
		l.plays = body
	case id == "LIST" && len(body) >= 4 && string(body[:4]) == "adtl":
		l.lists = append(l.lists, body[4:])
	case id == "acid" && len(body) >= 24 && body[0]&1 == 0 && binary.LittleEndian.Uint32(body[20:]) != 0:
		l.lost = append(l.lost, "the tempo (chunk acid)")
	case id == "inst" && len(body) >= 7 && (body[0] != middleC || body[1] != 0 || body[2] != 0):
		l.lost = append(l.lost, "root note, tuning and gain of a sampler (chunk inst)")
	case id == "wsmp":
		l.dls = l.dls || len(body) >= 20 && binary.LittleEndian.Uint32(body[16:]) > 0
	}
}

// AddTo adds the loops of the smpl chunk to a clip. If that chunk has no loops, AddTo adds the
// regions of the cue list.
func (l *LoopChunks) AddTo(clip *pcm.Clip) {
	for _, part := range l.lost {
		clip.Lose(part)
	}
	if len(l.smpl) >= smplHeader && (binary.LittleEndian.Uint32(l.smpl[12:]) != middleC || binary.LittleEndian.Uint32(l.smpl[16:]) != 0) {
		clip.Lose("the root note of a sampler (chunk smpl)")
	}
	if hasMarkers(l.cues, l.lists) {
		clip.Lose("markers (chunk cue)")
	}
	addSmplLoops(clip, l.smpl)
	if len(clip.Loops) > 0 {
		return
	}
	addRegions(clip, l.cues, l.lists)
	if len(clip.Loops) > 0 {
		return
	}
	if l.dls {
		clip.Warn("loops in a wsmp chunk are not supported; save the loops in a smpl chunk")
	}
	if repeatsParts(l.plays) {
		clip.Warn("repeats in a play list (plst chunk) are not supported; save them as loops in a smpl chunk")
	}
}

// smplCountOf returns the number of loops that a smpl chunk declares.
func smplCountOf(p []byte) uint32 {
	if len(p) < smplHeader {
		return 0
	}
	return binary.LittleEndian.Uint32(p[smplCount:])
}

func addSmplLoops(clip *pcm.Clip, p []byte) {
	if p == nil {
		return
	}
	if len(p) < smplHeader {
		clip.Warn("the smpl chunk has only %d of %d bytes, so its loops are lost; export the file again", len(p), smplHeader)
		return
	}
	claimed, held := int64(smplCountOf(p)), int64(len(p)-smplHeader)/smplLoop
	extra := int64(binary.LittleEndian.Uint32(p[smplCount+4:])) // size of the sampler data after the loops
	switch {
	case claimed > held:
		clip.Warn("the smpl chunk claims %d loops but has %d; export the file again", claimed, held)
	case claimed == 0 && extra < smplLoop && held > 0:
		clip.Warn("the smpl chunk claims no loops but has data for %d; export the file again", held)
	}
	if claimed = min(claimed, held); claimed > maxLoops {
		clip.Warn("the sound has %d loops, but only the first %d are kept", claimed, maxLoops)
		claimed = maxLoops
	}
	for p = p[smplHeader:]; claimed > 0; claimed-- {
		field := func(i int) uint32 { return binary.LittleEndian.Uint32(p[4*i:]) }
		loop := pcm.Loop{Start: int64(field(2)), End: int64(field(3)) + 1, Count: int(min(field(5), 1<<31-1))}
		switch kind := field(1); kind {
		case loopForward, loopPingPong:
			loop.PingPong = kind == loopPingPong
			clip.AddLoop(loop)
		default:
			clip.Warn("the loop from frame %d to %d has type %d (2 is backward) and is left out; use forward or ping-pong loops",
				loop.Start, loop.End, kind)
		}
		p = p[smplLoop:]
	}
}

// A region holds the entries of an adtl list for one cue point.
type region struct {
	label  string // label in lower case
	length uint32
}

// readRegions reads regions from adtl lists. ltxt chunks have lengths, and both ltxt and labl
// chunks have labels.
func readRegions(lists [][]byte) map[uint32]region {
	regions := map[uint32]region{}
	for _, list := range lists {
		for count := 0; len(list) >= chunkHeader && count < maxLoops; count++ {
			n := min(uint64(binary.LittleEndian.Uint32(list[4:])), uint64(len(list)-chunkHeader))
			id, body := string(list[:4]), list[chunkHeader:][:n]
			list = list[chunkHeader+n:]
			if n%2 == 1 && len(list) > 0 {
				list = list[1:]
			}
			name := 4 // offset of the text in the chunk
			if id == "ltxt" {
				name = 20
			}
			if id != "ltxt" && id != "labl" || n < 8 && id == "ltxt" || n < 4 {
				continue
			}
			r := regions[binary.LittleEndian.Uint32(body)]
			if id == "ltxt" {
				r.length = binary.LittleEndian.Uint32(body[4:])
			}
			if int(n) > name {
				r.label += strings.ToLower(string(body[name:min(int(n), name+256)]))
			}
			regions[binary.LittleEndian.Uint32(body)] = r
		}
	}
	return regions
}

// addRegions adds the regions of a cue list that have "loop" in their labels. The cue chunk has
// their start positions. Two points without length, labeled as start and end of a loop, also form a
// region.
func addRegions(clip *pcm.Clip, cues []byte, lists [][]byte) {
	const point, none = 24, -1
	regions := readRegions(lists)
	from, until := int64(none), int64(none)
	for cues = cues[min(4, len(cues)):]; len(cues) >= point && len(clip.Loops) < maxLoops; cues = cues[point:] {
		id, start := binary.LittleEndian.Uint32(cues), int64(binary.LittleEndian.Uint32(cues[20:]))
		r := regions[id]
		switch {
		case !strings.Contains(r.label, "loop"):
		case r.length > 0:
			clip.AddLoop(pcm.Loop{Start: start, End: start + int64(r.length)})
		case strings.Contains(r.label, "start") && from == none:
			from = start
		case strings.Contains(r.label, "end") && until == none:
			until = start
		default:
			clip.Warn("the marker %.40q at frame %d has no length, so it is not a loop; make it a region", strings.TrimRight(r.label, "\x00"), start)
		}
	}
	switch {
	case from != none && until != none:
		clip.AddLoop(pcm.Loop{Start: from, End: until})
	case from != none || until != none:
		clip.Warn("a loop has only one of its start and end markers, at frame %d; set the other marker", max(from, until))
	}
}

// hasMarkers reports whether a cue list has points that do not describe loops.
func hasMarkers(cues []byte, lists [][]byte) bool {
	const point = 24
	regions := readRegions(lists)
	for cues = cues[min(4, len(cues)):]; len(cues) >= point; cues = cues[point:] {
		if !strings.Contains(regions[binary.LittleEndian.Uint32(cues)].label, "loop") {
			return true
		}
	}
	return false
}

// repeatsParts reports whether a play list repeats one of its segments.
func repeatsParts(plays []byte) bool {
	const part = 12
	for plays = plays[min(4, len(plays)):]; len(plays) >= part; plays = plays[part:] {
		if binary.LittleEndian.Uint32(plays[8:]) > 1 {
			return true
		}
	}
	return false
}

// appendSmpl appends a smpl chunk with the given loops.
func appendSmpl(to []byte, rate int, loops []pcm.Loop) []byte {
	le := binary.LittleEndian
	to = le.AppendUint32(append(to, "smpl"...), uint32(smplHeader+smplLoop*len(loops)))
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
