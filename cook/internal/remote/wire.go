package remote

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Key names a result.
type Key struct {
	Action store.ActionID
	Result store.ResultID // the result for what the action reads
	Reads  bool           // the action reads something besides its source
}

// WireVersion is the version of the protocol. The first line in each direction contains it, and
// both processes must have the same. Raise it with any change of Request, Answer or their fields.
const WireVersion = 1

// Beat is the interval of heartbeats: serve-remote writes at least one line in each.
const Beat = 5 * time.Second

// An Op is the operation of a request.
type Op string

const (
	Hello  Op = "hello"  // the first request, with the version of the wire
	Expect Op = "expect" // look keys up, and fetch the found results
	Forget Op = "forget" // expected keys are not needed any more
	Look   Op = "look"   // look a key up
	Fetch  Op = "fetch"  // bring the blobs of a key's result into the store
	Keep   Op = "keep"   // upload the store's records of keys, later
	Run    Op = "run"    // execute an action on another machine, and bring its blobs into the store
	Drop   Op = "drop"   // give up the Run with this Seq
	End    Op = "end"    // finish uploads within the time given, and stop
)

// A Request is one line of JSON that serve-remote reads. Answers never keep it from reading.
type Request struct {
	// Seq is the number of the answer; 0 means no answer. The keys of Expect have the answers
	// Seq, Seq+1 and so on, unless they are forgotten.
	Seq  uint64 `json:"seq,omitempty"`
	Op   Op     `json:"op"`
	Keys []Key  `json:"keys,omitempty"`
	// Assets are the paths of the keys' assets, for messages; nil if unknown.
	Assets []string `json:"assets,omitempty"`
	// Have are blobs that need no download, for each key of Expect.
	Have  [][]store.BlobID `json:"have,omitempty"`
	Root  *Root            `json:"root,omitempty"`  // the inputs, for Run
	Flush time.Duration    `json:"flush,omitempty"` // the longest wait for uploads, for End
	Wire  int              `json:"wire,omitempty"`  // WireVersion, for Hello
}

// A Root has all inputs of an action for another machine.
type Root struct {
	Files   []File   `json:"files"`
	Folders []string `json:"folders,omitempty"` // existing directories, with or without files
	Outputs int      `json:"outputs"`           // number of artifacts
	Asset   string   `json:"asset,omitempty"`   // the path, for messages
	// Wait limits the wait for the result; 0 means the general limit of executions.
	Wait time.Duration `json:"wait,omitempty"`
}

// A File is one file of a Root.
type File struct {
	Path       string `json:"path"`           // slash path below the root
	Text       []byte `json:"text,omitempty"` // content, or
	From       string `json:"from,omitempty"` // a local file with the content, and
	Blob       string `json:"blob,omitempty"` // its ID
	Size       int64  `json:"size,omitempty"`
	Executable bool   `json:"executable,omitempty"`
}

// An Answer is one line of JSON that serve-remote writes. The first answer has only the version of
// the protocol. An empty answer is a heartbeat.
type Answer struct {
	Seq   uint64 `json:"seq,omitempty"`   // 0 for a note
	Found bool   `json:"found,omitempty"` // Look: a result; others: all its blobs
	// ReadSets and Result are records of the store, for Look and Expect. Either may be missing.
	ReadSets []byte       `json:"readSets,omitempty"`
	Result   []byte       `json:"result,omitempty"`
	Origin   store.Origin `json:"origin,omitzero"` // the maker of the result
	Note     string       `json:"note,omitempty"`
	// Record is the Record of a Run, and Over its time beyond cooking. Off means that no more
	// actions will be executed.
	Record  []byte        `json:"record,omitempty"`
	Over    time.Duration `json:"over,omitempty"`
	Off     bool          `json:"off,omitempty"`
	Stats   *Stats        `json:"stats,omitempty"`   // counts of the run, for End
	Traffic *Traffic      `json:"traffic,omitempty"` // news without a request
	Wire    int           `json:"wire,omitempty"`    // WireVersion, of the first line
}

// Traffic is news of one transfer, or of all transfers at a moment.
type Traffic struct {
	Transfer         *Transfer `json:"transfer,omitempty"`
	Active           bool      `json:"active,omitempty"` // a transfer is under way
	Down, Up         int64     `json:",omitempty"`       // bytes so far
	DownRate, UpRate int64     `json:",omitempty"`       // bytes a second lately
}

// A Transfer is a group of blobs. It is reported at its begin and at its end.
type Transfer struct {
	ID    int   `json:"id"`
	Up    bool  `json:"up,omitempty"`
	Blobs int   `json:"blobs"`
	Bytes int64 `json:"bytes"`
	Ended bool  `json:"ended,omitempty"`
}

// String returns the transfers under way for the progress line, "" if there are none.
func (t Traffic) String() string {
	var parts []string
	for _, way := range [...]struct {
		name        string
		bytes, rate int64
	}{{"down", t.Down, t.DownRate}, {"up", t.Up, t.UpRate}} {
		if t.Active && way.bytes > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s/s", way.name, human.Bytes(way.bytes), human.Bytes(way.rate)))
		}
	}
	return strings.Join(parts, "  ")
}

