package memory

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteLeaks writes a line for each group, pool and stack of scopes that holds memory, summed over
// all workers, most bytes first. It writes nothing if all memory is free. To list the leaks of a
// task, call it on the difference to a snapshot from before the task:
//
//	before := tracker.Snapshot()
//	...
//	tracker.Snapshot().Sub(before).WriteLeaks(os.Stderr)
func (s *Snapshot) WriteLeaks(w io.Writer) error {
	sums := map[Key]Row{}
	for _, r := range s.Rows {
		r.Worker = ""
		sum := sums[r.Key]
		sum.Key, sum.Bytes, sum.Count = r.Key, sum.Bytes+r.Bytes, sum.Count+r.Count
		sums[r.Key] = sum
	}
	var leaks []Row
	for _, r := range sums {
		if r.Bytes > 0 || r.Count > 0 {
			leaks = append(leaks, r)
		}
	}
	slices.SortFunc(leaks, func(a, b Row) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), a.compare(b.Key)) })
	out := bufio.NewWriter(w)
	for _, r := range leaks {
		fmt.Fprintf(out, "leak: %d bytes in %d of %s", r.Bytes, r.Count, r.label())
		if r.Scope != "" {
			fmt.Fprintf(out, " from %s", r.Scope)
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// label returns the names of the group and the pool in the form of [Pool.String].
func (k Key) label() string {
	if k.Name == "" {
		return k.Group
	}
	return k.Group + "/" + k.Name
}

func (g GroupRow) label() string {
	if g.Parents == "" {
		return g.Name
	}
	return g.Name + " < " + g.Parents
}

// WriteCSV writes the rows as comma-separated values (RFC 4180, lines ended by \n). The header
// line is always:
//
//	worker,group,name,scope,bytes,count,peak
func (s *Snapshot) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"worker", "group", "name", "scope", "bytes", "count", "peak"})
	for _, r := range s.Rows {
		out.Write([]string{r.Worker, r.Group, r.Name, r.Scope,
			strconv.FormatInt(r.Bytes, 10), strconv.FormatInt(r.Count, 10), strconv.FormatInt(r.Peak, 10)})
	}
	out.Flush() // Error below also returns the errors of Write.
	return out.Error()
}
