package instrument

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// A Function is one with calls that are recorded.
type Function struct {
	Name   string // as in coverage.Condition.Func: F, T.F or (*T).F
	Params int    // the receiver included; the last may stand for several
}

// Record returns the source of p, by file name, with probes of package harness/record. They
// are at the entry and exit of exported functions and methods, which Record lists by the
// number that their probes have. Only files that changed are returned. Lines keep their numbers.
//
// A probe names the parameters and results that have no name. It changes neither the frames of
// a call nor its results.
func Record(p Package, recordPath string) (map[string][]byte, []Function) {
	r := &recordWriter{writer: newWriter(&p, 0)}
	r.probe = r.unused("foray_record")
	r.call = r.unused("foray_call")
	sources := make(map[string][]byte)
	for i, f := range p.Files {
		if isCgo(f, p.Sources[i]) {
			continue
		}
		r.tok, r.edits = p.Fset.File(f.FileStart), nil
		after := f.Name.End()
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && fd.Name.IsExported() && !hasPragma(f, after, fd.Type.Func) {
				r.function(fd)
			}
			after = d.End()
		}
		vars := r.variables(f)
		if len(r.edits) > 0 || vars != "" {
			r.insert(f.Name.End(), "; import "+r.probe+" "+strconv.Quote(recordPath))
			sources[p.Names[i]] = append(applyEdits(p.Sources[i], r.edits), vars...)
		}
	}
	return sources, r.functions
}

// A recordWriter adds probes that record calls.
type recordWriter struct {
	*writer
	call      string // the name of the variable that holds a call
	functions []Function
	names     int // that were given
}

// variables returns a function that tells the recorder of the exported variables of a file.
func (r *recordWriter) variables(f *ast.File) (text string) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				if id.IsExported() {
					text += "; " + r.probe + ".Variable(" + strconv.Quote(id.Name) + ", &" + id.Name + ")"
				}
			}
		}
	}
	if text == "" {
		return ""
	}
	return "\nfunc init() { " + text[len("; "):] + " }\n"
}

// function adds the probes of one function.
func (r *recordWriter) function(d *ast.FuncDecl) {
	var params []string
	if d.Recv != nil {
		params = r.fields(d.Recv)
	}
	params = append(params, r.fields(d.Type.Params)...)
	var results []string
	if res := d.Type.Results; res != nil {
		single := !res.Opening.IsValid()
		if single {
			r.insert(res.Pos(), "(")
		}
		results = r.fields(res)
		if single {
			r.insert(res.End(), ")")
		}
	}
	number := strconv.Itoa(len(r.functions))
	r.functions = append(r.functions, Function{Name: FuncName(d), Params: len(params)})
	text := " if " + r.call + " := " + r.probe + ".Enter(" + number + "); " + r.call + " != nil { " +
		r.call + ".Take(" + strings.Join(params, ", ") + "); defer func() { " + r.call + ".Leave(" + strings.Join(results, ", ") + ") }() };"
	r.insert(d.Body.Lbrace+1, text)
}

// fields returns the names of parameters or results. It gives names to those without.
func (r *recordWriter) fields(list *ast.FieldList) (names []string) {
	for _, field := range list.List {
		if len(field.Names) == 0 {
			name := r.newName()
			r.insert(field.Type.Pos(), name+" ")
			names = append(names, name)
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = r.newName()
				r.replace(id.Pos(), "_", name)
			}
			names = append(names, name)
		}
	}
	return names
}

// newName returns a name for a parameter or result. The name of the call, which no file has,
// is its beginning.
func (r *recordWriter) newName() string {
	r.names++
	return r.call + "_" + strconv.Itoa(r.names)
}
