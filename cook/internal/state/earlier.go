package state

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile/guid"
)

// Earlier has a record for each of the last runs with changes, for comparisons with an earlier run.
// No run depends on it. See [index.RunChanges].
type Earlier struct{ files *files }

// earlierBytes is the length of the file at which it is shortened to less than half.
const earlierBytes = 16 << 20

// AddRun appends the record of a run. Call it before the commit: if the process is killed in between,
// the record undoes changes that were not made, and nothing is lost.
func (e Earlier) AddRun(c *index.RunChanges) error {
	record := index.EncodeRun(c, earlierBytes/2)
	if err := e.files.appendTo(earlierName, record, earlierBytes-int64(len(record)), e.dropOldest); err != nil {
		return fmt.Errorf("%s: %w", e.files.absoluteName(earlierName), err)
	}
	return nil
}

// dropOldest removes the oldest records.
func (e Earlier) dropOldest() error {
	data, err := e.files.readStateFile(earlierName)
	if err != nil {
		return err
	}
	return e.files.putFile(earlierName, index.LastRuns(data, earlierBytes/2), withoutSync)
}

// ActionAfter returns an action as it was after a run; see index.ActionAfter.
func (e Earlier) ActionAfter(run guid.ID, source, target string, now *index.Action) (*index.Action, error) {
	data, err := e.files.readStateFile(earlierName)
	if err != nil && !pathname.IsAbsent(err) {
		return nil, err
	}
	return index.ActionAfter(data, run, source, target, now)
}
