package data

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/tinylib/msgp/msgp"
)

type cborOptions struct {
	exact  bool // decimal fractions for numbers that no binary64 equals
	sorted bool // by encoded keys
}

// The major types of CBOR (RFC 8949, section 3.1), and the tags used here.
const (
	cborUint  = 0
	cborNeg   = 1
	cborBytes = 2
	cborText  = 3
	cborList  = 4
	cborMap   = 5
	cborTag   = 6

	tagBignum          = 2 // section 3.4.3
	tagNegativeBignum  = 3
	tagDecimalFraction = 4 // section 3.4.4
)

// appendCBOR encodes a tree as CBOR with definite lengths and the shortest form of every head and
// float. Except for the order of keys, which is an option, this is the core deterministic
// encoding (section 4.2.1).
func appendCBOR(to writer, root *value, o cborOptions) ([]byte, error) {
	w := &cborWriter{writer: to, cborOptions: o}
	err := w.value(root)
	return w.out, err
}

type cborWriter struct {
	writer
	cborOptions
}

// head appends a major type and its argument.
func (w *cborWriter) head(major byte, n uint64) {
	switch major <<= 5; {
	case n < 24:
		w.out = append(w.out, major|byte(n))
	case n <= math.MaxUint8:
		w.out = append(w.out, major|24, byte(n))
	case n <= math.MaxUint16:
		w.out = binary.BigEndian.AppendUint16(append(w.out, major|25), uint16(n))
	case n <= math.MaxUint32:
		w.out = binary.BigEndian.AppendUint32(append(w.out, major|26), uint32(n))
	default:
		w.out = binary.BigEndian.AppendUint64(append(w.out, major|27), n)
	}
}

func (w *cborWriter) text(s string) {
	w.head(cborText, uint64(len(s)))
	w.out = append(w.out, s...)
}

