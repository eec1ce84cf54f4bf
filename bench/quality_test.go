package bench

import (
	"hash/maphash"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"unsafe"
)

// BenchmarkQuality measures the registry, its libraries and the hash of Go's maps:
// maphash.Comparable, and wyhash, which the runtime uses on processors without AES.
func BenchmarkQuality(b *testing.B) {
	ofComparable := func(p []byte) uint64 {
		return maphash.Comparable(mapSeed, unsafe.String(unsafe.SliceData(p), len(p)))
	}
	RunQuality(b, append(hashRows(b), HashRow{"maphash", "comparable", ofComparable, 64}))
	b.Run("func=maphash/impl=wyhash", func(b *testing.B) {
		if runtime.GOARCH != "amd64" {
			b.Skip("only on amd64 the runtime can be told to leave AES alone")
		}
		var metrics map[string]float64
		var err error
		for b.Loop() {
			if metrics, err = qualityWithoutAES(); err != nil {
				b.Fatal(err)
			}
		}
		for unit, value := range metrics {
			b.ReportMetric(value, unit)
		}
	})
}

// qualityWithoutAES measures the row of maphash in another process, which takes wyhash.
func qualityWithoutAES() (map[string]float64, error) {
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkQuality$/^func=maphash$/^impl=std$", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.aes=off")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	metrics := map[string]float64{"ns/op": 0}
	for _, m := range regexp.MustCompile(`([0-9.e+-]+) ([a-z0-9-]+)\b`).FindAllStringSubmatch(string(out), -1) {
		if value, err := strconv.ParseFloat(m[1], 64); err == nil {
			metrics[m[2]] = value
		}
	}
	return metrics, nil
}

// SMHasher3 finds pairs of bits in XXH3 that depend on each other for keys of 3 to 11
// bytes, and none in rapidhash.
func TestDependence(t *testing.T) {
	const noise = 0.06 // twice the deviation that one pair of 250,000 has by accident
	rows := map[string]HashRow{}
	for _, r := range hashRows(t) {
		if r.Impl == "hashing" {
			rows[r.Func] = r
		}
	}
	for _, tt := range []struct {
		fn    string
		size  int
		least float64 // 0: independent
	}{
		{"xxh3", 3, 0.9}, {"xxh3", 8, 0.08}, {"xxh3", 11, 0.5}, {"xxh3", 16, 0},
		{"xxh128", 3, 0.9},
		{"crc32", 8, 1},
		{"rapidhash", 3, 0}, {"rapidhash", 8, 0}, {"rapidhash", 11, 0}, {"rapidhash", 16, 0},
		{"murmur3-128", 8, 0}, {"murmur3-128", 11, 0},
	} {
		got := pairDependence(rows[tt.fn], tt.size)
		if tt.least == 0 && got > noise || got < tt.least {
			t.Errorf("%s of %d bytes: two bits depend on each other by %.3f, want %.2f or more (0: at most %.2f)", tt.fn, tt.size, got, tt.least, noise)
		}
	}
}
