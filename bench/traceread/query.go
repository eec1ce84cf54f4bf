package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed query.cjs
var queryScript string

// Queries of the trace processor's tables. Marks are slices without duration.
const (
	slicesSQL = `select thread.name, slice.category, slice.name, count(*), sum(dur) from slice
		join thread_track on slice.track_id = thread_track.id join thread using (utid) group by 1, 2, 3`
	levelsSQL = `select t.name, count(*), sum(value) from counter c join counter_track t on c.track_id = t.id group by 1`
	arrowsSQL = `select a.name, b.name, count(*) from flow join slice a on slice_out = a.id join slice b on slice_in = b.id group by 1, 2`
	faultsSQL = `select name, value from stats where value > 0 and severity in ('error', 'data_loss')`
)

// readBack returns the trace processor's sums of a file.
func readBack(perfetto, file string) (sums, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return sums{}, err
	}
	cmd := exec.Command("node", "-", perfetto, file, slicesSQL, levelsSQL, arrowsSQL, faultsSQL)
	cmd.Stdin = strings.NewReader(queryScript)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return sums{}, fmt.Errorf("node: %w: %s", err, failed.Stderr)
	} else if err != nil {
		return sums{}, fmt.Errorf("%w (this needs Node.js)", err)
	}
	var tables [4][]cells
	if err := json.Unmarshal(out, &tables); err != nil {
		return sums{}, fmt.Errorf("output of node: %w", err)
	}
	if faults := tables[3]; len(faults) > 0 {
		return sums{}, fmt.Errorf("the trace processor reports %s (%d)", faults[0].text(0), faults[0].numberOfCell(1))
	}
	s := newSums()
	for _, c := range tables[0] {
		s.addSlice(slice{c.text(0), c.text(1), c.text(2)}, c.numberOfCell(3), c.numberOfCell(4))
	}
	for _, c := range tables[1] {
		// In formats with several numbers per counter the name is "name value".
		name := strings.TrimSuffix(c.text(0), " value")
		sum, _ := c[2].(float64)
		s.levels[name] = level{c.numberOfCell(1), sum}
	}
	for _, c := range tables[2] {
		s.arrows[arrow{c.text(0), c.text(1)}] = c.numberOfCell(2)
	}
	return s, nil
}

// cells are a row of a query result: texts, whole numbers as texts, or numbers.
type cells []any

func (c cells) text(i int) string {
	s, _ := c[i].(string)
	return s
}

func (c cells) numberOfCell(i int) int64 {
	n, _ := strconv.ParseInt(c.text(i), 10, 64)
	return n
}
