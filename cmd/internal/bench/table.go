package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foray.test/harness/owned"
)

// A table is a file of tab-separated values: comment lines, a line of column
// names, rows. The first columns are the key of a row; several rows may share
// one. The last two give the foray and the flags that a row was measured with;
// rows of others are stale. Stale rows stay until they are measured again,
// because people may have written into them.
type table struct {
	path    string
	header  string
	columns []string
	keys    int
	foray   string
	flags   string
	rows    [][]string
}

// Columns that every table ends with.
const (
	columnForay = "foray"
	columnFlags = "flags"
)

// table opens today's table of the given name, whether or not it exists.
func (b *bench) table(name string, keys int, columns ...string) (*table, error) {
	t := &table{
		path: filepath.Join(b.dir, name+"-"+b.date+".tsv"), header: b.header(name),
		columns: append(slices.Clone(columns), columnForay, columnFlags), keys: keys,
		foray: b.foray.version, flags: b.flags,
	}
	var err error
	if t.rows, err = rowsOf(t.path, t.columns...); errors.Is(err, os.ErrNotExist) {
		return t, nil
	} else if err != nil {
		return nil, err
	}
	if b.again {
		// Stale rows are measured again and kept till then.
		i := len(t.columns) - 1
		for _, r := range t.rows {
			r[i] += " (before)"
		}
	}
	return t, nil
}

// readRows reads the rows of a table, their cells in the order of columns. Columns
// that the text does not have are empty, others are left out.
func readRows(text string, columns []string) ([][]string, error) {
	var names []string
	var rows [][]string
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if names == nil {
			names = cells
			continue
		}
		if len(cells) != len(names) {
			return nil, fmt.Errorf("line %d: %d cells, want %d", i+1, len(cells), len(names))
		}
		row := make([]string, len(columns))
		for j, n := range names {
			if k := slices.Index(columns, n); k >= 0 {
				row[k] = cells[j]
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// rowsOf reads all rows of a file, of any program and flags: see readRows.
func rowsOf(file string, columns ...string) ([][]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rows, err := readRows(string(data), columns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rows, nil
}

// readWritten reads columns that people fill in, from the tables of a name in
// dir. It returns them by the cells of keys with tabs between them. The newest
// table wins.
func readWritten(dir, name string, keys []string, columns ...string) (map[string][]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, name+"-[0-9]*.tsv"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files) // by date
	written := map[string][]string{}
	for _, file := range files {
		rows, err := rowsOf(file, slices.Concat(keys, columns)...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if cells := r[len(keys):]; strings.Join(cells, "") != "" {
				written[strings.Join(r[:len(keys)], "\t")] = cells
			}
		}
	}
	return written, nil
}

// done reports whether the table has a row of key that need not be measured again.
func (t *table) done(key ...string) bool {
	return slices.ContainsFunc(t.rows, func(r []string) bool { return slices.Equal(r[:t.keys], key) && t.current(r) })
}

func (t *table) current(row []string) bool {
	n := len(t.columns)
	return row[n-2] == t.foray && row[n-1] == t.flags
}

// put replaces the rows of key, where they stand or at the end, and writes the
// file. The cells of rows follow the key.
func (t *table) put(key []string, rows ...[]string) error {
	if len(key) != t.keys {
		panic(fmt.Sprintf("bench: key %q of a table with %d keys", key, t.keys))
	}
	var fresh [][]string
	for _, cells := range rows {
		row := slices.Concat(key, cells, []string{t.foray, t.flags})
		if len(row) != len(t.columns) {
			panic(fmt.Sprintf("bench: %s: %d cells, want %d: %q", t.path, len(row), len(t.columns), row))
		}
		for i := range row {
			row[i] = cell(row[i])
		}
		fresh = append(fresh, row)
	}
	same := func(r []string) bool { return slices.Equal(r[:t.keys], key) }
	at := slices.IndexFunc(t.rows, same)
	if at < 0 {
		at = len(t.rows)
	}
	t.rows = slices.Insert(slices.DeleteFunc(t.rows, same), at, fresh...)
	return t.write()
}

// finish completes tables, and prints the summary of the first.
func (b *bench) finish(summary func([]record) [][]string, tables ...*table) error {
	if err := b.complete(tables...); err != nil {
		return err
	}
	b.summary(summary(tables[0].records()))
	return nil
}

// complete drops the stale rows of tables that have been measured as a whole.
func (b *bench) complete(tables ...*table) error {
	if b.only != nil {
		return nil
	}
	for _, t := range tables {
		t.rows = slices.DeleteFunc(t.rows, func(r []string) bool { return !t.current(r) })
		if err := t.write(); err != nil {
			return err
		}
	}
	return nil
}

// last is put for rows at the end of the table.
func (t *table) last(key []string, rows ...[]string) error {
	t.rows = slices.DeleteFunc(t.rows, func(r []string) bool { return slices.Equal(r[:t.keys], key) })
	return t.put(key, rows...)
}

// write replaces the file.
func (t *table) write() error {
	var s strings.Builder
	s.WriteString(t.header + "\n" + strings.Join(t.columns, "\t") + "\n")
	for _, r := range t.rows {
		s.WriteString(strings.Join(r, "\t") + "\n")
	}
	return owned.WriteFile(t.path, []byte(s.String()))
}

// cell makes text fit for one cell.
func cell(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r", ""), "\t", " ")
}

// A record is a row read by column.
type record struct {
	columns []string
	cells   []string
}

// records returns the rows that are not stale.
func (t *table) records() []record {
	var list []record
	for _, r := range t.rows {
		if t.current(r) {
			list = append(list, record{t.columns, r})
		}
	}
	return list
}

// groups splits records by the values of columns, in order of first appearance.
func groups(records []record, columns ...string) [][]record {
	at := map[string]int{}
	var list [][]record
	for _, r := range records {
		v := ""
		for _, c := range columns {
			v += r.get(c) + "\t"
		}
		i, ok := at[v]
		if !ok {
			i = len(list)
			at[v] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], r)
	}
	return list
}

// where returns the records with a value in a column.
func where(list []record, column, value string) []record {
	return slices.DeleteFunc(slices.Clone(list), func(r record) bool { return r.get(column) != value })
}

func (r record) get(column string) string {
	i := slices.Index(r.columns, column)
	if i < 0 {
		panic("bench: no column " + column)
	}
	return r.cells[i]
}

// num returns a cell as a number; an empty cell is zero.
func (r record) num(column string) float64 {
	v, err := strconv.ParseFloat(r.get(column), 64)
	if err != nil {
		return 0
	}
	return v
}

// Formats of numbers in cells.

func count[T ~int | ~int64 | ~uint64](n T) string { return fmt.Sprint(n) }

// decimal prints v with that many digits after the point, and nothing if v is
// not a number.
func decimal(v float64, digits int) string {
	if v != v || v > 1e300 || v < -1e300 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// median returns the middle of values, or the mean of both in the middle.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return v[n/2]
	}
	return (v[n/2-1] + v[n/2]) / 2
}

// column returns the numbers of a column.
func column(list []record, name string) []float64 {
	var v []float64
	for _, r := range list {
		v = append(v, r.num(name))
	}
	return v
}
