package view

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/assetcook/assetcook/profile/counters"
)

// The scripts of the page must compute the same as package counters. This test runs their modules
// in node. The tests in proof/browser run them in a browser.
func TestPageComputesLikePackageCounters(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node to run the page's modules")
	}
	dir := t.TempDir()
	files, err := fs.Glob(embedded, "page/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("package.json", []byte(`{"type": "module"}`))
	for _, name := range files {
		data, err := embedded.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		put(filepath.Base(name), data)
	}
	script, err := os.ReadFile("testdata/series_test.mjs")
	if err != nil {
		t.Fatal(err)
	}
	put("test.mjs", script)

	cases := seriesCases()
	texts := make([][]string, len(cases))
	for i, c := range cases {
		texts[i] = []string{}
		for _, v := range c {
			texts[i] = append(texts[i], jsNumber(v))
		}
	}
	in, _ := json.Marshal(texts)
	cmd := exec.Command(node, "test.mjs")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	var got []struct{ Numbers, EMA, SMA []string }
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(cases) {
		t.Fatalf("%d answers, %v", len(got), err)
	}
	for i, c := range cases {
		s := counters.Summarize(c)
		want := []float64{float64(s.Count), s.Last, s.Mean, s.P50, s.P95, s.P99, s.High.Value, float64(s.High.At),
			s.Spikes.Over, float64(s.Spikes.Count), float64(s.Spikes.Longest), float64(s.Spikes.LongestAt)}
		agree(t, i, "summary", got[i].Numbers, want, 0)
		const window = 7
		average := counters.EMA{Factor: 2. / (window + 1)}
		var ema, sma []float64
		for n, v := range c {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				ema = nil
				break
			}
			sum, last := 0.0, c[max(0, n+1-window):n+1]
			for _, v := range last {
				sum += v
			}
			ema, sma = append(ema, average.Add(v)), append(sma, sum/float64(len(last)))
		}
		if ema != nil {
			agree(t, i, "EMA", got[i].EMA, ema, 1e-12)
			agree(t, i, "SMA", got[i].SMA, sma, 1e-9)
		}
	}
}

func agree(t *testing.T, i int, what string, got []string, want []float64, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("series %d: %s has %d numbers, want %d", i, what, len(got), len(want))
		return
	}
	for n, text := range got {
		v, err := strconv.ParseFloat(text, 64)
		same := v == want[n] || math.IsNaN(v) && math.IsNaN(want[n]) || math.Abs(v-want[n]) <= within*math.Max(1, math.Abs(want[n]))
		if err != nil || !same {
			t.Errorf("series %d: number %d of %s is %s, want %v", i, n, what, text, want[n])
		}
	}
}

// jsNumber formats a number for JavaScript.
func jsNumber(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// seriesCases returns frame times with spikes, runs of spikes, and unusual values.
func seriesCases() [][]float64 {
	nan, inf := math.NaN(), math.Inf(1)
	cases := [][]float64{
		{}, {nan}, {0}, {5}, {-3}, {1, 1, 1, 1}, {1, 3}, {nan, 1, 3, nan, 3, 3, 1}, {-5, -4, 2, 3, -9, 1},
		{1, inf, 1}, {-inf, 1, 2}, {2, 4, 4, 5, 2, 2, 5, 5, 2},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := 10; n < 2000; n = n*3/2 + 1 {
		c := make([]float64, n)
		for i := range c {
			c[i] = 16 + random.NormFloat64()
			if i%50 < random.IntN(4) {
				c[i] *= 3
			}
			if i%97 == 0 && n%2 == 0 {
				c[i] = nan
			}
		}
		cases = append(cases, c)
	}
	return cases
}
