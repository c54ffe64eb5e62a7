package corpusadmin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/fuzzfile"
	"foray.test/corpus/store"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// Find returns the file in some directories whose name begins with hash.
func Find(dirs []string, hash string) (string, error) {
	const least = 4
	if len(hash) < least || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", &load.Error{Place: hash, Msg: "no such file, and no hash", Hint: fmt.Sprintf("a hash is at least %d of the digits 0 to 9 and a to f", least)}
	}
	var found []string
	for _, dir := range dirs {
		list, err := os.ReadDir(dir)
		if err != nil {
			continue // it need not be there
		}
		for _, d := range list {
			if name := d.Name(); strings.HasPrefix(name, hash) && !strings.HasSuffix(name, ".reason") {
				found = append(found, filepath.Join(dir, name))
			}
		}
	}
	switch {
	case len(found) == 0:
		return "", &load.Error{Place: hash, Msg: "no entry of that name", Hint: "-pkg names the package of the corpus, -outdir its place"}
	case len(found) > 1 && filepath.Base(found[0]) != filepath.Base(found[1]):
		return "", &load.Error{Place: hash, Msg: "the names of " + text.Plural(len(found), "entry") + " begin with it", Hint: filepath.Base(found[0]) + " is one of them"}
	}
	return found[0], nil
}

// Show reads a file of foray or of go test.
func Show(file string) (*event.Entry, error) {
	e := &event.Entry{File: file}
	data, err := ReadRegular(file, MaxFile)
	if err != nil {
		return nil, err
	}
	values, err := fuzzfile.Parse(data)
	if err != nil {
		entry, err := store.Parse(data)
		e.ID, e.Origin, e.Sides, e.Code = entry.ID, entry.Origin, entry.Sides, entry.Statements
		return e, err
	}
	name := "fuzz"
	if dir := filepath.Base(filepath.Dir(file)); strings.HasPrefix(dir, "Fuzz") {
		e.Target, name = dir, dir
	}
	if statements, comment, ok := fuzzfile.Text(data); ok {
		if lines, ok := seq.Lines(statements); ok {
			e.Comment, e.Code = comment, lines
			return e, nil
		}
	}
	var args strings.Builder
	for _, v := range values {
		args.WriteString(", " + fuzzfile.Literal(v))
	}
	e.Code = fmt.Sprintf("%s(t%s)\n", name, args.String())
	return e, nil
}

// Count counts the contents of a corpus, of which only the store, path and name are needed.
func (c *Corpus) Count() (event.Corpus, error) {
	e := event.Corpus{Package: c.Name, Dir: c.Dir}
	st, err := c.Store.Stat()
	if err != nil {
		return e, err
	}
	entries, problems, err := c.Store.Load()
	if err != nil {
		return e, err
	}
	c.Problems(problems)
	aside, err := c.Store.Quarantined()
	if err != nil {
		return e, err
	}
	for _, a := range aside {
		c.Out.Note(fmt.Sprintf("%s: in quarantine: %s: %s", c.Name, a.Name, cmp.Or(a.Reason, "no reason is known")))
	}
	for _, entry := range entries {
		e.Steps += strings.Count(entry.Statements, "\n")
	}
	findings, _, err := c.Store.Findings()
	if err != nil {
		return e, err
	}
	for _, f := range findings {
		switch tier, _ := engine.ParseTier(f.Tier); tier {
		case engine.Error:
			e.Findings.Error++
		case engine.Panic:
			e.Findings.Panic++
		default:
			e.Findings.Suspect++
		}
	}
	e.Entries, e.Bytes, e.Quarantine, e.Generations = len(entries), st.Bytes, st.Quarantined, st.Generations
	state := &report.State{Package: c.Path}
	if err := c.Store.LoadState(state); err == nil {
		t := state.Totals()
		e.Sides, e.SidesCovered = t.Sides, t.Taken
	} else if !errors.Is(err, fs.ErrNotExist) {
		c.Out.Warn(c.Name+": "+err.Error(), "")
	}
	return e, nil
}
