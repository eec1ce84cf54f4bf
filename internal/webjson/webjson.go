// Package webjson responds to requests of web pages with JSON, and decodes the bodies of requests.
package webjson

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// longest is the maximum size of a request body in bytes.
const longest = 1 << 20

// Write responds with a value.
func Write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value) // ignored: an error means that the page was closed
}

// Fail responds with an error of one line: {"error": "..."}.
func Fail(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
}

// Read decodes the body of a request, which may have at most 1 MiB. On failure it responds with an
// error and returns false.
func Read(w http.ResponseWriter, req *http.Request, into any) bool {
	dec := json.NewDecoder(http.MaxBytesReader(w, req.Body, longest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		Fail(w, http.StatusBadRequest, "invalid request: %v", err)
		return false
	}
	return true
}
