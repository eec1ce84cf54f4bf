package verify

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

func TestParseSample(t *testing.T) {
	for _, tc := range []struct {
		text    string
		n, want int
	}{
		{"", 160, 8}, {"5%", 160, 8}, {"5%", 161, 9}, {"5%", 1, 1}, {"5%", 0, 0}, {"0.1%", 10, 1},
		{"0", 10, 0}, {"0%", 10, 0}, {"7", 10, 7}, {"7", 3, 3}, {"all", 9, 9}, {"100%", 9, 9},
	} {
		s, err := parseSample(tc.text)
		if got := s.sampleSize(tc.n); err != nil || got != tc.want {
			t.Errorf("%q of %d: %d, %v; want %d", tc.text, tc.n, got, err, tc.want)
		}
	}
	for _, text := range []string{"x", "-1", "101%", "-1%", "NaN%", "Inf%", "%", "1.5", "99999999999"} {
		var config *session.ConfigError
		if _, err := parseSample(text); !errors.As(err, &config) {
			t.Errorf("%q: %v, want a ConfigError", text, err)
		}
	}
}

func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		methods := make([]*plan.Method, rapid.IntRange(1, 5).Draw(t, "methods"))
		for i := range methods {
			methods[i] = &plan.Method{}
		}
		p := &plan.Plan{Actions: make([]plan.Action, rapid.IntRange(0, 40).Draw(t, "actions"))}
		method := func(i int) *plan.Method { return p.Actions[i].Method }
		var from []int
		all := map[*plan.Method]bool{}
		for i := range p.Actions {
			p.Actions[i].Method = rapid.SampledFrom(methods).Draw(t, "method")
			if rapid.Bool().Draw(t, "known") {
				from = append(from, i)
				all[p.Actions[i].Method] = true
			}
		}
		n := rapid.IntRange(0, 45).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		drawn := drawSample(slices.Clone(from), method, n, seed)
		if want := min(n, len(from)); len(drawn) != want {
			t.Fatalf("%d drawn, want %d", len(drawn), want)
		}
		seen := map[*plan.Method]bool{}
		for _, i := range drawn {
			if !slices.Contains(from, i) {
				t.Fatalf("%d is not to be drawn from %v", i, from)
			}
			seen[p.Actions[i].Method] = true
		}
		if len(slices.Compact(slices.Sorted(slices.Values(drawn)))) != len(drawn) {
			t.Fatalf("drawn twice: %v", drawn)
		}
		if want := min(n, len(all)); len(seen) != want {
			t.Fatalf("%d methods in %v, want %d", len(seen), drawn, want)
		}
		if again := drawSample(slices.Clone(from), method, n, seed); !slices.Equal(drawn, again) {
			t.Fatalf("seed %d draws %v and %v", seed, drawn, again)
		}
	})
}

func TestFirstDifference(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tc := range []struct {
		was, now string
		want     string // expected difference; "" if the files are equal
	}{
		{"", "", ""}, {"abc", "abc", ""}, {long, long, ""},
		{"abc", "abd", "offset 2 (0x63, now 0x64)"},
		{"", "a", "offset 0 (the end, now 0x61)"},
		{"ab", "a", "offset 1 (0x62, now the end)"},
		{long + "a", long + "b", "offset 200000 (0x61, now 0x62)"},
		{long[:65536], long, "offset 65536 (the end, now 0x78)"},
	} {
		d, err := firstDifference(strings.NewReader(tc.was), iotest.OneByteReader(strings.NewReader(tc.now)))
		got := ""
		if d != nil {
			got = d.String()
		}
		if err != nil || got != tc.want {
			t.Errorf("%.9q, %.9q: %q, %v; want %q", tc.was, tc.now, got, err, tc.want)
		}
	}
	broken := errors.New("bad sector")
	for _, err := range []error{
		second(firstDifference(iotest.ErrReader(broken), strings.NewReader("a"))),
		second(firstDifference(bytes.NewReader(nil), iotest.ErrReader(broken))),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("error %v, want %v", err, broken)
		}
	}
}

func second[T any](_ T, err error) error { return err }
