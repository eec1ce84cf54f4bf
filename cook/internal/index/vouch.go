package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

// A Vouch states that the index is complete for a target. Each source that is not pending has an
// action, and the index has the contents that the action used.
type Vouch struct {
	Target string
	// Pending is the sorted list of sources that changed, appeared or disappeared in runs for other
	// targets. The next run for this target handles them.
	Pending []string
}

// A vouching has an encoded Vouch for each target of an index, and the fingerprint of their runs.
type vouching struct {
	identity hashing.Digest
	vouches  []vouch // one vouch per target, sorted
}

// A vouch is a Vouch in encoded form, as the changes file has it.
type vouch struct {
	target  string
	totals  Totals
	pending []byte // paths, each ended by a NUL
}

// vouchFor returns the vouch for a target, or nil.
func (v *vouching) vouchFor(target string) *vouch {
	for i := range v.vouches {
		if v.vouches[i].target == target {
			return &v.vouches[i]
		}
	}
	return nil
}

func (v *vouching) vouchesEqually(w *vouching) bool {
	return v.identity == w.identity && slices.EqualFunc(v.vouches, w.vouches, func(a, b vouch) bool {
		return a.target == b.target && a.totals == b.totals && bytes.Equal(a.pending, b.pending)
	})
}

// newVouching encodes a list of Vouch values, with empty totals.
func newVouching(identity hashing.Digest, list []Vouch) vouching {
	v := vouching{identity: identity}
	for _, in := range list {
		out := vouch{target: in.Target}
		for _, path := range in.Pending {
			out.pending = append(append(out.pending, path...), 0)
		}
		v.vouches = append(v.vouches, out)
	}
	slices.SortFunc(v.vouches, func(a, b vouch) int { return strings.Compare(a.target, b.target) })
	return v
}

// appendVouches encodes each vouch: its totals, the lengths of the fields target and pending, and
// these two fields.
func (v *vouching) appendVouches(b []byte) []byte {
	le := binary.LittleEndian
	for _, one := range v.vouches {
		b = appendTotals(b, one.totals)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(one.target))), uint32(len(one.pending)))
		b = append(append(b, one.target...), one.pending...)
	}
	return b
}

// decodeVouches decodes the output of appendVouches.
func (v *vouching) decodeVouches(b []byte) error {
	v.vouches = nil
	for d := (decoder{b: b}); len(d.b) > 0; {
		if len(d.b) < totalsSize+4+4 {
			return fmt.Errorf("%w: the list of targets is cut short", ErrDamaged)
		}
		one := vouch{totals: decodeTotals(d.take(totalsSize))}
		target, pending := uint64(d.u32()), uint64(d.u32())
		if target+pending > uint64(len(d.b)) {
			return fmt.Errorf("%w: the list of targets is longer than the file", ErrDamaged)
		}
		one.target, one.pending = string(d.take(int(target))), d.take(int(pending))
		if n := len(v.vouches); n > 0 && v.vouches[n-1].target >= one.target || pending > 0 && one.pending[pending-1] != 0 {
			return fmt.Errorf("%w: the target %q is invalid", ErrDamaged, one.target)
		}
		v.vouches = append(v.vouches, one)
	}
	return nil
}

// eachPending calls do for each pending source.
func (v *vouch) eachPending(do func(source string)) {
	for rest := v.pending; len(rest) > 0; {
		n := bytes.IndexByte(rest, 0)
		do(string(rest[:n]))
		rest = rest[n+1:]
	}
}

// replaceVouches replaces all vouches, but keeps the totals of each target. It panics for a target
// without a previous vouch.
func (e editor) replaceVouches(v vouching) {
	for i := range v.vouches {
		v.vouches[i].totals = e.x.vouched.vouchFor(v.vouches[i].target).totals
	}
	e.x.edited = e.x.edited || !e.x.vouched.vouchesEqually(&v)
	e.x.vouched = v
}

// Totals returns the sums over the counted targets.
func (r Results) Totals() (sum Totals) {
	for _, v := range r.x.vouched.vouches {
		if r.x.counted.includesTarget(v.target) {
			sum.Actions += v.totals.Actions
			sum.Failed += v.totals.Failed
			sum.In += v.totals.In
			sum.Out += v.totals.Out
			sum.CookTime += v.totals.CookTime
		}
	}
	return sum
}

// addToTotals adds an action and the size of its source to the totals.
func (e editor) addToTotals(a *Action, size int64) {
	if v := e.x.vouched.vouchFor(a.Target); v != nil {
		v.totals.Add(a, size)
	}
}

func (e editor) subtractFromTotals(a *Action, size int64) {
	if v := e.x.vouched.vouchFor(a.Target); v != nil {
		v.totals.Take(a, size)
	}
}

// Vouched returns the targets for which the index is complete, sorted.
func (x *Index) Vouched() []string {
	list := make([]string, len(x.vouched.vouches))
	for i := range list {
		list[i] = x.vouched.vouches[i].target
	}
	return list
}

// Pending calls do for each source that is pending for a target, in order. It does not need Load.
func (x *Index) Pending(target string, do func(source string)) {
	if v := x.vouched.vouchFor(target); v != nil {
		v.eachPending(do)
	}
}
