package overview

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxReport limits the size of a report to read, in bytes.
const maxReport = 1 << 30

// ReadTables reads the tables that [Report.WriteJSON] wrote. It ignores unknown tables and columns,
// which later versions may have.
func ReadTables(from io.Reader) (*Report, error) {
	limited := &io.LimitedReader{R: from, N: maxReport}
	dec := json.NewDecoder(limited)
	dec.UseNumber()
	var file map[string]json.RawMessage
	switch err := dec.Decode(&file); {
	case limited.N <= 0:
		return nil, fmt.Errorf("the report is larger than %d bytes", maxReport)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the report ends early")
	case err != nil:
		return nil, fmt.Errorf("this is not a report in JSON: %w", err)
	}
	r := New(Input{})
	if err := json.Unmarshal(file["out"], &r.Out); err != nil {
		return nil, errors.New("this is not a report in JSON: it names no output directory")
	}
	r.Out = unquotedName(r.Out)
	for _, t := range r.Tables {
		var rows []map[string]any
		if file[t.Key] == nil {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(string(file[t.Key])))
		dec.UseNumber()
		if err := dec.Decode(&rows); err != nil {
			return nil, fmt.Errorf("table %s of the report: %w", t.Key, err)
		}
		t.Rows = nil
		for i, cells := range rows {
			row, err := t.readRow(cells)
			if err != nil {
				return nil, fmt.Errorf("table %s of the report, row %d: %w", t.Key, i+1, err)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return r, nil
}

// readRow returns the row with the given cells. It fails if a cell has another type than its
// column, or if the row lacks a number that is always there.
func (t *Table) readRow(cells map[string]any) ([]any, error) {
	row := make([]any, len(t.Columns))
	for k, c := range t.Columns {
		cell, err := c.Kind.parseCell(cells[c.Key])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Key, err)
		}
		row[k] = cell
	}
	return row, nil
}

// parseCell returns the cell that rawCell formatted. A missing text is "", because rawCell omits
// empty texts, and other missing cells are zero or nil.
func (k Kind) parseCell(raw any) (any, error) {
	text, isText := raw.(string)
	number, isNumber := raw.(json.Number)
	switch {
	case raw != nil && !isText && !isNumber, raw != nil && isText == k.isNumeric():
		return nil, fmt.Errorf("%.40q is not of the right type", fmt.Sprint(raw))
	case k == Name:
		return unquotedName(text), nil
	case k == Text:
		return text, nil
	case k == Parts || raw == nil && !k.isNumeric():
		return nil, nil
	case k == Moment:
		return time.Parse(time.RFC3339Nano, text)
	case k == Percent || k == Decibel || k == Degree:
		if raw == nil {
			return nil, nil
		}
		return number.Float64()
	}
	n, err := int64(0), error(nil)
	if raw != nil {
		n, err = number.Int64()
	}
	if k == Time {
		return time.Duration(n), err
	}
	return n, err
}

// unquotedName returns a name that rawCell quoted because it is not valid UTF-8.
func unquotedName(text string) string {
	if name, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) && strconv.Quote(name) == text {
		return name
	}
	return text
}