// Stats count the look-ups and transfers of a run.
type Stats struct {
	Looked     int64         `json:"looked"`              // actions that were looked for
	Hits       int64         `json:"hits"`                // actions with a result
	Downloaded int64         `json:"downloaded"`          // artifacts
	Down       int64         `json:"bytes_down"`          // size of the downloaded artifacts
	Uploaded   int64         `json:"uploaded"`            // results
	Up         int64         `json:"bytes_up"`            // size of the uploaded artifacts and inputs
	Left       int64         `json:"left,omitempty"`      // results that the next run uploads
	Dear       int64         `json:"dear,omitempty"`      // results that take longer to download than to cook
	Executed   int64         `json:"executed"`            // actions that other machines cooked
	Untrusted  int64         `json:"untrusted,omitempty"` // results that no trusted key has signed
	Requests   int64         `json:"requests"`
	Waited     time.Duration `json:"waited_ns"` // time until the server's first answer
}

// String returns the counts for the summary of a run.
func (s Stats) String() string {
	text := ""
	if s.Looked > 0 {
		text += fmt.Sprintf("; %d of %d found, %s", s.Hits, s.Looked, human.Bytes(s.Down))
	}
	if s.Executed > 0 {
		text += fmt.Sprintf("; %d cooked there", s.Executed)
	}
	if s.Uploaded > 0 {
		text += fmt.Sprintf("; %s given, %s", human.Count(int(s.Uploaded), "result"), human.Bytes(s.Up))
	}
	if s.Left > 0 {
		text += fmt.Sprintf("; %d left for the next run", s.Left)
	}
	if s.Untrusted > 0 {
		text += fmt.Sprintf("; %d not trusted", s.Untrusted)
	}
	if text == "" {
		return "nothing found and nothing given"
	}
	return strings.TrimPrefix(text, "; ")
}

// keyDigits is the number of digits shown of a fingerprint.
const keyDigits = 16

// Describe returns one line about where a result came from, and how long it took to cook. It
// escapes unprintable characters.
func Describe(o store.Origin, took time.Duration) string {
	text := pathname.Show(o.Server) + ", cooked"
	if o.Run != "" {
		text += " by run " + pathname.Show(o.Run)
	}
	if o.Host != "" {
		text += " on host " + pathname.Show(o.Host)
	}
	text += " in " + human.Duration(took)
	if !o.At.IsZero() {
		text += " (" + o.At.UTC().Format("2006-01-02 15:04:05 UTC") + ")"
	}
	if o.Key != "" {
		text += ", signed by key " + pathname.Show(o.Key[:min(keyDigits, len(o.Key))])
	}
	return text
}

// The files of an execution on another machine. The machine starts cook with the argument
// RunAction in a directory that contains
//
//	cook          Program: the cook of the requesting machine, on Windows cook.exe
//	action.json   an Action
//	assets/...    its source and known dependencies, each under its path
//	tools/...     its programs with their own libraries, each under its absolute name
//
// and afterwards also contains
//
//	out/record    a Record
//	out/0 ...     its artifacts
const (
	RunAction  = "run-action"
	Serve      = "serve-remote" // starts the client of a server, see New
	ActionFile = "action.json"
	AssetsDir  = "assets"
	ToolsDir   = "tools"
	OutDir     = "out"
	RecordFile = "record" // the file of the record in OutDir
)

// ActionFormat is the version of Action and Record.
const ActionFormat = 1

// An Action is one action for another machine. Its ID is a hash of everything that decides its
// artifacts. The other machine computes the ID anew, from the files it got and its own system,
// and refuses an action with another ID.
type Action struct {
	Format  int             `json:"assetcook"`
	ID      store.ActionID  `json:"id"`
	Path    string          `json:"path"`
	Target  string          `json:"target,omitempty"`
	Outputs []string        `json:"outputs"`
	Names   []string        `json:"names,omitempty"` // final names of the outputs, for references between them
	Recipe  string          `json:"recipe"`
	Options json.RawMessage `json:"options"` // the recipe's options struct
	Tools   []ToolFile      `json:"tools,omitempty"`
}

// A ToolFile is a file of a program.
type ToolFile struct {
	Path string `json:"path"` // absolute, with slashes, or relative to the asset directory
	Blob string `json:"blob"`
}

// A Record is the result of cooking an Action.
type Record struct {
	Format int `json:"assetcook"`
	// Refused is why the action was not cooked, Error why cooking failed; both may be "".
	Refused string `json:"refused,omitempty"`
	Error   string `json:"error,omitempty"`
	// Reads are the dependencies, sorted, also of a failed action.
	Reads     []Reading     `json:"reads,omitempty"`
	Artifacts []Artifact    `json:"artifacts,omitempty"`
	CookTime  time.Duration `json:"ns"`
	Warnings  []string      `json:"warnings,omitempty"`
}

// A Reading is a dependency with its content on the other machine.
type Reading struct {
	Asked dependency.Dependency `json:"name"` // the dependency in the recipe's words
	Found bool                  `json:"found"`
	Blob  string                `json:"blob,omitempty"` // "" if only the presence counts
}

// An Artifact is a file that the action made.
type Artifact struct {
	Blob string `json:"blob"`
	Size int64  `json:"size"`
}

// Result returns the artifacts of a record. It fails if a blob ID is malformed.
func (r *Record) Result() (store.Result, error) {
	made := store.Result{CookTime: r.CookTime, Warnings: r.Warnings}
	for _, a := range r.Artifacts {
		id, err := store.ParseBlobID(a.Blob)
		if err != nil {
			return store.Result{}, err
		}
		made.Artifacts = append(made.Artifacts, store.Artifact{Blob: id, Size: a.Size})
	}
	return made, nil
}
