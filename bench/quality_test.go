package bench

import (
	"fmt"
	"hash/maphash"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// BenchmarkQuality measures all functions of package hashing, and the libraries that compute the
// same functions. It also measures the hashes of Go's maps: maphash.Comparable, and wyhash, which
// the runtime uses on processors without AES.
func BenchmarkQuality(b *testing.B) {
	ofComparable := func(p []byte) uint64 {
		return maphash.Comparable(mapSeed, unsafe.String(unsafe.SliceData(p), len(p)))
	}
	RunQuality(b, append(hashRows(b), HashRow{"maphash", "comparable", ofComparable, 64}))
	b.Run("func=maphash/impl=wyhash", func(b *testing.B) {
		if runtime.GOARCH != "amd64" {
			b.Skip("only on amd64 the runtime can be told not to use AES")
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

// qualityWithoutAES measures maphash in another process with AES disabled, so that maphash uses
// wyhash.
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

// TestDocumentedDependenceOfBits expects dependent bits in XXH3 for keys of 3 to 12 bytes. It
// expects independent bits in XXH3 for 16 bytes, and in rapidhash. docs/hashing.md must list the
// values.
func TestDocumentedDependenceOfBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	const noise = 0.06 // One of 250,000 independent pairs reaches 0.04 by chance.
	rows := map[string]HashRow{}
	for _, r := range hashRows(t) {
		if r.Impl == "hashing" {
			rows[r.Func] = r
		}
	}
	page, err := os.ReadFile("../docs/hashing.md")
	if err != nil {
		t.Fatal(err)
	}
	onPage := func(fn string, sizes []int) (text string) {
		for _, size := range sizes {
			got := pairDependence(rows[fn], size)
			text += fmt.Sprintf(" %.2f |", got)
			if independent := got < noise; independent != (fn == "rapidhash" || size == 16) {
				t.Errorf("%s of %d bytes: two bits depend on each other by %.3f", fn, size, got)
			}
		}
		return text
	}
	for _, fn := range []string{"xxh3", "rapidhash"} {
		if row := "\n| `" + fn + "` |" + onPage(fn, []int{3, 8, 11, 12, 16}) + "\n"; !strings.Contains(string(page), row) {
			t.Errorf("docs/hashing.md lacks the row%s", row)
		}
	}
	for fn, independent := range map[string]bool{"xxh128": false, "crc32": false, "murmur3-128": true} {
		if got := pairDependence(rows[fn], 3); (got < noise) != independent {
			t.Errorf("%s of 3 bytes: two bits depend on each other by %.3f", fn, got)
		}
	}
}
