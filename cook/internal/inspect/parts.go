package inspect

import (
	"encoding/binary"
	"encoding/json"
	"net/http"
	"slices"
)

// writeParts answers with a header and with bytes that belong to it. parts.js reads them:
// the length of the header's JSON as 32 bits, little endian; the JSON, padded by spaces so
// that the bytes begin at a multiple of 8; the bytes.
func writeParts(w http.ResponseWriter, header any, parts ...[]byte) {
	text, err := json.Marshal(header)
	if err != nil {
		fail(w, err)
		return
	}
	for (4+len(text))%8 != 0 {
		text = append(text, ' ')
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	for _, part := range slices.Concat([][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text}, parts) {
		if _, err := w.Write(part); err != nil {
			return // the page has gone
		}
	}
}
