package view

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/profile/events"
)

// These are limits for the recordings that conditions write.
const (
	maxDumps     = 32      // number of recordings in the directory
	maxDumpBytes = 1 << 30 // total size of all recordings in bytes
)

// dump writes the last events of a tape into a new file in the recordings directory. They cover
// twice the duration around. dump returns the file's name.
func (v *View) dump(tape *events.Tape, around time.Duration) (name string, err error) {
	v.dumping.Lock()
	defer v.dumping.Unlock()
	dir := v.sources.Dumps
	files, bytes, err := dumps(dir)
	if err != nil {
		return "", fmt.Errorf("recording not written: %w", err)
	}
	if files >= maxDumps || bytes >= maxDumpBytes {
		return "", fmt.Errorf("recording not written: %s has %d recordings of %d MiB; it may have at most %d of %d MiB; move some away",
			dir, files, bytes>>20, maxDumps, maxDumpBytes>>20)
	}
	stem := dumpPrefix + time.Now().UTC().Format("20060102T150405.000Z")
	name = stem + dumpSuffix
	for n := 2; exists(filepath.Join(dir, name)); n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, dumpSuffix)
	}
	from := tape.State().End - 2*around.Nanoseconds()
	err = atomicfile.Write(filepath.Join(dir, name), 0o666, func(w io.Writer) error { return tape.WriteTail(w, from) })
	if err != nil {
		return "", fmt.Errorf("recording not written: %w", err)
	}
	return name, nil
}

const dumpPrefix, dumpSuffix = "when-", ".events"

// dumps counts the recordings that conditions have written into a directory. It creates the
// directory if needed.
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
