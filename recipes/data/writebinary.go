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
	exact  bool // whether to use decimal fractions for numbers that no binary64 equals
	sorted bool // whether to sort keys by their encoded form
}

// Major types of CBOR (RFC 8949, section 3.1), and the tags used here.
const (
	cborUint  = 0
	cborNeg   = 1
	cborBytes = 2
	cborText  = 3
	cborList  = 4
	cborMap   = 5
	cborTag   = 6

	tagBignum          = 2 // the tag is defined in RFC 8949, section 3.4.3
	tagNegativeBignum  = 3
	tagDecimalFraction = 4 // the tag is defined in RFC 8949, section 3.4.4
)

// appendCBOR encodes a tree as CBOR with definite lengths and the shortest form of every head and
// float. Apart from the order of keys, which is an option, this is the core deterministic encoding
// (section 4.2.1).
func appendCBOR(to writer, root *value, o cborOptions) ([]byte, error) {
	w := &cborWriter{writer: to, cborOptions: o}
	err := w.writeCBORValue(root)
	return w.out, err
}

type cborWriter struct {
	writer
	cborOptions
}

// writeCBORHead appends a head: a major type and its argument.
func (w *cborWriter) writeCBORHead(major byte, n uint64) {
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

func (w *cborWriter) writeCBORText(s string) {
	w.writeCBORHead(cborText, uint64(len(s)))
	w.out = append(w.out, s...)
}

func (w *cborWriter) writeCBORValue(v *value) error {
	if err := w.countWritten(); err != nil {
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
		return w.writeCBORNumber(v)
	case text:
		w.writeCBORText(v.text)
	case list:
		w.writeCBORHead(cborList, uint64(len(v.items)))
		for i := range v.items {
			if err := w.writeBelow(v, i, w.writeCBORValue); err != nil {
				return err
			}
		}
	case object:
		w.writeCBORHead(cborMap, uint64(len(v.items)))
		for _, i := range w.cborKeyOrder(v) {
			w.writeCBORText(v.keys[i])
			if err := w.writeBelow(v, i, w.writeCBORValue); err != nil {
				return err
			}
		}
	}
	return nil
}

// cborKeyOrder returns the output order of an object's keys.
func (w *cborWriter) cborKeyOrder(v *value) []int {
	order := make([]int, len(v.keys))
	for i := range order {
		order[i] = i
	}
	if w.sorted {
		encoded := make([][]byte, len(v.keys))
		for i, key := range v.keys {
			e := cborWriter{}
			e.writeCBORText(key)
			encoded[i] = e.out
		}
		slices.SortFunc(order, func(i, j int) int { return bytes.Compare(encoded[i], encoded[j]) })
	}
	return order
}

func (w *cborWriter) writeCBORNumber(v *value) error {
	if f, ok := special(v.text); ok {
		w.writeCBORFloat(f)
		return nil
	}
	d, ok := parseDecimal(v.text)
	if !ok {
		return v.valueErrorf(w.path, "the exponent of %.40s is too large", v.text)
	}
	if len(d.digits) > mostDigits {
		return v.valueErrorf(w.path, "the number has %d digits; the limit is %d; write it as a string", len(d.digits), mostDigits)
	}
	if d.whole && (d.digits != "" || !d.negative) { // CBOR has no integer -0, so write a float
		w.writeCBORInteger(d.mantissa())
		return nil
	}
	f, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err == nil && (!w.exact || d.equalsFloat(f)):
		w.writeCBORFloat(f)
	case w.exact:
		w.writeCBORHead(cborTag, tagDecimalFraction)
		w.writeCBORHead(cborList, 2)
		w.writeCBORInteger(big.NewInt(d.exp))
		w.writeCBORInteger(d.mantissa())
	default:
		return v.valueErrorf(w.path, "%.40s is too large for a 64-bit float; set numbers = \"exact\" to keep the number", v.text)
	}
	return nil
}

func (w *cborWriter) writeCBORInteger(n *big.Int) {
	major, tag := byte(cborUint), uint64(tagBignum)
	if n.Sign() < 0 {
		major, tag = cborNeg, tagNegativeBignum
		n = new(big.Int).Not(n) // CBOR stores a negative n as -1 - n
	}
	if n.IsUint64() {
		w.writeCBORHead(major, n.Uint64())
		return
	}
	w.writeCBORHead(cborTag, tag)
	w.writeCBORHead(cborBytes, uint64(len(n.Bytes())))
	w.out = append(w.out, n.Bytes()...)
}

// writeCBORFloat appends a float in the shortest form that holds it exactly.
func (w *cborWriter) writeCBORFloat(f float64) {
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

// toHalf returns the binary16 value that equals f, if it exists. It exists for every NaN.
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
	case a < 0x1p-14: // subnormal numbers are multiples of 2^-24
		n := a * 0x1p24
		return sign | uint16(n), n == math.Trunc(n)
	default:
		fraction, exp := math.Frexp(a) // a = fraction * 2^exp, with fraction in [1/2, 1)
		n := fraction * (1 << 11)
		return sign | (uint16(exp+14)<<10 + uint16(n) - 1<<10), n == math.Trunc(n) && exp <= 16
	}
}

// special returns the float for the texts of NaN and the infinities.
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

// appendMessagePack encodes a tree as MessagePack, with each value in its shortest form.
func appendMessagePack(to writer, root *value, exact bool) ([]byte, error) {
	w := &packWriter{writer: to, exact: exact}
	err := w.writePackValue(root)
	return w.out, err
}

type packWriter struct {
	writer
	exact bool // whether to refuse numbers that no binary64 equals
}

func (w *packWriter) writePackValue(v *value) error {
	if err := w.countWritten(); err != nil {
		return err
	}
	if uint64(len(v.text)) > math.MaxUint32 || uint64(len(v.items)) > math.MaxUint32 {
		return v.valueErrorf(w.path, "the value is longer than MessagePack allows; split it")
	}
	switch v.kind {
	case null:
		w.out = msgp.AppendNil(w.out)
	case boolean:
		w.out = msgp.AppendBool(w.out, v.text == yes)
	case number:
		return w.writePackNumber(v)
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
		if err := w.writeBelow(v, i, w.writePackValue); err != nil {
			return err
		}
	}
	return nil
}

func (w *packWriter) writePackNumber(v *value) error {
	f, ok := special(v.text)
	if !ok {
		d, read := parseDecimal(v.text)
		if d.whole && (d.digits != "" || !d.negative) { // MessagePack has no integer -0, so write a float
			return w.writePackInteger(v)
		}
		var err error
		f, err = strconv.ParseFloat(v.text, 64)
		switch {
		case err != nil:
			return v.valueErrorf(w.path, "%.40s is too large for a 64-bit float", v.text)
		case w.exact && !(read && d.equalsFloat(f)):
			return v.valueErrorf(w.path, "%.40s does not fit exactly into a 64-bit float, and MessagePack has no larger numbers; set numbers = \"nearest\"", v.text)
		}
	}
	if single := float32(f); float64(single) == f || math.IsNaN(f) {
		w.out = msgp.AppendFloat32(w.out, single)
		return nil
	}
	w.out = msgp.AppendFloat64(w.out, f)
	return nil
}

func (w *packWriter) writePackInteger(v *value) error {
	if n, err := strconv.ParseUint(v.text, 10, 64); err == nil {
		w.out = msgp.AppendUint64(w.out, n)
		return nil
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil {
		return v.valueErrorf(w.path, "%.40s does not fit into the 64 bits of a MessagePack integer; write it as a string", v.text)
	}
	w.out = msgp.AppendInt64(w.out, n)
	return nil
}
