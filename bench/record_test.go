package bench

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// recordedTimes returns the times in ns of each benchmark in bench/results/hash.txt, sorted.
func recordedTimes(t *testing.T) map[string][]float64 {
	t.Helper()
	record, err := os.ReadFile("results/hash.txt")
	if err != nil {
		t.Fatal(err)
	}
	times := map[string][]float64{}
	line := regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)
	for _, m := range line.FindAllStringSubmatch(string(record), -1) {
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		times[m[1]] = append(times[m[1]], ns)
	}
	for _, all := range times {
		slices.Sort(all)
	}
	return times
}

// fastest returns the shortest recorded time, because it is the one least affected by other
// programs.
func fastest(t *testing.T, times map[string][]float64, name string) float64 {
	t.Helper()
	if len(times[name]) == 0 {
		t.Fatalf("bench/results/hash.txt has no %s; bench/run.sh -pages hash records it", name)
	}
	return times[name][0]
}

func TestRecordedRowsExist(t *testing.T) {
	times := recordedTimes(t)
	rounds := 0
	for name, all := range times {
		if rounds == 0 {
			rounds = len(all)
		}
		if len(all) != rounds {
			t.Errorf("%s has %d rounds, others %d", name, len(all), rounds)
		}
		_, impl, found := strings.Cut(name, "/impl=")
		if strings.HasPrefix(name, "Hash/") && (!found || matrixFunctions[impl] == "") {
			t.Errorf("unknown benchmark %s", name)
		}
	}
	if len(times) < 100 {
		t.Errorf("%d benchmarks", len(times))
	}
}

func TestPackageCommentHasTheRecordedSpeeds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../hashing/doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	times := recordedTimes(t)
	for function, impl := range map[string]string{
		"xxh3": "zeebo-xxh3", "xxh128": "zeebo-xxh128", "xxh64": "cespare-xxh64", "rapidhash": "hashing-rapidhash",
		"crc32": "crcslice8-ieee", "crc32c": "crcslice8-castagnoli", "crc32k": "crcslice8-koopman",
		"crc64": "crcslice8-crc64-ecma", "crc64nvme": "crcslice8-crc64-nvme",
		"slice8": "slicing8-ieee", "blake3": "zeebo-blake3", "sha256": "crypto-sha256", "maphash": "hash-maphash",
	} {
		row := regexp.MustCompile(`(?m)^\t` + function + `\s+\d+\s+([\d.]+)\s`).FindStringSubmatch(file.Doc.Text())
		if row == nil {
			t.Errorf("no row of %s", function)
			continue
		}
		says, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		name := "Hash/size=65536/impl=" + impl
		fast, slow := 65536/fastest(t, times, name), 65536/times[name][len(times[name])-1]
		if says > 1.1*fast || says < slow/1.1 {
			t.Errorf("%s: the comment says %v GB/s, the rounds %.3g to %.3g", function, says, slow, fast)
		}
	}
}

func TestRecordSupportsTheAdvice(t *testing.T) {
	times := recordedTimes(t)
	hash := func(impl, size string) float64 { return fastest(t, times, "Hash/size="+size+"/impl="+impl) }
	for _, claim := range []struct {
		slower, faster string
		sizes          string
		least          float64 // minimum ratio of the slower time to the faster one
	}{
		{"hash-crc32-ieee", "crcslice8-ieee", "16 64 1024 65536", 1},
		{"hash-crc32-koopman", "crcslice8-koopman", "65536", 100},
		{"hash-crc64-ecma", "crcslice8-crc64-ecma", "65536", 20},
		{"spaolacci-murmur3-128", "zeebo-xxh128", "1024 65536", 3.5},
		{"spaolacci-murmur3-128", "zeebo-xxh128", "65536", 8},
		{"spaolacci-murmur3-128", "hashing-rapidhash", "4 16 64 1024 65536", 1.2},
		{"spaolacci-murmur3-128", "cespare-xxh64", "4 16 64 1024 65536", 1},
	} {
		for _, size := range strings.Fields(claim.sizes) {
			if ratio := hash(claim.slower, size) / hash(claim.faster, size); ratio < claim.least {
				t.Errorf("%s takes %.2f times as long as %s for %s bytes, want %v", claim.slower, ratio, claim.faster, size, claim.least)
			}
		}
	}
	for _, call := range wrapperCalls {
		most := 1.3
		if call.function == "maphash" {
			most = 1.5 // The wrapper of maphash makes one more call.
		}
		name := "HashWrapper/bytes=16/call="
		if ratio := fastest(t, times, name+"hashing-"+call.function) / fastest(t, times, name+call.library); ratio > most {
			t.Errorf("%s of 16 bytes takes %.2f times as long as %s, want %v at most", call.function, ratio, call.library, most)
		}
	}
}
