package counters

import (
	"bytes"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWritePrometheus(t *testing.T) {
	set := shown()
	set.Counter("requests_total").Add(3)
	set.Timer("wait_seconds").Record(2500 * time.Millisecond)
	set.Counter(`9\é`)
	set.Counter("a\xff")
	set.Counter("")
	var b bytes.Buffer
	if err := set.WritePrometheus(&b); err != nil {
		t.Fatal(err)
	}
	want := "# HELP _9___total 9\\\\é\n" + `# TYPE _9___total counter
_9___total 0
# HELP __total ` + `
# TYPE __total counter
__total 0
# HELP a__b___total a,"b"\n
# TYPE a__b___total counter
a__b___total 0
# HELP a__total a` + "\uFFFD" + `
# TYPE a__total counter
a__total 0
# HELP down down
# TYPE down gauge
down -Inf
# HELP load load
# TYPE load gauge
load 0.1
# HELP nan nan
# TYPE nan gauge
nan NaN
# HELP never_seconds never
# TYPE never_seconds summary
never_seconds_sum 0
never_seconds_count 0
# HELP requests_total requests_total
# TYPE requests_total counter
requests_total 3
# HELP scan_bytes_total scan/bytes
# TYPE scan_bytes_total counter
scan_bytes_total -4611686018427387904
# HELP scan_files_total scan/files
# TYPE scan_files_total counter
scan_files_total 12
# HELP scan_seconds scan
# TYPE scan_seconds summary
scan_seconds_sum 2e-06
scan_seconds_count 2
# HELP up up
# TYPE up gauge
up +Inf
# HELP wait_seconds wait_seconds
# TYPE wait_seconds summary
wait_seconds_sum 2.5
wait_seconds_count 1
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

func TestFirstPrometheusNameStays(t *testing.T) {
	set := New(Options{})
	set.Counter("a_b").Add(1)
	before := series(t, set)
	set.Counter("a/b").Add(2)
	after := series(t, set)
	if before["a_b_total"] != "1" || after["a_b_total"] != "1" || len(after) != 2 {
		t.Errorf("before %v, after %v", before, after)
	}
}

// Names must also stay distinct if only their suffixes make them equal.
func TestPrometheusNamesDiffer(t *testing.T) {
	hash := func(s string) string {
		h := fnv.New32a()
		h.Write([]byte(s))
		return strconv.FormatUint(uint64(h.Sum32()), 16)
	}
	for what, names := range map[string][2][]string{ // names of floats, then names of timers
		"the sum of a timer":            {{"a_seconds_sum"}, {"a"}},
		"the count of a timer":          {{"a_seconds/count"}, {"a"}},
		"a timer's name":                {{"a_seconds"}, {"a", "a/seconds"}},
		"the name an evasion would use": {{"a_b", "a_b_" + hash("a/b"), "a/b"}, nil},
	} {
		set := New(Options{})
		for _, name := range names[0] {
			set.Float(name).Add(1)
		}
		for _, name := range names[1] {
			set.Timer(name).Record(1)
		}
		if got, want := len(series(t, set)), len(names[0])+2*len(names[1]); got != want {
			t.Errorf("%s: %d series, want %d", what, got, want)
		}
	}
}

var (
	typeLine   = regexp.MustCompile(`^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|summary)$`)
	helpLine   = regexp.MustCompile(`^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)*)$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*) (\S+)$`)
)

// series parses the output of WritePrometheus strictly, and returns the series.
func series(t interface{ Fatalf(string, ...any) }, set *Set) map[string]string {
	var b bytes.Buffer
	if err := set.WritePrometheus(&b); err != nil {
		t.Fatalf("%v", err)
	}
	text, whole := strings.CutSuffix(b.String(), "\n")
	if !whole {
		t.Fatalf("the last line has no end")
	}
	found, families := map[string]string{}, map[string]bool{}
	lines := strings.Split(text, "\n")
	for len(lines) > 0 {
		help, typ := helpLine.FindStringSubmatch(lines[0]), typeLine.FindStringSubmatch(lines[1])
		if help == nil || typ == nil || help[1] != typ[1] || families[typ[1]] || found[typ[1]] != "" {
			t.Fatalf("a family begins with %q, %q, not HELP and TYPE", lines[0], lines[1])
		}
		families[typ[1]] = true
		names := []string{typ[1]}
		if typ[2] == "summary" {
			names = []string{typ[1] + "_sum", typ[1] + "_count"}
		}
		lines = lines[2:]
		for _, name := range names {
			sample := sampleLine.FindStringSubmatch(lines[0])
			if sample == nil || sample[1] != name || found[name] != "" || families[name] && name != typ[1] {
				t.Fatalf("%q is not the sample of %s", lines[0], name)
			}
			if _, err := strconv.ParseFloat(sample[2], 64); err != nil {
				t.Fatalf("%q: %v", lines[0], err)
			}
			found[name] = sample[2]
			lines = lines[1:]
		}
	}
	return found
}

func TestPrometheusPageParsesForAnyNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := New(Options{})
		names := rapid.SliceOfNDistinct(rapid.OneOf(
			rapid.StringMatching(`[ab/_.]{1,3}(_total|_seconds|/sum|_count|_seconds_sum)?`),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		), 1, 12, rapid.ID[string]).Draw(t, "names")
		var values []string
		for i, name := range names {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				set.Counter(name).Add(int64(i + 1))
			case 1:
				set.Float(name).Add(float64(i + 1))
			case 2:
				set.Timer(name).Record(time.Duration(i+1) * time.Second)
				values = append(values, "1") // value of the _count series after one call
			}
			values = append(values, strconv.Itoa(i+1))
		}
		var got []string
		for _, value := range series(t, set) {
			got = append(got, value)
		}
		slices.Sort(got)
		slices.Sort(values)
		if !slices.Equal(got, values) {
			t.Fatalf("values %v, want %v", got, values)
		}
	})
}
