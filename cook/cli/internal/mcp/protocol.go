package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/version"
)

// versions lists the supported versions of the protocol, latest first. They do not differ in the
// messages of this server.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// These limits bound the memory for a client.
const (
	maxMessage = 1 << 20 // maximum length of a message from the client, in bytes
	maxWaiting = 64      // number of calls that may wait; then the server stops reading
)

// These are the error codes of JSON-RPC 2.0.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
)

// A message is a request, a notification or a response of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // absent in a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *problem        `json:"error,omitempty"`
}

// A problem is the error in a response.
type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// A server answers one client. Calls of tools run one after the other; other requests are answered
// at once, even during a call.
type server struct {
	tools *toolbox

	writing sync.Mutex
	out     io.Writer
	failed  error // first error of writing

	mu      sync.Mutex
	pending map[string]context.CancelFunc // calls that wait or run, by ID
}

// A toolCall is a request to call a tool.
type toolCall struct {
	ctx    context.Context
	cancel context.CancelFunc
	id     json.RawMessage
	toolParams
}

// toolParams are the parameters of a call.
type toolParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// serveClient answers requests until the input ends or ctx is done. At the end of the input it finishes
// the calls that it has read.
func (s *server) serveClient(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.pending = map[string]context.CancelFunc{}
	calls := make(chan toolCall, maxWaiting)
	ended := make(chan error, 1)
	go func() { // The goroutine may outlive serveClient, because nothing can interrupt the read.
		ended <- s.readMessages(ctx, in, calls)
		close(calls)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case call, ok := <-calls:
			if !ok {
				return errors.Join(<-ended, s.failed)
			}
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				s.answerCall(call)
			}()
			select {
			case <-answered:
			case <-ctx.Done(): // A tool that waits for a program may take longer.
				return ctx.Err()
			}
		}
	}
}

// readMessages handles each line of the input. It sends calls of tools to a channel.
func (s *server) readMessages(ctx context.Context, in io.Reader, calls chan<- toolCall) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, tooLong, err := readLine(r)
		switch {
		case tooLong:
			s.sendMessage(message{ID: json.RawMessage("null"), Error: &problem{codeRequest, fmt.Sprintf("the message is longer than %d bytes", maxMessage)}})
		case len(bytes.TrimSpace(line)) > 0:
			s.handleMessage(ctx, line, calls)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
	}
}

// readLine reads a line. It skips a line that is longer than maxMessage.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

// handleMessage answers a message or, if it calls a tool, queues it.
func (s *server) handleMessage(ctx context.Context, line []byte, calls chan<- toolCall) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		code := codeRequest
		if !json.Valid(line) {
			code = codeParse
		}
		s.sendMessage(message{ID: json.RawMessage("null"), Error: &problem{code, "this is not a request of JSON-RPC"}})
		return
	}
	if m.ID == nil {
		s.handleNotification(&m)
		return
	}
	answer := message{ID: m.ID}
	switch {
	case m.ID[0] == '{' || m.ID[0] == '[' || m.Version != "2.0":
		answer.ID, answer.Error = json.RawMessage("null"), &problem{codeRequest, "this is not a request of JSON-RPC 2.0"}
	case m.Method == "":
		return // This is a response, but the server asks nothing.
	case m.Method == "initialize":
		answer.Result = initializeResult(m.Params)
	case m.Method == "ping":
		answer.Result = struct{}{}
	case m.Method == "tools/list":
		answer.Result = map[string]any{"tools": s.tools.describeTools()}
	case m.Method == "tools/call":
		call := toolCall{id: m.ID}
		if err := json.Unmarshal(m.Params, &call.toolParams); err != nil || s.tools.findTool(call.Name) == nil {
			answer.Error = &problem{codeParams, fmt.Sprintf("there is no tool %q", call.Name)}
			break
		}
		call.ctx, call.cancel = context.WithCancel(ctx)
		s.mu.Lock()
		s.pending[string(m.ID)] = call.cancel
		s.mu.Unlock()
		select {
		case calls <- call:
		case <-ctx.Done():
		}
		return
	default:
		answer.Error = &problem{codeMethod, fmt.Sprintf("there is no method %q", m.Method)}
	}
	s.sendMessage(answer)
}

// handleNotification handles a notification. Only the cancellation of a call has an effect.
func (s *server) handleNotification(m *message) {
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	if m.Method != "notifications/cancelled" || json.Unmarshal(m.Params, &params) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.pending[string(params.ID)]; cancel != nil {
		cancel()
	}
}

// answerCall calls a tool. A canceled call gets no response, as the protocol demands.
func (s *server) answerCall(call toolCall) {
	var result *toolResult
	if call.ctx.Err() == nil {
		result = s.tools.callTool(call.ctx, &call.toolParams)
	}
	s.mu.Lock()
	canceled := call.ctx.Err() != nil
	call.cancel()
	delete(s.pending, string(call.id))
	s.mu.Unlock()
	if !canceled {
		s.sendMessage(message{ID: call.id, Result: result})
	}
}

// sendMessage writes a message as one line.
func (s *server) sendMessage(m message) {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	s.writing.Lock()
	defer s.writing.Unlock()
	if err == nil && s.failed == nil {
		_, err = s.out.Write(append(line, '\n'))
	}
	if s.failed == nil {
		s.failed = err
	}
}

// instructions tells the client what the tools are for.
const instructions = "Read-only answers about assets that cook has cooked: which assets there are, why an asset is cooked, and how large and slow it is. Begin with the tool diagnose. " +
	"Results are limited; if a result ends with the number of further entries, narrow the question with patterns. Only the user can cook."

// initializeResult returns the result of initialize. The version is the client's if the server supports
// it.
func initializeResult(params json.RawMessage) any {
	var client struct {
		Version string `json:"protocolVersion"`
	}
	json.Unmarshal(params, &client) // Without a version, the latest one is offered.
	if !slices.Contains(versions, client.Version) {
		client.Version = versions[0]
	}
	build := version.Read()
	return map[string]any{
		"protocolVersion": client.Version,
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo":      map[string]string{"name": "assetcook", "title": "assetcook", "version": build.Version},
		"instructions":    instructions,
	}
}
