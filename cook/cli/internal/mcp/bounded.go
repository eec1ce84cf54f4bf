package mcp

import "bytes"

// boundedLines is a writer that keeps the first lines of an output, and counts the others. It keeps
// no part of a line.
type boundedLines struct {
	lines int  // maximum number of lines
	whole bool // if set, only the number of bytes is limited

	kept  bytes.Buffer
	part  []byte // current line
	long  bool   // true if the current line does not fit
	count int    // number of lines in kept
	more  int    // number of other lines
}

func (b *boundedLines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		line := p
		if end >= 0 {
			line = p[:end+1]
		}
		p = p[len(line):]
		if b.overflows(len(line)) {
			b.part, b.long = nil, true
		} else {
			b.part = append(b.part, line...)
		}
		if end >= 0 {
			b.endLine()
		}
	}
	return n, nil
}

// overflows reports whether the current line does not fit if n bytes are added to it.
func (b *boundedLines) overflows(n int) bool {
	return b.long || b.more > 0 || !b.whole && b.count >= b.lines || b.kept.Len()+len(b.part)+n > mostBytes
}

// endLine keeps or counts the current line.
func (b *boundedLines) endLine() {
	if b.long {
		b.more++
	} else {
		b.kept.Write(b.part)
		b.count++
	}
	b.part, b.long = b.part[:0], false
}

// omittedLines ends the output, and returns the number of lines that were not kept.
func (b *boundedLines) omittedLines() int {
	if len(b.part) > 0 || b.long {
		b.endLine()
	}
	return b.more
}

// headOf ends the output and returns at most the given number of bytes of the lines that were kept.
func (b *boundedLines) headOf(most int) string {
	b.omittedLines()
	return string(b.kept.Bytes()[:min(b.kept.Len(), most)])
}
