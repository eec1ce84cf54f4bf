package mp3

import "sync"

// A tree is a prefix code. Each pair holds the targets for a 0 bit and for a 1 bit: the index of
// another pair if positive, otherwise the leaf ^value.
type tree [][2]int16

// A table is a Huffman code for pairs of values. Each region of a granule selects a table.
type table struct {
	tree     tree // nil if all values are zero
	linear   int  // number of bits after a value of 15 (linbits)
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
		growTree(&one.tree, &text)
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

// growTree parses a tree from its text. It returns the target that refers to the tree.
func growTree(t *tree, text *string) int16 {
	if (*text)[0] != '.' {
		value := hex((*text)[0])<<4 | hex((*text)[1])
		*text = (*text)[2:]
		return ^value
	}
	*text = (*text)[1:]
	node := int16(len(*t))
	*t = append(*t, [2]int16{})
	left := growTree(t, text)
	right := growTree(t, text)
	(*t)[node] = [2]int16{left, right}
	return node
}

func hex(c byte) int16 {
	if c >= 'a' {
		return int16(c-'a') + 10
	}
	return int16(c - '0')
}

// readValue reads one code word and returns its leaf.
func (t *table) readValue(r *bitReader) int {
	if leaf := &t.fastLeaf[r.peekBits()>>24]; leaf.length > 0 {
		r.at += int(leaf.length)
		return int(leaf.value)
	}
	node := int16(0)
	for node >= 0 {
		node = t.tree[node][r.bits(1)]
	}
	return int(^node)
}

// readPair reads two values with their signs.
func (t *table) readPair(r *bitReader) (x, y int) {
	if t.tree == nil {
		return 0, 0
	}
	v := t.readValue(r)
	return t.readSign(r, v>>4), t.readSign(r, v&15)
}

func (t *table) readSign(r *bitReader, v int) int {
	if v == 15 && t.linear > 0 {
		v += r.bits(t.linear)
	}
	if v != 0 && r.readBit() {
		return -v
	}
	return v
}

// A bitReader reads bits, highest bit of each byte first. After the end it reads zeros.
type bitReader struct {
	data []byte
	at   int // offset of the next bit
}

// bits reads n bits, at most 24.
func (r *bitReader) bits(n int) int {
	v := r.peekBits() >> (32 - n)
	r.at += n
	return int(v)
}

func (r *bitReader) readBit() bool { return r.bits(1) != 0 }

// peekBits returns at least the next 25 bits, from the highest bit down, without consuming them.
func (r *bitReader) peekBits() uint32 {
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

// The tables of ISO/IEC 11172-3 (MPEG 1) and 13818-3 (MPEG 2), and the additions of MPEG 2.5.

// trees are the codes of table B.7, by the number of the first table that uses them. The text of a
// tree is a dot, its left branch (a 0 bit) and its right branch; a leaf is the two values of a pair
// in hexadecimal. 32 and 33 are the two tables for quadruples, whose leaves are four bits.
var trees = [34]string{
	1: "...11011000",
	2: "......220212.212011.011000",
	3: "......220212.21201011.0100",
	5: "........33233231..1303.3022..1221.022011.011000",
	6: ".......330323.3230.1331..220212..212001.11.1000",
	7: "..........5545.5453.3544..255215..51.0534.50.4333...244214.4140....0423.3203.1331..302212..21.02" +
		"2011.011000",
	8: "...........55544553..354425..520515..51.3443..503324...421441..0440.2332....1331.033022.0220.122" +
		"111..011000",
	9: ".........554535.53.5405..4425.5215..5134.43.5004...2442.3340.1441...233213.31.0330...220212.2120" +
		"..1101.1000",
	10: "...........7767.7657..756647..7456.6537...7346..555463.2772....640770.62.4535..06.534417...71.36" +
		"26...255215.51.3443..1661.60.0550.....2442.3304.1441..4023.3203..1331.3022...1221.022011.011000",
	11: "..........7767.7675..6647.74.5755...566537.7346....4554.355327.72.6407..71.1770..3663.60.4425..." +
		"..52051562..260616..61.5134..50.4333.2442.....1441.0440.2332.1331...03302221..12.022011..011000",
	12: "..........776776.5775..6647.7465..5637..735527...7246.6417..71.0770.3663....4554.44.0605.2662..6" +
		"1.1660..3553.2552....1551.3443...500424.4214..3341.2332.....40033013.3122.1221....02200011.0110",
	13: "...................fefcfdedff.efdf..eecf.debf...fbce.dc.afe9.ecdd....facdbe.eb9f..f9ea.bddb....8" +
		"ff8.cc.ae9e..8e.7f7ef7..da.adbc..cbf66f....e85f.9dd9..f5e7.acbb...4ff4..cae6f3.3f.8dd8....2ff2.." +
		"6e9c0f...c95eab..7dd74e....c8d63e.b9.9baa.1ff1....f0.bae5..e48c.6de3..e2.2e0e.1ee1....e05d.d57c." +
		".c74d.8bb8...d49a.a96c.c63d......d37b2d.d21d..b7.5cc5..997ac3....a7974bd1..0dd0.8aa8....4cc4.6bb" +
		"6.3c2c..c25b..b5891c.....c1.980c.c0.b46a...a6793b.b3.885a...2b.a569.a4.7887..94.7776b2...1bb1..0" +
		"bb0.964a...3aa3.5995.2aa2.....1aa1..0a68a0...864993..3958.8567...2992..577538..83.6647..7456.657" +
		"3...1991..0990.4884...72.466428.8218......372717.71.5507...7036.6345..5426.6235..81.0880..1661.0" +
		"660.....534425.5205.1551...3443.5024..423314....41.0440..233213..3103.3022..1221.0220..11011000",
	15: ".............ffef.fedf.ee.fdcf...fcde.edbf.fb.ceec...ddaf.fabe..ebcd.dc9f....f9ea.bddb..8ff8.cc9" +
		"e...e97f.f7ad..dabc.6f.ae0f....cbf6..8ee8.5f9d..f57e.e7ac...cabb..d98d4f..f43f.f3d8.....e62f.f2." +
		"6ef0..1ff1.9cc9...5eab.bae5..7dd7.4ee4....8cc8.3e6d..d6e3.9bb9...2eaa.e21e..e1.0ee0.5dd5......7c" +
		"c7.4d8b.d4.b89a...a96c.c63d.d3d2....2d0d1d.7bb7..d1.5cd0.c58a....a84c.c46b..b6.990c.3cc3...7aa7." +
		"a6.c00b.c2.2c5b......b51c.8998..c14b.b46a...3b79b3..9788.2b5a...b2.a51b.b1.b069...964a.a478..873" +
		"aa3....5995.2aa2..1aa1..0aa068...8649.9439..93.7709.5885......2967.7692.91.1990...4884.5775..388" +
		"3.6647...2882.1881...7408.8056..6537.7346....2772.6417..5571..077036...6345.5426..6216..066035.." +
		"...61.5344.2552..1551..055034...4324.4233.41.1404...2332..400313..313022....1221.022011..011000",
	16: "...........effe.dffd..cffc.bffb..af.fa9f..f9f88f...7ff7.6ff6ff....5ff54f.f4f3..f0.3f......ce.ecd" +
		"dde.e9.ead9.ee.edeb..becd..dcdbae...cc.adda..7eacca...c97d5ebdf2....2f0f1f.f1.....9e.bccb..8ee8." +
		"9de7...bb8d.d86e.e69c....abba.e5d7.4e.e48c..c83e.6d.d69b.....b9aae1.d4.b8a9..7b.b7d0e3...0ee0.5d" +
		"d5..7cc7.4d8b.......9a6c.c63d..5cc50d...8aa8.994c..b67a3c....5b891c.c0.9879.e2.2e1e....d32d.d2d1" +
		"..3b.97881d...c46b.c3a7.2c.c2b5.....c10c.4bb4..6aa6b3...5aa52b.b21b...b1.0bb0..6996.4aa4...7887a" +
		"3..3a592a........9568a1..867794...495767a2..1a.0aa0..3993.5885...2992..760919..91.9048..8475.388" +
		"3.....662882..477418..8180..085637...73.6546.2772...64550717....71.7036..6345.5426..6216.61.0660" +
		"...53.3544.2552.51.1505......3443.5024..423314..41.0440.2332..1331..033022..1221.0220..11011000",
	24: "........effe.dffd..cffc.bffb..fa.af9f.f9f8....8f7ff7.6ff6..5ff5.4ff4....3ff3.2ff2..f1.1ff0...0f." +
		".eede.edce...ecdd.beeb..cddc.aeea....bddb.cc9e..e9ad.dabc...cb8e.e89d..d97e.e7acff.........cabb." +
		"8dd8...0ee00de6...6e9cc9.5eba...e5.ab7d.d7e4..8cc8..4e2e3e....6dd6.e39b..b9aa.e21e...e15d.d57c.." +
		"c74d.8bb8.....d49a.a96c..c63d.d32d...d21d.7bb7..d15c.c58a....a899.4cc4..6bb6..d00c3c...c37a.a72c" +
		"..c25b.b51c......8998.c14b...c00b3b..b00a1a..b4.6aa6..7997..a00990...b388..2b5ab2...a51b.b169.96" +
		"a4.....4a7887.3aa3..5995.2aa2...a168.8677..4994.3993......5885.2967..7692.1991...4884.5775..3883" +
		".6628....8218.4774..81.0880.5665...17.077073..372772....4664.5571..3663.4554...2662.1661...06603" +
		"5.5344.......2552.15.0550.51.3443..2442.3314...41.0440.2332.1331....03302212.21.0220..1101.1000",
	32: "......0b0f.0d0e..070509..0603.0a0c..0201.040800",
	33: "....0f0e.0d0c..0b0a.0908...0706.0504..0302.0100",
}

// window is the first half of the synthesis window of table B.3, in units of 1/65536; fullWindow
// computes the second.
var window = [257]int32{
	0, -1, -1, -1, -1, -1, -1, -2, -2, -2, -2, -3, -3, -4, -4, -5,
	-5, -6, -7, -7, -8, -9, -10, -11, -13, -14, -16, -17, -19, -21, -24, -26,
	-29, -31, -35, -38, -41, -45, -49, -53, -58, -63, -68, -73, -79, -85, -91, -97,
	-104, -111, -117, -125, -132, -139, -147, -154, -161, -169, -176, -183, -190, -196, -202, -208,
	213, 218, 222, 225, 227, 228, 228, 227, 224, 221, 215, 208, 200, 189, 177, 163,
	146, 127, 106, 83, 57, 29, -2, -36, -72, -111, -153, -197, -244, -294, -347, -401,
	-459, -519, -581, -645, -711, -779, -848, -919, -991, -1064, -1137, -1210, -1283, -1356, -1428, -1498,
	-1567, -1634, -1698, -1759, -1817, -1870, -1919, -1962, -2001, -2032, -2057, -2075, -2085, -2087, -2080, -2063,
	2037, 2000, 1952, 1893, 1822, 1739, 1644, 1535, 1414, 1280, 1131, 970, 794, 605, 402, 185,
	-45, -288, -545, -814, -1095, -1388, -1692, -2006, -2330, -2663, -3004, -3351, -3705, -4063, -4425, -4788,
	-5153, -5517, -5879, -6237, -6589, -6935, -7271, -7597, -7910, -8209, -8491, -8755, -8998, -9219, -9416, -9585,
	-9727, -9838, -9916, -9959, -9966, -9935, -9863, -9750, -9592, -9389, -9139, -8840, -8492, -8092, -7640, -7134,
	6574, 5959, 5288, 4561, 3776, 2935, 2037, 1082, 70, -998, -2122, -3300, -4533, -5818, -7154, -8540,
	-9975, -11455, -12980, -14548, -16155, -17799, -19478, -21189, -22929, -24694, -26482, -28289, -30112, -31947, -33791, -35640,
	-37489, -39336, -41176, -43006, -44821, -46617, -48390, -50137, -51853, -53534, -55178, -56778, -58333, -59838, -61289, -62684,
	-64019, -65290, -66494, -67629, -68692, -69679, -70590, -71420, -72169, -72835, -73415, -73908, -74313, -74630, -74856, -74992,
	75038,
}

// A bandTable holds the first lines of the scale factor bands of long and short blocks at one
// sampling rate.
type bandTable struct {
	rate  int
	long  [23]int
	short [14]int
}

var bandTables = [...]bandTable{
	{44100,
		[23]int{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 52, 62, 74, 90, 110, 134, 162, 196, 238, 288, 342, 418, 576},
		[14]int{0, 4, 8, 12, 16, 22, 30, 40, 52, 66, 84, 106, 136, 192}},
	{48000,
		[23]int{0, 4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576},
		[14]int{0, 4, 8, 12, 16, 22, 28, 38, 50, 64, 80, 100, 126, 192}},
	{32000,
		[23]int{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 82, 102, 126, 156, 194, 240, 296, 364, 448, 550, 576},
		[14]int{0, 4, 8, 12, 16, 22, 30, 42, 58, 78, 104, 138, 180, 192}},
	{22050,
		[23]int{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		[14]int{0, 4, 8, 12, 18, 24, 32, 42, 56, 74, 100, 132, 174, 192}},
	{24000,
		[23]int{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 114, 136, 162, 194, 232, 278, 332, 394, 464, 540, 576},
		[14]int{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 136, 180, 192}},
	{16000,
		[23]int{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		[14]int{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192}},
	{11025,
		[23]int{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		[14]int{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192}},
	{12000,
		[23]int{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		[14]int{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192}},
	{8000,
		[23]int{0, 12, 24, 36, 48, 60, 72, 88, 108, 132, 160, 192, 232, 280, 336, 400, 476, 566, 568, 570, 572, 574, 576},
		[14]int{0, 8, 16, 24, 36, 52, 72, 96, 124, 160, 162, 164, 166, 192}},
}

// bandsAt returns the band table for a rate. It panics if MP3 does not support the rate.
func bandsAt(rate int) *bandTable {
	i := 0
	for bandTables[i].rate != rate {
		i++
	}
	return &bandTables[i]
}
