package messages

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

// A ReadRequest is for the service ByteStream, like all messages below.
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
