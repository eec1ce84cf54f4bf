package memory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/profile/heap"
)

// These limits apply to a file.
const (
	maxCaptureBytes = 1 << 30
	maxLevels       = 1 << 23 // maximum number of tree levels, summed over all rows
	maxFigure       = 1 << 53 // JSON numbers represent integers exactly up to this limit
	maxName         = 16 << 10
)

// ReadCapture reads a file of [Capture.WriteJSON]. The file may be damaged or forged. ReadCapture
// returns an error if numbers are out of range or contradict each other.
func ReadCapture(r io.Reader) (*Capture, error) {
	c, err := readCapture(r, maxCaptureBytes)
	if err != nil {
		return nil, fmt.Errorf("memory: reading a capture: %w", err)
	}
	return c, nil
}

func readCapture(r io.Reader, most int64) (*Capture, error) {
	limited := &io.LimitedReader{R: r, N: most + 1}
	dec := json.NewDecoder(limited)
	f := captureFile{Capture: &Capture{}}
	switch err := dec.Decode(&f); {
	case limited.N <= 0:
		return nil, fmt.Errorf("the file is larger than %d bytes", most)
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file ends early")
	case err != nil:
		return nil, err
	case f.Format != captureFormat:
		return nil, fmt.Errorf("the format is %.40q, which is not %q", f.Format, captureFormat)
	case f.Capture == nil || f.Snapshot == nil || f.Usage == nil:
		return nil, errors.New("the snapshot or the usage is missing")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is extra data after the end of the capture")
	}
	c := f.Capture
	c.List = &List{f.Owners, f.Items}
	return c, cmp.Or(c.Snapshot.check(), c.Usage.check(), c.List.check(), checkHeap(c.Heap))
}

// figures sums nonnegative numbers and detects overflow.
type figures struct {
	sum int64
	bad bool
}

func (f *figures) appendFigures(all ...int64) {
	for _, n := range all {
		if n < 0 || n > maxFigure-f.sum {
			f.bad = true
			return
		}
		f.sum += n
	}
}

func (f *figures) err(where string) error {
	if f.bad {
		return fmt.Errorf("the %s have a negative value, or a sum above 2^53", where)
	}
	return nil
}

// checkNames returns an error if a name is longer than maxName. The limit exists because a page may
// show a name many times.
func checkNames(names ...string) error {
	for _, name := range names {
		if len(name) > maxName {
			return fmt.Errorf("the name %.40q... has %d bytes, more than %d", name, len(name), maxName)
		}
	}
	return nil
}

// check validates the snapshot, and sorts its rows and groups.
func (s *Snapshot) check() error {
	var bytes, counts, peaks, freed, frees, groups figures
	levels := 0
	for _, r := range s.Rows {
		if err := checkNames(r.Worker, r.Group, r.Name, r.Scope); err != nil {
			return err
		}
		bytes.appendFigures(r.Bytes)
		counts.appendFigures(r.Count)
		peaks.appendFigures(r.Peak)
		freed.appendFigures(r.Freed)
		frees.appendFigures(r.Frees)
		if levels += 8 + min(strings.Count(r.Scope, ";"), maxDepth); levels > maxLevels {
			return fmt.Errorf("the rows have more than %d scopes", maxLevels)
		}
	}
	if len(s.Groups) > maxGroups {
		return fmt.Errorf("there are %d groups, but a tracker has at most %d", len(s.Groups), maxGroups)
	}
	for _, g := range s.Groups {
		if err := checkNames(g.Name, g.Parents); err != nil {
			return err
		}
		groups = figures{bad: groups.bad} // The memory of nested groups counts in each, so their sums are not added.
		groups.appendFigures(g.Bytes, g.Count, g.Peak, g.Exceeded, g.PeakCount, g.Refused, g.Waited)
		groups.bad = groups.bad || g.Budget < 0 // A budget may be as large as MaxInt64.
	}
	groups.sum = 0
	groups.appendFigures(s.Held, s.Warm, s.Untracked, s.Coarse, s.Unprotected)
	slices.SortFunc(s.Groups, func(a, b GroupRow) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Rows, func(a, b Row) int { return a.compare(b.Key) })
	for i := range s.Rows {
		if i > 0 && s.Rows[i].Key == s.Rows[i-1].Key {
			return fmt.Errorf("there are two rows for %.200s", s.Rows[i].sentence())
		}
	}
	return cmp.Or(bytes.err("bytes of rows"), counts.err("counts of rows"), peaks.err("peaks of rows"),
		freed.err("freed bytes of rows"), frees.err("frees of rows"), groups.err("groups"))
}

