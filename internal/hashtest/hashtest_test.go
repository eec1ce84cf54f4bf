package hashtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/assetcook/assetcook/internal/guard"
)

// toy is a correct hash, or has the mistake named in the field fault. It keeps blocks of 16 bytes,
// as many hashes do.
type toy struct {
	fault string
	crc   hash.Hash32
	held  []byte
	kept  []byte
	size  int
	zero  byte
}

const toyBlock = 16

func newToy(fault string) *toy { return &toy{fault: fault, crc: crc32.NewIEEE()} }

func (t *toy) Write(p []byte) (int, error) {
	n := len(p)
	switch {
	case t.fault == "writes its input" && n > 20:
		//lint:ignore SA1023 it is a fault that the contract has to find
		p[20] ^= t.zero // zero is 0, so the write does not change the byte
	case t.fault == "changes its input" && n > 20:
		//lint:ignore SA1023 likewise
		p[20] ^= 1
		defer func() { p[20] ^= 2 }()
	case t.fault == "keeps its input" && n > 0:
		t.kept = p
		return n, nil
	case t.fault == "short count" && n > 0:
		n--
	case t.fault == "empty write" && n == 0:
		p = []byte{0}
	}
	t.held = append(t.held, p...)
	if t.fault == "loses at block" && len(t.held) == 3*toyBlock {
		t.held = t.held[:len(t.held)-1]
	}
	t.size += len(p)
	whole := len(t.held) / toyBlock * toyBlock
	t.crc.Write(t.held[:whole])
	t.held = slices.Clone(t.held[whole:])
	return n, nil
}

func (t *toy) Sum(b []byte) []byte {
	if t.fault == "keeps its input" {
		t.crc.Reset()
		t.crc.Write(t.kept)
		return t.crc.Sum(b)
	}
	if t.fault == "sum overwrites" {
		b = b[:0]
	}
	crc := crc32.Update(t.crc.Sum32(), crc32.IEEETable, t.held)
	if t.fault == "sum changes state" {
		t.crc.Write(t.held)
	}
	return binary.BigEndian.AppendUint32(b, crc)
}

func (t *toy) Reset() {
	t.crc.Reset()
	if t.fault != "reset forgets nothing" {
		t.held = nil
	}
	t.size = 0
}

func (t *toy) Clone() (hash.Cloner, error) {
	c := *t
	if t.fault != "clone shares state" {
		crc, err := t.crc.(hash.Cloner).Clone()
		if err != nil {
			return nil, err
		}
		c.crc = crc.(hash.Hash32)
	}
	c.held = slices.Clone(t.held)
	return &c, nil
}

func (t *toy) Size() int {
	if t.fault == "wrong size" {
		return 8
	}
	return 4
}
func (t *toy) BlockSize() int { return toyBlock }

// savingToy is a toy that can also save its state: the number of buffered bytes, these bytes, and
// the CRC.
type savingToy struct{ toy }

func (t *savingToy) MarshalBinary() ([]byte, error) {
	b := append([]byte("toy1"), byte(len(t.held)))
	b = append(b, t.held...)
	return binary.BigEndian.AppendUint32(b, t.crc.Sum32()), nil
}

func (t *savingToy) UnmarshalBinary(b []byte) error {
	if t.fault == "takes anything" {
		b = append(slices.Clone(b), make([]byte, 40)...)
	}
	if t.fault != "takes foreign" && !bytes.HasPrefix(b, []byte("toy1")) && t.fault != "takes anything" {
		return errToy
	}
	if len(b) < 5 || len(b) < 9+int(b[4]) || len(b) > 9+int(b[4]) && t.fault != "takes anything" && t.fault != "takes more" {
		return errToy
	}
	t.held = slices.Clone(b[5 : 5+b[4]])
	if t.fault == "loses on restore" && len(t.held) > 3 {
		t.held = t.held[:3]
	}
	state := binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(b[5+b[4]:]))
	// Resume from the saved CRC, using the state format of hash/crc32.
	saved, _ := crc32.NewIEEE().(saver).MarshalBinary()
	return t.crc.(saver).UnmarshalBinary(append(saved[:len(saved)-4], state...))
}

type toyError string

func (e toyError) Error() string { return string(e) }

const errToy = toyError("not a toy's state")

