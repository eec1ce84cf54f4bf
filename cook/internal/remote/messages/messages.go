// Package messages has the messages of the Remote Execution API, version 2, as plain structs. They
// have only the fields that cook uses.
//
// [Marshal] and [Unmarshal] read the field numbers in the struct tags when a type is first used.
// Generated message types would instead register every field of the whole API before main, which
// would slow down each start of cook.
//
// A nested struct without content is not encoded. If a nested message must be encoded even without
// content, its field is a pointer.
package messages

import (
	"strconv"
	"time"
)

// A DigestFunction is the hash function of digests.
type DigestFunction int32

const (
	SHA256 DigestFunction = 1
	BLAKE3 DigestFunction = 9
)

var digestFunctions = [...]string{"UNKNOWN", "SHA256", "SHA1", "MD5", "VSO", "SHA384", "SHA512", "MURMUR3", "SHA256TREE", "BLAKE3", "GITSHA1"}

func (f DigestFunction) String() string { return enumName(digestFunctions[:], int32(f)) }

// A Compressor is a compression method for blobs on the wire.
type Compressor int32

const (
	Identity Compressor = 0
	Zstd     Compressor = 1
)

var compressors = [...]string{"IDENTITY", "ZSTD", "DEFLATE", "BROTLI"}

func (c Compressor) String() string { return enumName(compressors[:], int32(c)) }

// enumName returns the name of an enum value, or the number of an unknown value.
func enumName(names []string, value int32) string {
	if value < 0 || int(value) >= len(names) {
		return strconv.Itoa(int(value))
	}
	return names[value]
}

// A Digest names a blob on a server.
type Digest struct {
	Hash string `field:"1"` // hash in hexadecimal
	Size int64  `field:"2"`
}

type Timestamp struct {
	Seconds int64 `field:"1"` // seconds since 1970
	Nanos   int32 `field:"2"`
}

// TimestampOf returns the timestamp of a time.
func TimestampOf(t time.Time) Timestamp {
	return Timestamp{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())}
}

// Time returns the time of a timestamp. A timestamp outside the years 1 to 9999 is the zero time.
func (t Timestamp) Time() time.Time {
	const first, last = -62135596800, 253402300799
	if t.Seconds < first || t.Seconds > last || t.Nanos < 0 || t.Nanos >= 1e9 {
		return time.Time{}
	}
	return time.Unix(t.Seconds, int64(t.Nanos)).UTC()
}

type Duration struct {
	Seconds int64 `field:"1"`
	Nanos   int32 `field:"2"`
}

// DurationOf returns the message for a duration.
func DurationOf(d time.Duration) Duration {
	return Duration{Seconds: int64(d / time.Second), Nanos: int32(d % time.Second)}
}

// A Status describes how a request ended. Code is a gRPC status code, 0 for success.
type Status struct {
	Code    int32  `field:"1"`
	Message string `field:"2"`
}

// An Any holds an encoded message. The last element of the URL is the name of its type.
type Any struct {
	TypeURL string `field:"1"`
	Value   []byte `field:"2"`
}

// An Operation is the state of a long-running operation. A finished operation has either Error or
// Response.
type Operation struct {
	Name     string `field:"1"`
	Done     bool   `field:"3"`
	Error    Status `field:"4"`
	Response Any    `field:"5"`
}

// A Property is a name with a value, such as an environment variable or a property of a machine.
type Property struct {
	Name  string `field:"1"`
	Value string `field:"2"`
}

// A Platform lists the properties that a machine needs to execute an action.
type Platform struct {
	Properties []Property `field:"1"`
}

type Action struct {
	CommandDigest   Digest    `field:"1"`
	InputRootDigest Digest    `field:"2"`
	Timeout         Duration  `field:"6"`
	DoNotCache      bool      `field:"7"`
	Salt            []byte    `field:"9"`
	Platform        *Platform `field:"10"`
}

type Command struct {
	Arguments            []string   `field:"1"`
	EnvironmentVariables []Property `field:"2"`
	OutputFiles          []string   `field:"3"` // deprecated, but older servers need it
	Platform             *Platform  `field:"5"` // deprecated, but older servers need it
	OutputPaths          []string   `field:"7"`
}

type Directory struct {
	Files       []FileNode      `field:"1"`
	Directories []DirectoryNode `field:"2"`
}

type FileNode struct {
	Name         string `field:"1"`
	Digest       Digest `field:"2"`
	IsExecutable bool   `field:"4"`
}

type DirectoryNode struct {
	Name   string `field:"1"`
	Digest Digest `field:"2"`
}

type ActionResult struct {
	OutputFiles       []OutputFile      `field:"2"`
	OutputDirectories []OutputDirectory `field:"3"`
	ExitCode          int32             `field:"4"`
	StdoutRaw         []byte            `field:"5"`
	StdoutDigest      Digest            `field:"6"`
	StderrRaw         []byte            `field:"7"`
	ExecutionMetadata ExecutionMetadata `field:"9"`
	OutputSymlinks    []OutputSymlink   `field:"12"`
}