func (w *cborWriter) value(v *value) error {
	if err := w.tick(); err != nil {
		return err
	}
	switch v.kind {
	case null:
		w.out = append(w.out, 0xf6)
	case boolean:
		b := byte(0xf4)
		if v.text == yes {
			b = 0xf5
		}
		w.out = append(w.out, b)
	case number:
		return w.number(v)
	case text:
		w.text(v.text)
	case list:
		w.head(cborList, uint64(len(v.items)))
		for i := range v.items {
			if err := w.below(v, i, w.value); err != nil {
				return err
			}
		}
	case object:
		w.head(cborMap, uint64(len(v.items)))
		for _, i := range w.order(v) {
			w.text(v.keys[i])
			if err := w.below(v, i, w.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// order returns the order of an object's keys.
func (w *cborWriter) order(v *value) []int {
	order := make([]int, len(v.keys))
	for i := range order {
		order[i] = i
	}
	if w.sorted {
		encoded := make([][]byte, len(v.keys))
		for i, key := range v.keys {
			e := cborWriter{}
			e.text(key)
			encoded[i] = e.out
		}
		slices.SortFunc(order, func(i, j int) int { return bytes.Compare(encoded[i], encoded[j]) })
	}
	return order
}

func (w *cborWriter) number(v *value) error {
	if f, ok := special(v.text); ok {
		w.float(f)
		return nil
	}
	d, ok := parseDecimal(v.text)
	if !ok {
		return v.errorf(w.path, "%.40s has too large an exponent", v.text)
	}
	if len(d.digits) > mostDigits {
		return v.errorf(w.path, "a number of %d digits; at most %d are read", len(d.digits), mostDigits)
	}
	if d.whole && (d.digits != "" || !d.negative) { // there is no integer -0
		w.integer(d.mantissa())
		return nil
	}
	f, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err == nil && (!w.exact || d.equals(f)):
		w.float(f)
	case w.exact:
		w.head(cborTag, tagDecimalFraction)
		w.head(cborList, 2)
		w.integer(big.NewInt(d.exp))
		w.integer(d.mantissa())
	default:
		return v.errorf(w.path, "%.40s is beyond what a binary64 holds; numbers = \"exact\" keeps it", v.text)
	}
	return nil
}

// integer appends an integer of any size.
func (w *cborWriter) integer(n *big.Int) {
	major, tag := byte(cborUint), uint64(tagBignum)
	if n.Sign() < 0 {
		major, tag = cborNeg, tagNegativeBignum
		n = new(big.Int).Not(n) // CBOR stores -1 - n
	}
	if n.IsUint64() {
		w.head(major, n.Uint64())
		return
	}
	w.head(cborTag, tag)
	w.head(cborBytes, uint64(len(n.Bytes())))
	w.out = append(w.out, n.Bytes()...)
}

// float appends a float in the fewest bytes that hold it exactly.
func (w *cborWriter) float(f float64) {
	single := float32(f)
	switch half, ok := toHalf(f); {
	case ok:
		w.out = binary.BigEndian.AppendUint16(append(w.out, 0xf9), half)
	case float64(single) == f:
		w.out = binary.BigEndian.AppendUint32(append(w.out, 0xfa), math.Float32bits(single))
	default:
		w.out = binary.BigEndian.AppendUint64(append(w.out, 0xfb), math.Float64bits(f))
	}
}

// toHalf returns the binary16 that equals f, if there is one. For every NaN there is one.
func toHalf(f float64) (uint16, bool) {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return 0x7e00, true
	case math.IsInf(f, 0):
		return sign | 0x7c00, true
	case a == 0:
		return sign, true
	case a >= 1<<16:
		return 0, false
	case a < 0x1p-14: // subnormal: multiples of 2^-24
		n := a * 0x1p24
		return sign | uint16(n), n == math.Trunc(n)
	default:
		fraction, exp := math.Frexp(a) // a = fraction * 2^exp, fraction in [1/2, 1)
		n := fraction * (1 << 11)
		return sign | (uint16(exp+14)<<10 + uint16(n) - 1<<10), n == math.Trunc(n) && exp <= 16
	}
}

// special parses NaN and the infinities.
func special(s string) (float64, bool) {
	switch s {
	case notANum:
		return math.NaN(), true
	case infinite:
		return math.Inf(1), true
	case "-" + infinite:
		return math.Inf(-1), true
	}
	return 0, false
}

// appendMessagePack writes a tree as MessagePack, each value in its shortest form.
func appendMessagePack(to writer, root *value, exact bool) ([]byte, error) {
	w := &packWriter{writer: to, exact: exact}
	err := w.value(root)
	return w.out, err
}

type packWriter struct {
	writer
	exact bool // refuse numbers that no binary64 equals
}

func (w *packWriter) value(v *value) error {
	if err := w.tick(); err != nil {
		return err
	}
	if uint64(len(v.text)) > math.MaxUint32 || uint64(len(v.items)) > math.MaxUint32 {
		return v.errorf(w.path, "longer than MessagePack can say")
	}
	switch v.kind {
	case null:
		w.out = msgp.AppendNil(w.out)
	case boolean:
		w.out = msgp.AppendBool(w.out, v.text == yes)
	case number:
		return w.number(v)
	case text:
		w.out = msgp.AppendString(w.out, v.text)
	case list:
		w.out = msgp.AppendArrayHeader(w.out, uint32(len(v.items)))
	case object:
		w.out = msgp.AppendMapHeader(w.out, uint32(len(v.items)))
	}
	for i := range v.items {
		if v.kind == object {
			w.out = msgp.AppendString(w.out, v.keys[i])
		}
		if err := w.below(v, i, w.value); err != nil {
			return err
		}
	}
	return nil
}

func (w *packWriter) number(v *value) error {
	f, ok := special(v.text)
	if !ok {
		d, read := parseDecimal(v.text)
		if d.whole && (d.digits != "" || !d.negative) { // there is no integer -0
			return w.integer(v)
		}
		var err error
		f, err = strconv.ParseFloat(v.text, 64)
		switch {
		case err != nil:
			return v.errorf(w.path, "%.40s is beyond what a binary64 holds", v.text)
		case w.exact && !(read && d.equals(f)):
			return v.errorf(w.path, "%.40s is not exactly a binary64; MessagePack cannot hold it (numbers = \"exact\")", v.text)
		}
	}
	if single := float32(f); float64(single) == f || math.IsNaN(f) {
		w.out = msgp.AppendFloat32(w.out, single)
		return nil
	}
	w.out = msgp.AppendFloat64(w.out, f)
	return nil
}

func (w *packWriter) integer(v *value) error {
	if n, err := strconv.ParseUint(v.text, 10, 64); err == nil {
		w.out = msgp.AppendUint64(w.out, n)
		return nil
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil {
		return v.errorf(w.path, "%.40s does not fit into the 64 bits of a MessagePack integer; write it as a string", v.text)
	}
	w.out = msgp.AppendInt64(w.out, n)
	return nil
}
