package view

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
)

// Bounds of what conditions write.
const (
	maxDumps     = 32        // recordings in the folder
	maxDumpBytes = 1 << 30   // of all of them
	maxRing      = 128 << 20 // bytes of recorded blocks that are kept in memory
)

// Kinds of blocks of a stream of events; see "Format" in the documentation of that package.
const (
	streamMagic   = 8 // bytes
	blockHead     = 5
	blockSum      = 4
	blockRecords  = 4
	blockLost     = 5
	blockEnd      = 6
	blockOpen     = 7
	recordDropped = 2 // index among the first numbers of a block of records
)

// A ring keeps the last part of a stream of events: whole blocks, after the tables of
// names that they may need.
type ring struct {
	mu     sync.Mutex
	keep   time.Duration
	tables []byte
	blocks []ringBlock
	bytes  int
	now    func() time.Time
}

type ringBlock struct {
	came  time.Time
	block []byte
}

func newRing() *ring { return &ring{now: time.Now} }

// keepFor makes the ring keep at least so much, before and after a moment.
func (r *ring) keepFor(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep = max(r.keep, 2*d+time.Second)
}

// Write takes whole blocks, as a feed writes them.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rest := p
	if len(r.tables) == 0 && len(rest) >= streamMagic {
		r.tables, rest = append(r.tables, rest[:streamMagic]...), rest[streamMagic:]
	}
	for len(rest) >= blockHead {
		n := blockHead + int(binary.LittleEndian.Uint32(rest)) + blockSum
		if n > len(rest) {
			return 0, errors.New("view: a feed wrote a part of a block")
		}
		switch block := rest[:n]; block[4] {
		case blockRecords, blockOpen, blockLost:
			r.blocks = append(r.blocks, ringBlock{r.now(), append([]byte(nil), block...)})
			r.bytes += n
		case blockEnd: // a recording gets one of its own
		default:
			r.tables = append(r.tables, block...)
		}
		rest = rest[n:]
	}
	r.evict()
	return len(p), nil
}

// evict drops what is older than the ring keeps, and what is too much.
func (r *ring) evict() {
	oldest := r.now().Add(-r.keep)
	n := 0
	for n < len(r.blocks) && (r.bytes > maxRing || r.blocks[n].came.Before(oldest)) {
		r.bytes -= len(r.blocks[n].block)
		n++
	}
	if n > 0 {
		clear(r.blocks[:n])
		r.blocks = r.blocks[n:]
	}
}

// recording returns what came since a moment as a stream that is ended.
func (r *ring) recording(since time.Time) (parts [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.evict()
	parts = append(parts, append([]byte(nil), r.tables...))
	var records, dropped uint64
	for _, b := range r.blocks {
		if b.came.Before(since) {
			continue
		}
		parts = append(parts, b.block)
		if b.block[4] == blockRecords {
			count, lost := recordCounts(b.block[blockHead:])
			records, dropped = records+count, dropped+lost
		}
	}
	end := []byte{0, 0, 0, 0, blockEnd}
	end = binary.AppendUvarint(end, records)
	end = binary.AppendUvarint(end, dropped)
	binary.LittleEndian.PutUint32(end, uint32(len(end)-blockHead))
	end = binary.LittleEndian.AppendUint32(end, crc32.Checksum(end, crc32.MakeTable(crc32.Castagnoli)))
	return append(parts, end)
}

// recordCounts returns how many records a block has, and how many were dropped before.
func recordCounts(content []byte) (records, dropped uint64) {
	var numbers [recordDropped + 1]uint64
	for i := range numbers {
		n, size := binary.Uvarint(content)
		if size <= 0 {
			break
		}
		numbers[i], content = n, content[size:]
	}
	return numbers[0], numbers[recordDropped]
}

// dump writes what a ring has of the last while, before and after the event, and returns
// the name of the file.
func (v *View) dump(r *ring, around time.Duration) (name string, err error) {
	v.dumping.Lock()
	defer v.dumping.Unlock()
	now := time.Now()
	parts := r.recording(now.Add(-2 * around))
	size := int64(0)
	for _, p := range parts {
		size += int64(len(p))
	}
	dir := v.sources.Dumps
	files, bytes, err := dumps(dir)
	if err != nil {
		return "", fmt.Errorf("recording not written: %w", err)
	}
	if files >= maxDumps || bytes+size > maxDumpBytes {
		return "", fmt.Errorf("recording not written: %s has %d recordings of %d MiB; at most %d of %d MiB are kept there: move some away",
			dir, files, bytes>>20, maxDumps, maxDumpBytes>>20)
	}
	stem := dumpPrefix + now.UTC().Format("20060102T150405.000Z")
	name = stem + dumpSuffix
	for n := 2; exists(filepath.Join(dir, name)); n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, dumpSuffix)
	}
	err = atomicfile.Write(filepath.Join(dir, name), 0o666, func(w io.Writer) error {
		for _, p := range parts {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("recording not written: %w", err)
	}
	return name, nil
}

const dumpPrefix, dumpSuffix = "when-", ".events"

// dumps counts the recordings that conditions have written into a folder, which is made if
// there is none.
func dumps(dir string) (files int, bytes int64, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, 0, err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), dumpPrefix) || !strings.HasSuffix(e.Name(), dumpSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil {
			files++
			bytes += info.Size()
		}
	}
	return files, bytes, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
