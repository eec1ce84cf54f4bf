package mp3

import "sync"

// A tree is a prefix code, as pairs of where a bit of 0 and of 1 lead: to another
// pair if positive, else to the leaf ^value.
type tree [][2]int16

// A table is one of those that a granule may choose for pairs.
type table struct {
	tree     tree // nil: all zero
	linear   int  // bits that follow a value of 15
	fastLeaf [256]struct{ value, length uint8 }
}

// tables returns those for pairs, 0 to 31, and for quadruples, 32 and 33.
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

// grow reads a tree from its text and returns what leads to it.
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
