package exr

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// The storage methods of DWA for channels, numbered as in files.
const (
	storedDeflated = iota // row by row, by DEFLATE
	storedWaves           // blocks of 8 by 8 values, by a DCT and quantization
	storedRuns            // byte by byte, by RLE and DEFLATE
)

// A dwaRule says how channels with a name and a kind are stored.
type dwaRule struct {
	name   string
	kind   kind
	stored int
	color  int  // 0 to 2 for red, green and blue, or -1
	fold   bool // true if the case of the name does not matter
}

// oldRules returns the rules of files that store none.
func oldRules() (rules []dwaRule) {
	for i, names := range [...]string{"r red", "g grn green", "b blu blue", "y by ry"} {
		for name := range strings.FieldsSeq(names) {
			for _, k := range [2]kind{half, float} {
				rules = append(rules, dwaRule{name, k, storedWaves, i, true})
				if i == 3 {
					rules[len(rules)-1].color = -1
				}
			}
		}
	}
	for _, k := range [3]kind{whole, half, float} {
		rules = append(rules, dwaRule{"a", k, storedRuns, -1, true})
	}
	return rules
}

// readDWARules reads the rules at the start of packed: the size of the list in bytes, and for each
// rule a name, a byte of flags, and the kind. It returns the remaining bytes.
func readDWARules(packed []byte) (rules []dwaRule, rest []byte, err error) {
	if len(packed) < 2 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	size := int(binary.LittleEndian.Uint16(packed))
	if size < 2 {
		return nil, nil, errDWA
	}
	if size > len(packed) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	for c := (&cursor{data: packed[2:size]}); c.at < len(c.data); {
		name, err := c.textToZero()
		if err != nil {
			return nil, nil, errDWA
		}
		b, err := c.takeBytes(2)
		if err != nil {
			return nil, nil, errDWA
		}
		r := dwaRule{name, kind(b[1]), int(b[0] >> 2 & 3), int(b[0]>>4) - 1, b[0]&1 != 0}
		if r.kind > float || r.stored > storedRuns || r.color > 2 {
			return nil, nil, errDWA
		}
		rules = append(rules, r)
	}
	return rules, packed[size:], nil
}

var errDWA = errors.New("the DWA data is invalid; save the image with ZIP or PIZ")

// A dwaPlan says how each channel of a file is stored.
type dwaPlan struct {
	stored []int
	groups [][]int // indices of the channels that are decoded together: three colors, or one channel
}

// planDWA applies the rules to the channels. The last matching rule of a channel decides. Red, green
// and blue of a layer are stored as luma and two color differences.
func planDWA(channels []channel, rules []dwaRule) (*dwaPlan, error) {
	p := &dwaPlan{stored: make([]int, len(channels))}
	colors := map[string]*[3]int{}
	var layers []string
	for i, c := range channels {
		at := strings.LastIndexByte(c.name, '.') + 1
		layer, name := c.name[:at], c.name[at:]
		if colors[layer] == nil {
			colors[layer] = &[3]int{-1, -1, -1}
			layers = append(layers, layer)
		}
		for _, r := range rules {
			if r.kind == c.kind && (r.name == name || r.fold && strings.EqualFold(r.name, name)) {
				if p.stored[i] = r.stored; r.color >= 0 {
					colors[layer][r.color] = i
				}
			}
		}
	}
	grouped := map[int]bool{}
	for _, layer := range layers {
		group := colors[layer][:]
		if slices.Min(group) < 0 {
			continue
		}
		p.groups = append(p.groups, group)
		for _, i := range group {
			if grouped[i] {
				return nil, errDWA
			}
			grouped[i], p.stored[i] = true, storedWaves
		}
	}
	for i, stored := range p.stored {
		if stored == storedWaves && !grouped[i] {
			p.groups = append(p.groups, []int{i})
		}
		if stored == storedWaves && channels[i].kind == whole {
			return nil, errDWA
		}
	}
	return p, nil
}

