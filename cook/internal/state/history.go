package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// The history is a line of JSON for each of the last runs. It is for people and charts:
// no run depends on it. Lines of runs that did much have details that are dropped when
// they are old.

const (
	// HistoryRuns is how many runs are reported. There may be more in the file.
	HistoryRuns = 600
	// historyBytes is twice what so many lines come to if each has all its numbers, some
	// 1,900 bytes.
	historyBytes = 2 * HistoryRuns * 2048
	// detailBytes is what details may take of a history that was shortened.
	detailBytes = historyBytes / 4
)

// ReadHistory returns the end of the history, nil if there is none.
// The first line may be torn, and so may lines of runs that were killed.
func (d *Dir) ReadHistory() ([]byte, error) {
	f, err := d.home.OpenFile(historyName)
	if pathname.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 2*historyBytes {
		if _, err := f.Seek(info.Size()-2*historyBytes, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, 3*historyBytes))
}

// AddHistory adds a line. If the history has become long only its last lines stay, as keep
// returns them: brief without details, nil for one that is torn.
func (d *Dir) AddHistory(line []byte, keep func(line []byte, brief bool) []byte) error {
	if err := d.addHistory(line, keep); err != nil {
		return fmt.Errorf("history %s: %w", d.name(historyName), err)
	}
	return nil
}

func (d *Dir) addHistory(line []byte, keep func(line []byte, brief bool) []byte) error {
	root := d.home.Root()
	info, err := root.Lstat(historyName)
	if err == nil && !info.Mode().IsRegular() {
		return regular.Mode(info.Mode())
	}
	if err == nil && info.Size() > historyBytes {
		if err := d.shortenHistory(keep); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(historyName, os.O_CREATE|os.O_APPEND|os.O_WRONLY|regular.NoWait, 0o666)
	if err != nil {
		return err
	}
	// A line break first ends what a killed run may have left of its line.
	_, err = f.Write(fmt.Appendf(nil, "\n%s", line))
	return errors.Join(err, f.Close())
}

// shortenHistory leaves the last lines, and the details of the last of them.
func (d *Dir) shortenHistory(keep func(line []byte, brief bool) []byte) error {
	text, err := d.readStateFile(historyName)
	if err != nil {
		return err
	}
	var lines [][]byte
	size, details := 0, 0
	for _, line := range slices.Backward(bytes.Split(text, []byte("\n"))) {
		brief := keep(line, true)
		if brief == nil {
			continue
		}
		if size += len(brief) + 1; size > historyBytes/2 {
			break
		}
		if detail := len(line) - len(brief); detail > 0 && details+detail <= detailBytes {
			details += detail
			brief = line
		}
		lines = append(lines, brief)
	}
	slices.Reverse(lines)
	return d.putFile(historyName, append([]byte("\n"), bytes.Join(lines, []byte("\n"))...), unsynced)
}
