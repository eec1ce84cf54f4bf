package memory

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/profile/heap"
)

// A Capture is the state of a tracker at one time. It can be kept, written to a file and compared
// with another capture. It never changes.
type Capture struct {
	Name    string    `json:"-"`                 // name in a viewer; set by the caller if wanted
	Program string    `json:"program,omitempty"` // name of the program; set by the caller if wanted
	Tracker string    `json:"tracker"`           // unique for each tracker and run; only lists of the same Tracker can be compared
	At      time.Time `json:"at"`

	Snapshot *Snapshot `json:"snapshot"`
	Usage    *Usage    `json:"usage"`
	List     *List     `json:"-"`

	// Heap is the Go heap of the program; set by the caller if wanted.
	Heap *heap.Profile `json:"heap,omitempty"`
}

// Capture returns the current state, as accurate as [Snapshot] describes. The capture of a nil
// tracker is empty.
func (t *Tracker) Capture(at time.Time) *Capture {
	c := &Capture{At: at, Snapshot: t.Snapshot(), Usage: t.Usage(), List: t.List()}
	if t != nil {
		t.mu.Lock()
		if t.name == "" {
			t.name = rand.Text()
		}
		c.Tracker = t.name
		t.mu.Unlock()
	}
	return c
}

// captureFormat identifies the JSON form of a capture.
const captureFormat = "memory capture 1"

// captureFile is the JSON form of a capture.
type captureFile struct {
	Format string `json:"format"`
	*Capture
	Owners []Owner   `json:"owners"`
	Items  itemsJSON `json:"allocations"`
}

// itemsJSON holds five numbers per item, in the order of the fields of Item.
type itemsJSON []Item

// WriteJSON writes the capture in the format that [ReadCapture] reads. It is a JSON object with
// Snapshot, Usage, the owners of the list, and the items. The items are one flat array of address,
// id, bytes, capacity and owner.
func (c *Capture) WriteJSON(w io.Writer) error {
	head, err := json.Marshal(captureFile{Format: captureFormat, Capture: c, Owners: c.List.Owners})
	if err != nil {
		return err
	}
	const end = "null}" // end of the object; the items are written before it, in parts
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(head[:len(head)-len(end)])
	out.WriteByte('[')
	for i, item := range c.List.Items {
		line := out.AvailableBuffer()
		if i > 0 {
			line = append(line, ',')
		}
		line = append(strconv.AppendUint(line, item.Address, 10), ',')
		line = append(strconv.AppendUint(line, item.ID, 10), ',')
		line = append(strconv.AppendInt(line, item.Bytes, 10), ',')
		line = append(strconv.AppendInt(line, item.Capacity, 10), ',')
		line = strconv.AppendUint(line, uint64(item.Owner), 10)
		out.Write(append(line, '\n'))
	}
	out.WriteString("]}\n")
	return out.Flush()
}
