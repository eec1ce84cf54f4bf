package mp3

import "sync"

// A tree is a prefix code. A pair has the targets of a bit of 0 and of 1: another pair if positive,
// else the leaf ^value.
type tree [][2]int16

// A table is a code for pairs that a granule may choose.
type table struct {
	tree     tree // nil: all zero
	linear   int  // bits after a value of 15
	fastLeaf [256]struct{ value, length uint8 }
}

// tables returns the tables for pairs, 0 to 31, and for quadruples, 32 and 33.
var tables = sync.OnceValue(func() *[34]table {
	t := new([34]table)
	linear := map[int][]int{16: {1, 2, 3, 4, 6, 8, 10, 13}, 24: {4, 5, 6, 7, 8, 9, 11, 13}}
	for first, text := range trees {
		if text == "" {
			continue
		}
		var one table
		grow(&one.tree, &text)
		for i := range one.fastLeaf {
			node := int16(0)
			for length := uint8(1); length <= 8; length++ {
				if node = one.tree[node][i>>(8-length)&1]; node < 0 {
					one.fastLeaf[i].value, one.fastLeaf[i].length = uint8(^node), length
					break
				}
			}
		}
		t[first] = one
		for k, bits := range linear[first] {
			one.linear = bits
			t[first+k] = one
		}
	}
	return t
})

// grow parses a tree from its text and returns the target that leads to it.
func grow(t *tree, text *string) int16 {
	if (*text)[0] != '.' {
		value := hex((*text)[0])<<4 | hex((*text)[1])
		*text = (*text)[2:]
		return ^value
	}
	*text = (*text)[1:]
	node := int16(len(*t))
	*t = append(*t, [2]int16{})
	left := grow(t, text)
	right := grow(t, text)
	(*t)[node] = [2]int16{left, right}
	return node
}

func hex(c byte) int16 {
	if c >= 'a' {
		return int16(c-'a') + 10
	}
	return int16(c - '0')
}

// value reads one code word.
func (t *table) value(r *bitReader) int {
	if leaf := &t.fastLeaf[r.peek()>>24]; leaf.length > 0 {
		r.at += int(leaf.length)
		return int(leaf.value)
	}
	node := int16(0)
	for node >= 0 {
		node = t.tree[node][r.bits(1)]
	}
	return int(^node)
}

// pair reads two values with their signs.
func (t *table) pair(r *bitReader) (x, y int) {
	if t.tree == nil {
		return 0, 0
	}
	v := t.value(r)
	return t.signed(r, v>>4), t.signed(r, v&15)
}

func (t *table) signed(r *bitReader, v int) int {
	if v == 15 && t.linear > 0 {
		v += r.bits(t.linear)
	}
	if v != 0 && r.bit() {
		return -v
	}
	return v
}

// A bitReader reads each byte from its highest bit on. After the end it reads zeros.
type bitReader struct {
	data []byte
	at   int // in bits
}

// bits reads n bits, at most 24.
func (r *bitReader) bits(n int) int {
	v := r.peek() >> (32 - n)
	r.at += n
	return int(v)
}

func (r *bitReader) bit() bool { return r.bits(1) != 0 }

// peek returns at least the next 25 bits, the first one highest.
func (r *bitReader) peek() uint32 {
	v := uint64(0)
	i := r.at >> 3
	for k := range 5 {
		v <<= 8
		if i+k < len(r.data) {
			v |= uint64(r.data[i+k])
		}
	}
	return uint32(v << (r.at & 7) >> 8)
}
