package remote

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/jobenv"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Key names a result.
type Key struct {
	Action store.ActionID
	Result store.ResultID // identifies the result for specific dependencies
	Reads  bool           // the action reads something besides its source
}

// WireVersion is the version of the protocol. The first line in each direction contains it, and
// both processes must have the same version. Increment it with any change of Request or Answer.
const WireVersion = 3

// Beat is the interval of heartbeats: serve-remote writes at least one line per interval.
const Beat = 5 * time.Second

// An Op is the operation of a request.
type Op string

const (
	Hello  Op = "hello"  // first request, with the protocol version
	Expect Op = "expect" // look up several keys, and fetch their results
	Forget Op = "forget" // cancel an Expect for some keys
	Look   Op = "look"   // look up one key
	Fetch  Op = "fetch"  // bring the blobs of a result into the store
	Keep   Op = "keep"   // upload records of the store at a later time
	Run    Op = "run"    // execute an action on another machine, and bring its blobs into the store
	Drop   Op = "drop"   // cancel the Run with the answer number Seq
	End    Op = "end"    // finish uploads within Flush, and stop
)

// A Request is a line of JSON that serve-remote reads. It continues to read while it writes
// answers.
type Request struct {
	// Seq is the number of the answer. 0 means no answer. The answers for the keys of an Expect
	// have the numbers Seq, Seq+1 and so on. Forgotten keys get no answer.
	Seq  uint64 `json:"seq,omitempty"`
	Op   Op     `json:"op"`
	Keys []Key  `json:"keys,omitempty"`
	// Assets are the paths of the keys' assets, for messages; nil if unknown.
	Assets []string `json:"assets,omitempty"`
	// Have lists, for each key of an Expect, the blobs that need not be downloaded.
	Have  [][]store.BlobID `json:"have,omitempty"`
	Root  *Root            `json:"root,omitempty"`  // inputs of a Run
	Flush time.Duration    `json:"flush,omitempty"` // limit of an End for the uploads
	Wire  int              `json:"wire,omitempty"`  // WireVersion in a Hello
}

// A Root has all inputs of an action for another machine.
type Root struct {
	Files   []File   `json:"files"`
	Folders []string `json:"folders,omitempty"` // directories to create
	Outputs int      `json:"outputs"`           // number of artifacts
	Asset   string   `json:"asset,omitempty"`   // path for messages
	// Wait limits the time until the result. 0 means the limit for all executions.
	Wait time.Duration `json:"wait,omitempty"`
}

// A File is one file of a Root.
type File struct {
	Path       string `json:"path"`           // slash-separated path below the root
	Text       []byte `json:"text,omitempty"` // content; nil if From has the content
	From       string `json:"from,omitempty"` // name of a local file with the content
	Blob       string `json:"blob,omitempty"` // ID of the blob in From
	Size       int64  `json:"size,omitempty"`
	Executable bool   `json:"executable,omitempty"`
}

// An Answer is one line of JSON that serve-remote writes. The first answer has only the version of
// the protocol. An empty answer is a heartbeat.
type Answer struct {
	Seq   uint64 `json:"seq,omitempty"`   // 0 if the answer belongs to no request
	Found bool   `json:"found,omitempty"` // Look: the result exists; Expect, Fetch: the store has all its blobs
	// ReadSets and Result are records of the store, for Look and Expect. Either may be nil.
	ReadSets []byte       `json:"readSets,omitempty"`
	Result   []byte       `json:"result,omitempty"`
	Origin   store.Origin `json:"origin,omitzero"` // the run or the machine that made the result
	Note     string       `json:"note,omitempty"`
	// Record is the result of a Run. Over is the time of the Run without the cook time. Off means
	// that no more actions will be executed.
	Record  []byte        `json:"record,omitempty"`
	Over    time.Duration `json:"over,omitempty"`
	Off     bool          `json:"off,omitempty"`
	Stats   *Stats        `json:"stats,omitempty"`   // counts of the run, as the answer to End
	Traffic *Traffic      `json:"traffic,omitempty"` // report about transfers; belongs to no request
	Wire    int           `json:"wire,omitempty"`    // WireVersion in the first line
}

// A LinkState is the state of the link to the server. At first, the link is up.
type LinkState string

const (
	LinkUp   LinkState = "up"
	LinkDown LinkState = "down" // the server does not answer; it is asked again from time to time
)

// Traffic reports one transfer, a new state of the link, or the state of all transfers.
type Traffic struct {
	Link             LinkState `json:"link,omitempty"`
	Transfer         *Transfer `json:"transfer,omitempty"`
	Active           bool      `json:"active,omitempty"` // a transfer is in flight
	Down, Up         int64     `json:",omitempty"`       // total bytes so far
	DownRate, UpRate int64     `json:",omitempty"`       // recent rate in bytes per second
}

// A Transfer is a group of blobs. It is reported when it begins and when it ends.
type Transfer struct {
	ID    int   `json:"id"`
	Up    bool  `json:"up,omitempty"`
	Blobs int   `json:"blobs"`
	Bytes int64 `json:"bytes"`
	Ended bool  `json:"ended,omitempty"`
}