func (u *Usage) check() error {
	if len(u.Pools) > maxPools {
		return fmt.Errorf("there are %d pools, but a tracker has at most %d", len(u.Pools), maxPools)
	}
	var f figures
	for _, n := range [][]int64{{u.Bytes}, {u.Count}, {u.Peak}, {u.PeakCount}, {u.Held}, {u.Rounding}, {u.Warm}, {u.Tables}} {
		f.sum = 0
		f.appendFigures(n...)
	}
	for _, p := range u.Pools {
		if err := checkNames(p.Group, p.Name, p.Type, string(p.Lifetime)); err != nil {
			return err
		}
		f.sum = 0
		f.appendFigures(p.Bytes, p.Count, p.Peak, p.PeakCount, p.Rounding)
	}
	for _, s := range u.Sizes {
		f.sum = 0
		f.appendFigures(s.Capacity, s.Live, s.Kept)
	}
	return f.err("pools and sizes")
}

func (l *List) check() error {
	for _, o := range l.Owners {
		if err := checkNames(o.Worker, o.Group, o.Name, o.Scope, o.Type, string(o.Lifetime), o.Parents, o.Site); err != nil {
			return err
		}
	}
	var bytes, capacities figures
	for _, i := range l.Items {
		bytes.appendFigures(i.Bytes)
		capacities.appendFigures(i.Capacity)
		if int(i.Owner) >= len(l.Owners) {
			return fmt.Errorf("an allocation has owner %d, but the number of owners is %d", i.Owner, len(l.Owners))
		}
		if i.Capacity < i.Bytes {
			return fmt.Errorf("the allocation at 0x%x has %d bytes, but a capacity of only %d", i.Address, i.Bytes, i.Capacity)
		}
	}
	return cmp.Or(bytes.err("bytes of allocations"), capacities.err("capacities of allocations"))
}

// checkHeap validates the Go heap of a capture, which may be nil.
func checkHeap(p *heap.Profile) error {
	if p == nil {
		return nil
	}
	if p.Rate < 0 {
		return errors.New("the sampling rate of the heap is negative")
	}
	for _, f := range p.Frames {
		if err := checkNames(f.Function, f.File); err != nil {
			return err
		}
	}
	var inUse, inUseObjects, allocated, allocatedObjects figures
	calls := 0
	for _, s := range p.Stacks {
		if calls += len(s.Calls); calls > maxLevels {
			return fmt.Errorf("the stacks of the heap have more than %d calls", maxLevels)
		}
		for _, c := range s.Calls {
			if int(c) >= len(p.Frames) {
				return fmt.Errorf("a stack has frame %d, but the number of frames is %d", c, len(p.Frames))
			}
		}
		inUse.appendFigures(s.InUseBytes)
		inUseObjects.appendFigures(s.InUseObjects)
		allocated.appendFigures(s.AllocatedBytes)
		allocatedObjects.appendFigures(s.AllocatedObjects)
	}
	return cmp.Or(inUse.err("bytes of the heap"), inUseObjects.err("objects of the heap"),
		allocated.err("allocated bytes of the heap"), allocatedObjects.err("allocated objects of the heap"))
}

// UnmarshalJSON reads an array of whole numbers without allocating memory for each.
func (items *itemsJSON) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if len(text) < 2 || text[0] != '[' {
		return errors.New("the allocations are not an array of numbers")
	}
	var fields [5]uint64
	at, digits := 0, 0
	list := make(itemsJSON, 0, len(text)/60)
	for _, c := range text[1:] {
		switch {
		case c >= '0' && c <= '9' && digits < 20:
			// A number of 20 digits may overflow, but is invalid in any case.
			fields[at] = fields[at]*10 + uint64(c-'0')
			digits++
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		case c != ',' && c != ']':
			return fmt.Errorf("the allocations contain %q instead of a whole number", c)
		case digits == 0 && at == 0 && len(list) == 0: // The array is empty.
		case digits == 0:
			return errors.New("a number is missing among the allocations")
		default:
			digits = 0
			if at++; at < len(fields) {
				continue
			}
			if fields[2] > maxFigure || fields[3] > maxFigure || fields[4] > maxLive {
				return errors.New("the allocations have a number above 2^53")
			}
			list = append(list, Item{fields[0], fields[1], int64(fields[2]), int64(fields[3]), uint32(fields[4])})
			at, fields = 0, [5]uint64{}
		}
	}
	if at != 0 {
		return fmt.Errorf("the last allocation has only %d of %d numbers", at, len(fields))
	}
	*items = list
	return nil
}
