package opus

import (
	"encoding/binary"
	"strconv"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// vendor is the name of the writer in the comments. It has no version, so that a
// new release does not change files.
const vendor = "assetcook"

// identification returns the OpusHead packet.
func identification(channels, preSkip, sourceRate int) []byte {
	le, l := binary.LittleEndian, layouts()[channels]
	p := append([]byte("OpusHead"), 1, byte(channels))
	p = le.AppendUint16(p, uint16(preSkip))
	p = le.AppendUint32(p, uint32(sourceRate))
	p = append(p, 0, 0) // no gain
	if channels <= 2 {
		return append(p, 0)
	}
	return append(append(p, 1, byte(l.streams), byte(l.coupled)), l.mapping...)
}

// comments returns the OpusTags packet.
func comments(loops []pcm.Loop) []byte {
	var list []string
	for _, l := range loops {
		list = append(list,
			"LOOPSTART="+strconv.FormatInt(l.Start, 10),
			"LOOPLENGTH="+strconv.FormatInt(l.End-l.Start, 10))
	}
	le := binary.LittleEndian
	p := append(le.AppendUint32([]byte("OpusTags"), uint32(len(vendor))), vendor...)
	p = le.AppendUint32(p, uint32(len(list)))
	for _, s := range list {
		p = append(le.AppendUint32(p, uint32(len(s))), s...)
	}
	return p
}