// dwaSizes are the numbers at the start of a strip or tile, as little-endian words of 64 bits.
type dwaSizes struct {
	version                     uint64
	deflated, deflatedPacked    uint64
	wavesPacked, meansPacked    uint64
	runsPacked, runsInner, runs uint64
	waves, means                uint64 // numbers of 16-bit values
	method                      uint64 // compression of the waves: 0 is Huffman codes, 1 is DEFLATE
}

func readDWASizes(packed []byte) (s dwaSizes, rest []byte, err error) {
	fields := [...]*uint64{
		&s.version, &s.deflated, &s.deflatedPacked, &s.wavesPacked, &s.meansPacked,
		&s.runsPacked, &s.runsInner, &s.runs, &s.waves, &s.means, &s.method,
	}
	if len(packed) < 8*len(fields) {
		return s, nil, io.ErrUnexpectedEOF
	}
	for i, field := range fields {
		*field = binary.LittleEndian.Uint64(packed[8*i:])
	}
	return s, packed[8*len(fields):], nil
}

// unpackDWA decompresses DWAA and DWAB. A strip or tile has sizes, rules, and four sequences:
// deflated channels, the waves of blocks, the means of blocks, and channels as runs.
func (u *unpacker) unpackDWA(raw, packed []byte, w, l int) error {
	s, packed, err := readDWASizes(packed)
	if err != nil {
		return err
	}
	rules := oldRules()
	if s.version >= 2 {
		if rules, packed, err = readDWARules(packed); err != nil {
			return err
		}
	}
	plan, err := planDWA(u.channels, rules)
	if err != nil {
		return err
	}
	sizes := [3]uint64{} // bytes of the channels, by storage method
	for i, c := range u.channels {
		sizes[plan.stored[i]] += uint64(w * l * c.kind.numberSize())
	}
	blocks, means := uint64((w+7)/8*((l+7)/8)), uint64(0)
	for _, group := range plan.groups {
		means += blocks * uint64(len(group))
	}
	if s.means != means || s.waves > 63*means || s.deflated != sizes[storedDeflated] || s.runs != sizes[storedRuns] || s.runsInner > 2*s.runs+1 || s.method > 1 {
		return errDWA
	}
	var parts [4][]byte
	for i, size := range [4]uint64{s.deflatedPacked, s.wavesPacked, s.meansPacked, s.runsPacked} {
		if size > uint64(len(packed)) {
			return io.ErrUnexpectedEOF
		}
		parts[i], packed = packed[:size], packed[size:]
	}
	if err := u.unpackDeflated(raw, parts[0], plan, int(s.deflated), w, l); err != nil {
		return err
	}
	if err := u.unpackByteRuns(raw, parts[3], plan, int(s.runsInner), int(s.runs), w, l); err != nil {
		return err
	}
	d := dwaBlocks{u: u, raw: raw, w: w, l: l, blocks: int(blocks)}
	if d.waves, err = u.unpackWaves(parts[1], int(s.waves), s.method == 1); err != nil {
		return err
	}
	if d.means, err = u.unpackMeans(parts[2], int(means)); err != nil {
		return err
	}
	for _, group := range plan.groups {
		if err := d.placeGroup(group); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns the number of bytes per row, and the offset of a channel in a row.
func (u *unpacker) rowsOf(channel, w int) (stride, left int) {
	for i, c := range u.channels {
		if i == channel {
			left = stride
		}
		stride += w * c.kind.numberSize()
	}
	return stride, left
}

// unpackDeflated decompresses the channels that are stored row by row.
func (u *unpacker) unpackDeflated(raw, packed []byte, plan *dwaPlan, size, w, l int) error {
	if size == 0 {
		return nil
	}
	mid := u.mid[:size]
	if err := u.inflated(mid, packed); err != nil {
		return err
	}
	for i, c := range u.channels {
		if plan.stored[i] != storedDeflated {
			continue
		}
		stride, left := u.rowsOf(i, w)
		n := w * c.kind.numberSize()
		for y := range l {
			copy(raw[y*stride+left:][:n], mid)
			mid = mid[n:]
		}
	}
	return nil
}

// unpackByteRuns decompresses the channels that are stored as runs. A channel has all first bytes of
// its values, then all second bytes, and so on.
func (u *unpacker) unpackByteRuns(raw, packed []byte, plan *dwaPlan, inner, size, w, l int) error {
	if size == 0 {
		return nil
	}
	u.runs = slices.Grow(u.runs[:0], inner)[:inner]
	if err := u.inflated(u.runs, packed); err != nil {
		return err
	}
	mid := u.mid[:size]
	if err := unpackRuns(mid, u.runs); err != nil {
		return err
	}
	for i, c := range u.channels {
		if plan.stored[i] != storedRuns {
			continue
		}
		stride, left := u.rowsOf(i, w)
		for at := range c.kind.numberSize() {
			for y := range l {
				for x, b := range mid[:w] {
					raw[y*stride+left+x*c.kind.numberSize()+at] = b
				}
				mid = mid[w:]
			}
		}
	}
	return nil
}

// unpackWaves decompresses the waves of all blocks.
func (u *unpacker) unpackWaves(packed []byte, n int, deflated bool) ([]uint16, error) {
	if n == 0 {
		return nil, nil
	}
	u.waves = slices.Grow(u.waves[:0], n)[:n]
	if !deflated {
		if u.piz == nil {
			u.piz = &pizTables{}
		}
		return u.waves, u.piz.huffman.unhuffman(u.waves, packed)
	}
	u.runs = slices.Grow(u.runs[:0], 2*n)[:2*n]
	if err := u.inflated(u.runs, packed); err != nil {
		return nil, err
	}
	for i := range u.waves {
		u.waves[i] = binary.LittleEndian.Uint16(u.runs[2*i:])
	}
	return u.waves, nil
}

// unpackMeans decompresses the means of all blocks, which are stored like ZIP.
func (u *unpacker) unpackMeans(packed []byte, n int) ([]uint16, error) {
	if n == 0 {
		return nil, nil
	}
	u.runs = slices.Grow(u.runs[:0], 4*n)[:4*n]
	split, merged := u.runs[:2*n], u.runs[2*n:]
	if err := u.inflated(split, packed); err != nil {
		return nil, err
	}
	mergeHalves(merged, split)
	u.means = slices.Grow(u.means[:0], n)[:n]
	for i := range u.means {
		u.means[i] = binary.LittleEndian.Uint16(merged[2*i:])
	}
	return u.means, nil
}

// dwaBlocks decodes the blocks of a strip or tile. waves and means lose the values that are decoded.
type dwaBlocks struct {
	u      *unpacker
	raw    []byte
	w, l   int
	blocks int // number of blocks of a channel
	waves  []uint16
	means  []uint16
}

// placeGroup decodes the blocks of a group. The channels alternate in waves, and follow each other
// in means.
func (d *dwaBlocks) placeGroup(group []int) error {
	var block [3][64]float32
	number := 0
	for y := 0; y < d.l; y += 8 {
		for x := 0; x < d.w; x += 8 {
			for k := range group {
				if err := d.readDWABlock(&block[k], d.means[k*d.blocks+number]); err != nil {
					return err
				}
			}
			if len(group) == 3 {
				mixColors(&block)
			}
			for k, channel := range group {
				d.placeBlock(&block[k], channel, len(group) == 1 && d.u.channels[channel].linear, x, y)
			}
			number++
		}
	}
	d.means = d.means[len(group)*d.blocks:]
	return nil
}

// readDWABlock reads the waves of a block and inverts the DCT. A wave with the high byte 255 means as many
// zeros as its low byte says, or only zeros if the low byte is 0.
func (d *dwaBlocks) readDWABlock(block *[64]float32, mean uint16) error {
	*block = [64]float32{pixmap.HalfValue(mean)}
	for i := 1; i < 64; {
		if len(d.waves) == 0 {
			return io.ErrUnexpectedEOF
		}
		v := d.waves[0]
		d.waves = d.waves[1:]
		switch {
		case v == 0xff00:
			i = 64
		case v>>8 == 0xff:
			i += int(v & 0xff)
		default:
			block[zigzag[i]] = pixmap.HalfValue(v)
			i++
		}
	}
	invertDCT(block)
	return nil
}

// zigzag holds the positions of the waves in a block, lowest frequencies first.
var zigzag = func() (order [64]uint8) {
	at := 0
	for sum := range 15 {
		for i := range sum + 1 {
			x, y := i, sum-i
			if sum%2 != 0 {
				x, y = y, x
			}
			if x < 8 && y < 8 {
				order[at] = uint8(8*y + x)
				at++
			}
		}
	}
	return order
}()

// waveOf8 holds the basis of the DCT of 8 values, by frequency and position.
var waveOf8 = sync.OnceValue(func() *[8][8]float32 {
	var basis [8][8]float32
	for u := range basis {
		for x := range basis[u] {
			basis[u][x] = float32(detmath.CosPi(float64((2*x+1)*u)/16) / 2)
			if u == 0 {
				basis[u][x] = float32(math.Sqrt(0.125))
			}
		}
	}
	return &basis
})

// invertDCT inverts the DCT of a block, first along rows, then along columns.
func invertDCT(block *[64]float32) {
	basis := waveOf8()
	invert := func(at, step int) {
		var out [8]float32
		for u := range 8 {
			if v := block[at+u*step]; v != 0 {
				for x := range out {
					out[x] += float32(v * basis[u][x])
				}
			}
		}
		for x, v := range out {
			block[at+x*step] = v
		}
	}
	for i := range 8 {
		invert(8*i, 1)
	}
	for i := range 8 {
		invert(i, 8)
	}
}

// mixColors converts luma and color differences of Rec. 709 to red, green and blue.
func mixColors(block *[3][64]float32) {
	for i, luma := range block[0] {
		blue, red := block[1][i], block[2][i]
		block[0][i] = luma + float32(1.5747*red)
		block[1][i] = luma - float32(0.1873*blue) - float32(0.4682*red)
		block[2][i] = luma + float32(1.8556*blue)
	}
}

// placeBlock stores the visible values of a block. Unless linear is set, the values are on a scale of
// perceived brightness.
func (d *dwaBlocks) placeBlock(block *[64]float32, channel int, linear bool, x, y int) {
	stride, left := d.u.rowsOf(channel, d.w)
	k := d.u.channels[channel].kind
	curve := linearOfDWA()
	for j := range min(8, d.l-y) {
		row := d.raw[(y+j)*stride+left+x*k.numberSize():]
		for i := range min(8, d.w-x) {
			h := nearestHalf(block[8*j+i])
			if !linear {
				h = curve[h]
			}
			if k == half {
				binary.LittleEndian.PutUint16(row[2*i:], h)
			} else {
				binary.LittleEndian.PutUint32(row[4*i:], math.Float32bits(pixmap.HalfValue(h)))
			}
		}
	}
}

// linearOfDWA returns the linear light for each value, both as half-precision floats. Values up to 1
// have the exponent 2.2. Above, the scale is logarithmic, with the same slope at 1.
var linearOfDWA = sync.OnceValue(func() *[1 << 16]uint16 {
	var curve [1 << 16]uint16
	for h := range uint16(0x7c00) { // other values are not finite and become 0
		v, light := float64(pixmap.HalfValue(h)), math.Inf(1)
		switch {
		case v <= 1:
			light = detmath.Pow(v, 2.2)
		case v < 8:
			light = detmath.Exp(2.2 * (v - 1))
		}
		curve[h] = nearestHalf(float32(light))
		curve[h|0x8000] = curve[h] | 0x8000
	}
	return &curve
})

// nearestHalf rounds a value to a half-precision float.
func nearestHalf(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b>>16) & 0x8000
	switch b &^= 1 << 31; {
	case b > 0x7f800000:
		return sign | 0x7e00
	case b >= 0x47800000: // 65536
		return sign | 0x7c00
	case b < 0x38800000: // denormal, a multiple of the precision of values from 0.5 to 1
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}
