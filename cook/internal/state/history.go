package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A History has a line of JSON for each recent run, for reports and charts. No run depends on it.
// The lines of runs with much work have details, which are dropped later.
type History struct{ files *files }

const (
	// HistoryRuns is the number of runs in reports. The file may have more.
	HistoryRuns = 600
	// historyBytes is twice the size of HistoryRuns lines. A line with all numbers has about 1,900
	// bytes.
	historyBytes = 2 * HistoryRuns * 2048
	// detailBytes limits the details in a shortened history.
	detailBytes = historyBytes / 4
)

// Read returns the end of the history, or nil if there is no history. The first and the last line
// may be incomplete.
func (h History) Read() ([]byte, error) {
	f, err := h.files.home.OpenFile(historyName)
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

// Add appends a line. If the history is long, it keeps only the last lines. keep returns the line
// to keep: without details if brief is set, or nil to drop an incomplete line.
func (h History) Add(line []byte, keep func(line []byte, brief bool) []byte) error {
	if err := h.appendLine(line, keep); err != nil {
		return fmt.Errorf("history %s: %w", h.files.absoluteName(historyName), err)
	}
	return nil
}

func (h History) appendLine(line []byte, keep func(line []byte, brief bool) []byte) error {
	// If a killed run has left an incomplete line, this line break ends it.
	return h.files.appendTo(historyName, fmt.Appendf(nil, "\n%s", line), historyBytes, func() error { return h.shortenHistory(keep) })
}

// appendTo appends data to one of cook's own files. If the file is longer than limit, it first
// calls shorten.
func (f *files) appendTo(name string, data []byte, limit int64, shorten func() error) error {
	root := f.home.Root()
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return regular.Mode(info.Mode())
	}
	if err == nil && info.Size() > limit {
		if err := shorten(); err != nil {
			return err
		}
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY|regular.NoWait, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// shortenHistory keeps the last lines, with the details of the most recent ones.
func (h History) shortenHistory(keep func(line []byte, brief bool) []byte) error {
	text, err := h.files.readStateFile(historyName)
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
	return h.files.putFile(historyName, append([]byte("\n"), bytes.Join(lines, []byte("\n"))...), withoutSync)
}

// notedName is the list of warnings that need not be repeated. Its lines are quoted and sorted.
const notedName = manifest.StateDir + "/noted"

// Noted is the list of warnings that earlier runs have reported.
type Noted struct{ files *files }

// Lines returns the warnings. It skips damaged lines.
func (n Noted) Lines() map[string]bool {
	data, _ := n.files.readStateFile(notedName) // if this fails, the run repeats the warnings
	lines := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if text, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			lines[text] = true
		}
	}
	return lines
}

// Set replaces the list. An empty list has no file.
func (n Noted) Set(lines []string) error {
	if len(lines) == 0 {
		return n.files.removeMaybe(notedName)
	}
	lines = slices.Clone(lines)
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range slices.Compact(lines) {
		b.WriteString(strconv.Quote(line) + "\n")
	}
	if now, err := n.files.readStateFile(notedName); err == nil && bytes.Equal(now, b.Bytes()) {
		return nil
	}
	return n.files.putFile(notedName, b.Bytes(), withoutSync)
}
