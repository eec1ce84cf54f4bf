package counters

import (
	"bufio"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// PrometheusContentType is the media type of what WritePrometheus writes.
const PrometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

// WritePrometheus writes the present snapshot, see [Snapshot.WritePrometheus].
func (s *Set) WritePrometheus(w io.Writer) error { return s.Snapshot().WritePrometheus(w) }

// WritePrometheus writes the snapshot in version 0.0.4 of the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). What may not stand in
// a name there becomes an underscore. The counter cook/scan/files becomes a counter
// cook_scan_files_total, a float or gauge a gauge without an ending, the timer cook/scan a
// summary without quantiles: cook_scan_seconds_sum and cook_scan_seconds_count. An
// ending that is already there is not repeated. Of names that become alike the one that
// was first in the set keeps the plain form, and the others get a hash of theirs.
//
// A Counter that is added negative numbers looks to Prometheus as if the program had
// restarted; what goes down should be a [Float] or [Gauge]. Errors are those of w.
func (s Snapshot) WritePrometheus(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, f := range s.families() {
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

// A family is a sample under the name that it has there.
type family struct {
	name   string
	sample *Sample
}

// families returns the samples under names that differ, sorted by them.
func (s Snapshot) families() []family {
	families := make([]family, len(s))
	for i := range s {
		families[i].sample = &s[i]
	}
	// In the order of registration, so that a name that comes later takes none away.
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

// seriesNames returns all names that a family occupies.
func seriesNames(name string, kind Kind) []string {
	if kind == KindTimer {
		return []string{name, name + "_sum", name + "_count"}
	}
	return []string{name}
}

// mangle returns the name with only letters, digits and underscores, no digit first.
// Colons are reserved for the recording rules of the server.
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
