package counters

import (
	"bufio"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WritePrometheus writes a snapshot in version 0.0.4 of the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). Characters that a name may not
// contain become underscores. For example:
//
//   - the counter cook/scan/files becomes the counter cook_scan_files_total
//   - a float or gauge becomes a gauge without a suffix
//   - the timer cook/scan becomes a summary without quantiles: cook_scan_seconds_sum and
//     cook_scan_seconds_count
//
// A suffix that the name already has is not repeated. If several names become equal, the name
// registered first keeps the plain form, and a hash of the original name is appended to the other
// names.
//
// Serve it as "text/plain; version=0.0.4".
//
// To Prometheus, a Counter that decreases looks like a restart of the program. Use a [Float] or
// [Gauge] for values that may decrease. It returns only errors of w.
func (s *Set) WritePrometheus(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, f := range s.Snapshot().families() {
		out.WriteString("# HELP " + f.name + " " + helpText.Replace(strings.ToValidUTF8(f.sample.Name, "\uFFFD")) + "\n")
		out.WriteString("# TYPE " + f.name + " " + prometheusType[f.sample.Kind] + "\n")
		if t := f.sample.Timer; f.sample.Kind == KindTimer {
			out.WriteString(f.name + "_sum " + strconv.FormatFloat(t.Total.Seconds(), 'g', -1, 64) + "\n")
			out.WriteString(f.name + "_count " + strconv.FormatInt(t.Calls, 10) + "\n")
			continue
		}
		out.WriteString(f.name + " " + f.sample.text() + "\n")
	}
	return out.Flush()
}

var (
	helpText         = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	prometheusType   = [...]string{"counter", "gauge", "summary", "gauge"}
	prometheusEnding = [...]string{"_total", "", "_seconds", ""}
)

// A family is a sample with its Prometheus name.
type family struct {
	name   string
	sample *Sample
}

// families returns the samples with distinct Prometheus names, sorted by name.
func (s Snapshot) families() []family {
	families := make([]family, len(s))
	for i := range s {
		families[i].sample = &s[i]
	}
	// Assign the names in the order of registration, so that a later name never changes an earlier
	// one.
	slices.SortStableFunc(families, func(a, b family) int { return int(a.sample.order - b.sample.order) })
	taken := map[string]bool{}
	for i, f := range families {
		ending := prometheusEnding[f.sample.Kind]
		stem := strings.TrimSuffix(mangle(f.sample.Name), ending)
		name := stem + ending
		for n := 0; !free(taken, name, f.sample.Kind); n++ {
			hash := fnv.New32a()
			io.WriteString(hash, f.sample.Name+strings.Repeat("\x00", n))
			name = stem + "_" + strconv.FormatUint(uint64(hash.Sum32()), 16) + ending
		}
		for _, n := range seriesNames(name, f.sample.Kind) {
			taken[n] = true
		}
		families[i].name = name
	}
	slices.SortFunc(families, func(a, b family) int { return strings.Compare(a.name, b.name) })
	return families
}

func free(taken map[string]bool, name string, kind Kind) bool {
	return !slices.ContainsFunc(seriesNames(name, kind), func(n string) bool { return taken[n] })
}

// seriesNames returns the names of all series in a family.
func seriesNames(name string, kind Kind) []string {
	if kind == KindTimer {
		return []string{name, name + "_sum", name + "_count"}
	}
	return []string{name}
}

// mangle returns name with each character replaced that is not a letter, digit or underscore. It
// puts an underscore before a leading digit. Prometheus reserves colons for recording rules.
func mangle(name string) string {
	b := make([]byte, 0, len(name)+1)
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_':
		case r >= '0' && r <= '9':
			if len(b) == 0 {
				b = append(b, '_')
			}
		default:
			r = '_'
		}
		b = append(b, byte(r))
	}
	if len(b) == 0 {
		return "_"
	}
	return string(b)
}