// String describes the transfers in flight for the progress line. It returns "" if there are none.
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
	Looked     int64         `json:"looked"`               // number of actions that were looked up
	Hits       int64         `json:"hits"`                 // number of actions with a result on the server
	Downloaded int64         `json:"downloaded"`           // number of downloaded artifacts
	Down       int64         `json:"bytes_down"`           // bytes of the downloaded artifacts
	Uploaded   int64         `json:"uploaded"`             // number of uploaded results
	Up         int64         `json:"bytes_up"`             // bytes of the uploaded artifacts and inputs
	Known      int64         `json:"known,omitempty"`      // number of results to upload that the server already had
	Left       int64         `json:"left,omitempty"`       // number of results that the next run uploads
	Dear       int64         `json:"dear,omitempty"`       // number of results that were not downloaded, because cooking is faster
	Unanswered int64         `json:"unanswered,omitempty"` // number of actions that were not looked up, because the server did not answer
	Executed   int64         `json:"executed"`             // number of actions that other machines cooked
	Untrusted  int64         `json:"untrusted,omitempty"`  // number of results without a trusted signature
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
		text += fmt.Sprintf("; %d cooked on other machines", s.Executed)
	}
	if s.Uploaded > 0 {
		text += fmt.Sprintf("; %s uploaded, %s", human.Count(int(s.Uploaded), "result"), human.Bytes(s.Up))
	}
	if s.Left > 0 {
		text += fmt.Sprintf("; %d to be uploaded by the next run", s.Left)
	}
	if s.Unanswered > 0 {
		text += fmt.Sprintf("; %d not looked up, because the server did not answer", s.Unanswered)
	}
	if s.Untrusted > 0 {
		text += fmt.Sprintf("; %d without a trusted signature", s.Untrusted)
	}
	if text == "" {
		return "nothing downloaded and nothing uploaded"
	}
	return strings.TrimPrefix(text, "; ")
}

// keyDigits is the number of digits that are shown of a fingerprint.
const keyDigits = 16

// Describe returns one line that says where a result came from, and how long it took to cook. It
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

// The names of files for an execution on another machine. The machine starts cook with the argument
// RunAction in a directory that contains
//
//	cook          Program: the cook of the requesting machine, on Windows cook.exe
//	action.json   an Action
//	assets/...    its source and known dependencies, each under its path
//	tools/...     its programs with their own libraries, each under its absolute name
//
// Afterwards it also contains
//
//	out/record    a Record
//	out/0 ...     its artifacts
const (
	RunAction  = "run-action"
	Serve      = "serve-remote" // argument that makes a program the client of a server
	ActionFile = "action.json"
	AssetsDir  = "assets"
	ToolsDir   = "tools"
	OutDir     = "out"
	RecordFile = "record" // name of the Record in OutDir
)

// ActionFormat is the version of Action and Record.
const ActionFormat = 1

// An Action is an action for another machine to cook. Its ID is a hash of everything that
// determines its artifacts. The other machine computes the ID from its own files and system. If the
// two IDs differ, it refuses the action.
type Action struct {
	Format  int             `json:"assetcook"`
	ID      store.ActionID  `json:"id"`
	Path    string          `json:"path"`
	Target  string          `json:"target,omitempty"`
	Outputs []string        `json:"outputs"`
	Names   []string        `json:"names,omitempty"` // final names of the outputs, for outputs that contain the names of other outputs
	Recipe  string          `json:"recipe"`
	Options json.RawMessage `json:"options"` // the recipe's options struct
	Tools   []ToolFile      `json:"tools,omitempty"`
}

// A ToolFile is a file of a program.
type ToolFile struct {
	Path string `json:"path"` // absolute path, or a path relative to the asset directory
	Blob string `json:"blob"`
}

// A Record is the result of cooking an Action.
type Record struct {
	Format int `json:"assetcook"`
	// Refused is the reason why the action was not cooked. Error is the reason why cooking failed.
	// Both may be "".
	Refused string `json:"refused,omitempty"`
	Error   string `json:"error,omitempty"`
	// Reads are the dependencies of the action, sorted. A failed action has them too.
	Reads     []Reading     `json:"reads,omitempty"`
	Artifacts []Artifact    `json:"artifacts,omitempty"`
	CookTime  time.Duration `json:"ns"`
	Warnings  []string      `json:"warnings,omitempty"`
	Facts     jobenv.Facts  `json:"facts,omitzero"`
}

// A Reading is a dependency with the content that it had on the other machine.
type Reading struct {
	Asked dependency.Dependency `json:"name"`
	Found bool                  `json:"found"`
	Blob  string                `json:"blob,omitempty"` // "" if only the presence of the file matters
}

// An Artifact is a file that the action made.
type Artifact struct {
	Blob string `json:"blob"`
	Size int64  `json:"size"`
	Role string `json:"role,omitempty"` // use of an image's pixels, such as color or normals; "" for other files
}

// Result returns the artifacts of a record. It fails if a blob ID is malformed.
func (r *Record) Result() (store.Result, error) {
	made := store.Result{CookTime: r.CookTime, Warnings: r.Warnings, Facts: r.Facts}
	for _, a := range r.Artifacts {
		id, err := store.ParseBlobID(a.Blob)
		if err != nil {
			return store.Result{}, err
		}
		made.Artifacts = append(made.Artifacts, store.Artifact{Blob: id, Size: a.Size, Role: a.Role})
	}
	return made, nil
}
