package overview

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Table returns the table of a key, nil if there is none.
func (r *Report) Table(key string) *Table {
	for _, t := range r.Tables {
		if t.Key == key {
			return t
		}
	}
	return nil
}

// Keys returns the keys of all tables.
func (r *Report) Keys() []string {
	keys := make([]string, len(r.Tables))
	for i, t := range r.Tables {
		keys[i] = t.Key
	}
	return keys
}

// WriteJSON writes all tables: an object with an array of objects for each table, whose fields are
// the columns. It leaves out empty tables.
func (r *Report) WriteJSON(to io.Writer) error {
	w := bufio.NewWriter(to)
	out, _ := json.Marshal(Name.raw(r.Out))
	made, _ := json.Marshal(Moment.raw(r.Made))
	fmt.Fprintf(w, "{\"out\":%s,\"made\":%s", out, made)
	for _, t := range r.Tables {
		fmt.Fprintf(w, ",\n%q:[", t.Key)
		for i, row := range t.Rows {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString("\n{")
			first := true
			for k, c := range t.Columns {
				v := c.Kind.raw(row[k])
				if v == nil || v == "" {
					continue
				}
				text, err := json.Marshal(v)
				if err != nil {
					return err
				}
				if !first {
					w.WriteByte(',')
				}
				first = false
				fmt.Fprintf(w, "%q:%s", c.Key, text)
			}
			w.WriteByte('}')
		}
		w.WriteByte(']')
	}
	w.WriteString("}\n")
	return w.Flush()
}

// WriteCSV writes one table. The first line has the keys of its columns.
func (t *Table) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	record := make([]string, len(t.Columns))
	for k, c := range t.Columns {
		record[k] = c.Key
	}
	w.Write(record)
	for _, row := range t.Rows {
		for k, c := range t.Columns {
			record[k] = ""
			switch v := c.Kind.raw(row[k]).(type) {
			case string:
				record[k] = v
			case int64:
				record[k] = strconv.FormatInt(v, 10)
			case float64:
				record[k] = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		w.Write(record)
	}
	w.Flush()
	return w.Error()
}

// join makes one line of several.
func join(lines []string) string { return strings.Join(lines, "; ") }