type OutputFile struct {
	Path     string `field:"1"`
	Digest   Digest `field:"2"`
	Contents []byte `field:"5"`
}

type OutputDirectory struct {
	Path       string `field:"1"`
	TreeDigest Digest `field:"3"`
}

type OutputSymlink struct {
	Path string `field:"1"`
}

// A Tree has all directories of an OutputDirectory.
type Tree struct {
	Root     Directory   `field:"1"`
	Children []Directory `field:"2"`
}

type ExecutionMetadata struct {
	Worker                      string    `field:"1"`
	ExecutionStartTimestamp     Timestamp `field:"7"`
	ExecutionCompletedTimestamp Timestamp `field:"8"`
}

// RequestMetadata is sent as a header of each request.
type RequestMetadata struct {
	ToolDetails      ToolDetails `field:"1"`
	ToolInvocationID string      `field:"3"`
}

type ToolDetails struct {
	ToolName string `field:"1"`
}

type GetCapabilitiesRequest struct {
	InstanceName string `field:"1"`
}

type ServerCapabilities struct {
	Cache     CacheCapabilities     `field:"1"`
	Execution ExecutionCapabilities `field:"2"`
}

type CacheCapabilities struct {
	DigestFunctions        []DigestFunction              `field:"1"`
	ActionCacheUpdate      ActionCacheUpdateCapabilities `field:"2"`
	MaxBatchTotalSizeBytes int64                         `field:"4"`
	SupportedCompressors   []Compressor                  `field:"6"`
	MaxCASBlobSizeBytes    int64                         `field:"8"`
}

type ActionCacheUpdateCapabilities struct {
	UpdateEnabled bool `field:"1"`
}

type ExecutionCapabilities struct {
	ExecEnabled bool `field:"2"`
}

type GetActionResultRequest struct {
	InstanceName   string         `field:"1"`
	ActionDigest   Digest         `field:"2"`
	InlineStdout   bool           `field:"3"`
	DigestFunction DigestFunction `field:"6"`
}

type UpdateActionResultRequest struct {
	InstanceName   string         `field:"1"`
	ActionDigest   Digest         `field:"2"`
	ActionResult   *ActionResult  `field:"3"`
	DigestFunction DigestFunction `field:"5"`
}

type FindMissingBlobsRequest struct {
	InstanceName   string         `field:"1"`
	BlobDigests    []Digest       `field:"2"`
	DigestFunction DigestFunction `field:"3"`
}

type FindMissingBlobsResponse struct {
	MissingBlobDigests []Digest `field:"2"`
}

type BatchUpdateBlobsRequest struct {
	InstanceName   string         `field:"1"`
	Requests       []BlobUpdate   `field:"2"`
	DigestFunction DigestFunction `field:"5"`
}

type BlobUpdate struct {
	Digest Digest `field:"1"`
	Data   []byte `field:"2"`
}

type BatchUpdateBlobsResponse struct {
	Responses []BlobUpdated `field:"1"`
}

type BlobUpdated struct {
	Digest Digest `field:"1"`
	Status Status `field:"2"`
}

type BatchReadBlobsRequest struct {
	InstanceName          string         `field:"1"`
	Digests               []Digest       `field:"2"`
	AcceptableCompressors []Compressor   `field:"3"`
	DigestFunction        DigestFunction `field:"4"`
}

type BatchReadBlobsResponse struct {
	Responses []BlobRead `field:"1"`
}

type BlobRead struct {
	Digest     Digest     `field:"1"`
	Data       []byte     `field:"2"`
	Status     Status     `field:"3"`
	Compressor Compressor `field:"4"`
}

type ExecuteRequest struct {
	InstanceName    string         `field:"1"`
	SkipCacheLookup bool           `field:"3"`
	ActionDigest    Digest         `field:"6"`
	DigestFunction  DigestFunction `field:"9"`
}

type ExecuteResponse struct {
	Result ActionResult `field:"1"`
	Status Status       `field:"3"`
}

type WaitExecutionRequest struct {
	Name string `field:"1"`
}

// A ReadRequest is a message of the service ByteStream, like all messages below.
type ReadRequest struct {
	ResourceName string `field:"1"`
	ReadOffset   int64  `field:"2"`
}

type ReadResponse struct {
	Data []byte `field:"10"`
}

type WriteRequest struct {
	ResourceName string `field:"1"`
	WriteOffset  int64  `field:"2"`
	FinishWrite  bool   `field:"3"`
	Data         []byte `field:"10"`
}

type WriteResponse struct {
	CommittedSize int64 `field:"1"`
}

type QueryWriteStatusRequest struct {
	ResourceName string `field:"1"`
}

type QueryWriteStatusResponse struct {
	CommittedSize int64 `field:"1"`
	Complete      bool  `field:"2"`
}