// TestSuiteFindsEveryMistake runs the suite over hashes with one mistake each. It expects the
// mistake to be found by the given check.
func TestSuiteFindsEveryMistake(t *testing.T) {
	sum := func(b []byte) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) }
	faulty := func(fault string) Config {
		return Config{Size: 4, Sum: sum, New: func() hash.Hash { return newToy(fault) }}
	}
	saving := func(fault string) Config {
		c := Config{Size: 4, Sum: sum, State: true}
		c.New = func() hash.Hash { return &savingToy{*newToy(fault)} }
		return c
	}
	oneShot := func(sum func([]byte) []byte) Config {
		return Config{Size: 4, Sum: sum, New: func() hash.Hash { return newToy("") }}
	}
	with := func(c Config, change func(*Config)) Config {
		change(&c)
		return c
	}
	for _, c := range []struct {
		name  string
		by    string // name of the check that finds the mistake; "" if there is no mistake
		hash  Config
		needs bool // set if only guarded pages reveal the mistake
		races bool // set if the mistake causes a data race
	}{
		{name: "sound", hash: faulty("")},
		{name: "sound and saving", hash: saving("")},
		{name: "wrong answer", by: "known answers", hash: with(faulty(""), func(c *Config) { c.Known = []Known{{"abc", "352441c3"}} })},
		{name: "wrong oracle", by: "oracle", hash: with(faulty(""), func(c *Config) {
			c.Oracle = func(b []byte) []byte {
				if len(b) == 1280 {
					return nil
				}
				return sum(b)
			}
		})},
		{name: "wrong size", by: "shape", hash: faulty("wrong size")},
		{name: "sum overwrites", by: "shape", hash: faulty("sum overwrites")},
		{name: "loses at block", by: "splits", hash: faulty("loses at block")},
		{name: "short count", by: "splits", hash: faulty("short count")},
		{name: "empty write", by: "splits", hash: faulty("empty write")},
		{name: "sum changes state", by: "sum and reset", hash: faulty("sum changes state")},
		{name: "reset forgets nothing", by: "sum and reset", hash: faulty("reset forgets nothing")},
		{name: "depends on the address", by: "alignment", hash: oneShot(func(b []byte) []byte {
			out := sum(b)
			if len(b) > 64 && cap(b)%64 == 7 {
				out[0]++
			}
			return out
		})},
		{name: "reads behind the end", by: "guard pages", needs: true, hash: oneShot(func(b []byte) []byte {
			out := sum(b)
			if n := len(b); n > 64 && n%2 == 1 {
				out = append(out, behind(b))[:4]
			}
			return out
		})},
		{name: "writes its input", by: "guard pages", needs: true, hash: faulty("writes its input")},
		{name: "changes its input", by: "retention", hash: faulty("changes its input")},
		{name: "one shot changes its input", by: "retention", races: true, hash: oneShot(func(b []byte) []byte {
			defer func() {
				if len(b) > 70 {
					b[70]++
				}
			}()
			return sum(b)
		})},
		{name: "keeps its input", by: "retention", hash: faulty("keeps its input")},
		{name: "loses on restore", by: "state", hash: saving("loses on restore")},
		{name: "takes anything", by: "state", hash: saving("takes anything")},
		{name: "takes more", by: "state", hash: saving("takes more")},
		{name: "takes foreign", by: "state", hash: saving("takes foreign")},
		{name: "clone shares state", by: "clone", hash: faulty("clone shares state")},
		{name: "cannot clone", by: "clone", hash: with(faulty(""), func(c *Config) {
			c.New = func() hash.Hash { return struct{ hash.Hash }{newToy("")} }
		})},
		{name: "cannot save", by: "state", hash: with(faulty(""), func(c *Config) { c.State = true })},
		{name: "can save", by: "state", hash: with(saving(""), func(c *Config) { c.State = false })},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.needs && !guard.Real() {
				return // only guarded pages reveal this mistake
			}
			var found []string
			for _, check := range checks {
				if c.races && raceDetector && check.name == "concurrency" {
					continue // the race detector would fail this test
				}
				// A faulty hash may change its input, but each check makes its own input, so checks
				// do not affect each other.
				if err := check.run(t, &c.hash); err != nil {
					found = append(found, check.name)
				}
			}
			switch {
			case c.by == "" && len(found) > 0:
				t.Errorf("a sound hash fails %q", found)
			case c.by != "" && !slices.Contains(found, c.by):
				t.Errorf("found by %q, want %q", found, c.by)
			}
		})
	}
}

// TestLong counts the bytes of the long stream and sums its first blocks.
func TestLong(t *testing.T) {
	w := &head{keep: 2*longBlock + 99}
	if testing.Short() || raceDetector {
		w.fail = 3
	}
	err := WriteLong(w)
	if w.fail == 0 && (err != nil || w.n != 1<<32+(4<<20)+longRest) || w.fail != 0 && err != errToy {
		t.Errorf("%d bytes, %v", w.n, err)
	}
	one := Bytes(longBlock)
	want := sha256.Sum256(slices.Concat(one, one, one[:99]))
	if got := sha256.Sum256(w.b[:w.keep]); got != want {
		t.Error("the stream begins with wrong bytes")
	}
	bad := Config{New: func() hash.Hash { return crc32.NewIEEE() }, Long: strings.Repeat("0", 8)}
	if err := checkLongStream(t, &bad); err == nil && !testing.Short() && !raceDetector {
		t.Error("a wrong sum of the long stream was accepted")
	}
}

// head keeps the first bytes and can return an error from a chosen Write.
type head struct {
	b      []byte
	keep   int
	n      int64
	writes int
	fail   int
}

func (w *head) Write(p []byte) (int, error) {
	if w.writes++; w.writes > w.fail && w.fail > 0 {
		return 0, errToy
	}
	if len(w.b) < w.keep {
		w.b = append(w.b, p...)
	}
	w.n += int64(len(p))
	return len(p), nil
}

func TestLengths(t *testing.T) {
	all := Lengths(777)
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) || all[0] != 0 {
		t.Errorf("not sorted and distinct: %v", all)
	}
	for _, n := range []int{0, 15, 16, 17, 241, 5*1024 + 1, 776, 777, 778, 5 * 777} {
		if !slices.Contains(all, n) {
			t.Errorf("%d is missing", n)
		}
	}
}

// behind reads the byte after a slice, like a faulty assembly routine.
func behind(b []byte) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b)))
}
