package data

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// drawn returns a random value that a JSON file may contain.
func drawn(depth int) *rapid.Generator[any] {
	texts := rapid.StringOf(rapid.RuneFrom([]rune("aé😀\"\\\n\x01/ ")))
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), texts.AsAny(),
		rapid.Int64().AsAny(), rapid.Uint64().AsAny(), floats(rapid.Float64()).AsAny(),
		floats(rapid.Float64Range(-70000, 70000)).AsAny(), floats(rapid.SampledFrom([]float64{0.5, 1024, 65504, 0x1p-24, 0x1p-14, 0x1p100})).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	below := drawn(depth - 1)
	return rapid.OneOf(append(leaves,
		rapid.SliceOfN(below, 0, 5).AsAny(),
		rapid.MapOfN(texts, below, 0, 5).AsAny())...)
}

// floats generates numbers with an exponent, so that they are not integers.
func floats(g *rapid.Generator[float64]) *rapid.Generator[json.Number] {
	return rapid.Map(g, func(x float64) json.Number { return json.Number(strconv.FormatFloat(x, 'e', -1, 64)) })
}

// Independent readers of the CBOR and MessagePack output must find the values of the JSON source.
// Cooking the JSON output again must change nothing.
func TestIndependentReadersFindTheSameValues(t *testing.T) {
	decoder, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, UTF8: cbor.UTF8RejectInvalid, IntDec: cbor.IntDecConvertNone}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		source, err := json.Marshal(drawn(3).Draw(rt, "value"))
		if err != nil {
			rt.Fatal(err)
		}
		want := asRead(decodeJSON(rt, source))
		for _, format := range []string{"json", "cbor", "msgpack"} {
			o := &dataOptions{Format: format, Numbers: "nearest", SortKeys: rapid.Bool().Draw(rt, "sorted")}
			root, err := o.parseText(&builder{ctx: t.Context()}, "json", source)
			if err != nil {
				rt.Fatal(err)
			}
			out, err := o.encodeTree(writer{ctx: t.Context(), most: mostOutput(len(source))}, root)
			if err != nil {
				rt.Fatal(err)
			}
			var got any
			switch format {
			case "json":
				got = decodeJSON(rt, out)
			case "cbor":
				err = decoder.Unmarshal(out, &got)
			case "msgpack":
				err = msgpack.Unmarshal(out, &got)
			}
			if err != nil {
				rt.Fatal(format, err)
			}
			if d := cmp.Diff(want, asRead(got), cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })); d != "" {
				rt.Fatalf("%s of %s: %s", format, source, d)
			}
		}
	})
}

func decodeJSON(t *rapid.T, text []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// asRead converts the results of different readers to one form: integers to text, all other
// numbers to float64.
func asRead(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, ok := new(big.Int).SetString(string(x), 10); ok && x != "-0" {
			return n.String()
		}
		f, _ := x.Float64()
		return f
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, int:
		n, _ := json.Marshal(x)
		return string(n)
	case big.Int:
		return x.String()
	case float32:
		return float64(x)
	case []any:
		list := []any{}
		for _, item := range x {
			list = append(list, asRead(item))
		}
		return list
	case map[any]any:
		object := map[string]any{}
		for k, item := range x {
			object[k.(string)] = asRead(item)
		}
		return object
	case map[string]any:
		object := map[string]any{}
		for k, item := range x {
			object[k] = asRead(item)
		}
		return object
	}
	return v
}

// Any bytes must give a tree or a one-line error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, -2.5e3, "\ud83d\ude00", null, true]}`, "// c\n{\"a\": 1,}", "a: &x [1, *y]\nb: {<<: *x}\n", "- - - !!str 1\n- |\n  x\n",
		"[a.b]\nc = 1979-05-27\n[[d]]\n", "a,b\n1,\"2\n\"\n", "a\tb\n", "\xff\xfe",
	} {
		f.Add([]byte(seed), uint8(0))
	}
	inputs := []string{"a.json", "a.jsonc", "a.yaml", "a.toml", "a.csv", "a.tsv"}
	f.Fuzz(func(t *testing.T, source []byte, as uint8) {
		name := inputs[int(as)%len(inputs)]
		for _, format := range []string{"json", "cbor", "msgpack"} {
			o := &dataOptions{Format: format, Numbers: "nearest", Header: true}
			in, err := o.inputFormat(path.Ext(name))
			if err != nil {
				t.Fatal(err)
			}
			root, err := o.parseText(&builder{ctx: t.Context()}, in, source)
			var out []byte
			if err == nil {
				out, err = o.encodeTree(writer{ctx: t.Context(), most: mostOutput(len(source))}, root)
			}
			switch {
			case err != nil:
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: error of several lines: %q", name, err)
				}
			case format == "json" && !json.Valid(out):
				t.Errorf("%s %q: %q is not JSON", name, source, out)
			case format == "cbor" && cbor.Wellformed(out) != nil:
				t.Errorf("%s %q: %x: %v", name, source, out, cbor.Wellformed(out))
			}
		}
	})
}
