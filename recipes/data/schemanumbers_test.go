package data

import (
	"fmt"
	"strings"
	"testing"
)

// Numbers are compared by their digits, whatever their size.
func TestNumbersAreComparedByTheirDigits(t *testing.T) {
	const large = "123456789012345678901234567890123456789"
	for _, tc := range []struct {
		value, schema string
		ok            bool
	}{
		{"5", `{"minimum": 1e999999999}`, false},
		{"5", `{"maximum": 1e999999999}`, true},
		{"1e999999998", `{"maximum": 1e999999999, "minimum": 1e999999997}`, true},
		{"-1e999999998", `{"maximum": -1e999999999}`, false},
		{"5", `{"multipleOf": 1e-999999999}`, true},
		{"1e-999999999", `{"multipleOf": 1e-999999999}`, true},
		{"1e-999999999", `{"multipleOf": 1}`, false},
		{"1e999999999", `{"multipleOf": 7}`, false},
		{"7e999999999", `{"multipleOf": 7, "type": "integer"}`, true},
		{"9007199254740993", `{"minimum": 9007199254740993, "maximum": 9007199254740993}`, true},
		{"9007199254740992", `{"minimum": 9007199254740993}`, false},
		{"0.30", `{"multipleOf": 0.1, "const": 3e-1, "enum": [300e-3]}`, true},
		{"0.35", `{"multipleOf": 0.1}`, false},
		{"19.99", `{"multipleOf": 0.01}`, true},
		{"30", `{"multipleOf": 20}`, false},
		{"40", `{"multipleOf": 2e1}`, true},
		{large, `{"const": ` + large + `.000, "type": "integer"}`, true},
		{large + ".5", `{"type": "integer"}`, false},
		{large, `{"exclusiveMinimum": ` + large + `}`, false},
		{"-0", `{"minimum": 0, "maximum": 0, "const": 0, "multipleOf": 3}`, true},
		{"10", `{"minimum": 9.99999, "maximum": 1.0e1}`, true},
		{"[1,2]", `{"minItems": 2.0, "maxItems": 0.2e1}`, true},
		{"[1,2]", `{"maxItems": 1e99}`, true},
		{"10", `{"$schema":"http://json-schema.org/draft-04/schema","minimum": 10, "exclusiveMinimum": true}`, false},
		{"10", `{"$schema":"http://json-schema.org/draft-04/schema","minimum": 10, "exclusiveMinimum": false}`, true},
	} {
		res := cook(t, map[string]string{"a.json": tc.value, "s.json": tc.schema}, "a.json", options{"schema": "/s.json"})
		if (res.Err == nil) != tc.ok || res.Err != nil && !strings.HasPrefix(res.Err.Error(), "1:1: at the top: ") {
			t.Errorf("%s %s: %v", tc.value, tc.schema, res.Err)
		}
	}
	for _, tc := range []struct{ source, schema, want string }{
		{"1", `{"multipleOf": 0}`, "schema /s.json: 1:16: multipleOf wants a number above 0, have 0"},
		{"1", `{"minLength": -1}`, "1:15: minLength wants a whole number of at least 0, have -1"},
		{"1", `{"minLength": 1.5}`, "1:15: minLength wants a whole number of at least 0, have 1.5"},
		{"1", `{"minimum": 1e9999999999999999999}`, "1:13: minimum: 1e9999999999999999999 is too long or too large"},
		{"1", `{"minimum": ` + strings.Repeat("1", mostDigits+1) + `}`, "is too long or too large"},
		{"1e9999999999999999999", `{"minimum": 1}`, "1:1: at the top: 1e9999999999999999999 is too long or too large to be compared"},
	} {
		res := cook(t, map[string]string{"a.json": tc.source, "s.json": tc.schema}, "a.json", options{"schema": "/s.json"})
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%.40s %.40s: got %v, want %s", tc.source, tc.schema, res.Err, tc.want)
		}
	}
	// Infinities and NaN of YAML satisfy no bound.
	res := cook(t, map[string]string{"a.yaml": ".inf", "s.json": `{"minimum": 1}`}, "a.yaml", options{"schema": "/s.json", "format": "cbor"})
	if res.Err == nil || !strings.Contains(fmt.Sprint(res.Err), "Infinity cannot be compared") {
		t.Errorf("infinity: %v", res.Err)
	}
}
