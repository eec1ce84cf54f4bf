package remote

import (
	"encoding/json"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
)

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
	RecordFile = "record" // in OutDir
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
	Asked dependency.Dependency `json:"name"` // as the recipe asked for it
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
