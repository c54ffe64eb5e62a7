package catalog

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// dangers are functions of the standard library that no search may call, by the path of their package,
// as patterns of full names; the reason is the name itself. A call of one, up to dangerDepth calls
// away within the package, keeps a member out.
var dangers = map[string]*regexp.Regexp{
	"crypto/tls":    regexp.MustCompile(`^crypto/tls\.(Dial|Listen)`),
	"io/ioutil":     regexp.MustCompile(`^io/ioutil\.(WriteFile|TempFile|TempDir)$`),
	"log":           regexp.MustCompile(`^log\.Fatal|^\(\*log\.Logger\)\.Fatal`),
	"log/syslog":    regexp.MustCompile(`^log/syslog\.(New|NewLogger|Dial)$`),
	"net":           regexp.MustCompile(`^net\.(Listen|Dial|Lookup|FileConn|FileListener|FilePacketConn|Resolve)|^\(\*?net\.(Dialer|ListenConfig|Resolver)\)`),
	"net/http":      regexp.MustCompile(`^net/http\.(Get|Post|PostForm|Head|Serve|ServeTLS|ListenAndServe|ListenAndServeTLS)$|^\(\*net/http\.(Client|Transport)\)\.(Do|Get|Post|PostForm|Head|RoundTrip)$|^\(\*net/http\.Server\)\.(Serve|ServeTLS|ListenAndServe|ListenAndServeTLS)$`),
	"net/rpc":       regexp.MustCompile(`^net/rpc\.Dial`),
	"net/smtp":      regexp.MustCompile(`^net/smtp\.(Dial|SendMail)`),
	"os":            regexp.MustCompile(`^os\.(Exit|Remove|RemoveAll|Rename|WriteFile|Create|CreateTemp|OpenFile|Mkdir|MkdirAll|MkdirTemp|Chdir|Chmod|Chown|Lchown|Chtimes|Truncate|Link|Symlink|CopyFS|StartProcess|Setenv|Unsetenv|Clearenv|OpenRoot|OpenInRoot)$|^\(\*os\.(File|Root)\)\.(Chdir|Chmod|Chown|Truncate|Remove|RemoveAll|Rename|Mkdir|MkdirAll|Create|OpenFile|WriteFile|Link|Symlink|Lchown|Chtimes)$|^\(\*os\.Process\)|^os\.NewFile$`), // NewFile: of any descriptor, those of the worker too
	"os/exec":       regexp.MustCompile(`^os/exec\.|^\(\*os/exec\.Cmd\)`),
	"os/signal":     regexp.MustCompile(`^os/signal\.`),
	"plugin":        regexp.MustCompile(`^plugin\.Open$`),
	"runtime":       regexp.MustCompile(`^runtime\.(Goexit|LockOSThread|Breakpoint|SetCPUProfileRate|SetBlockProfileRate|SetMutexProfileFraction)$`),
	"runtime/debug": regexp.MustCompile(`^runtime/debug\.(SetGCPercent|SetMaxStack|SetMaxThreads|SetMemoryLimit|SetPanicOnFault|SetCrashOutput)$`),
	"runtime/pprof": regexp.MustCompile(`^runtime/pprof\.StartCPUProfile$`),
	"runtime/trace": regexp.MustCompile(`^runtime/trace\.Start$`),
	"syscall":       regexp.MustCompile(`^syscall\.(Exit$|Kill|Exec|ForkExec|StartProcess|Syscall|RawSyscall|Unlink|Rmdir|Rename|Mkdir|Chdir|Chmod|Chown|Truncate|Ftruncate|Mount|Unmount|Reboot|Setuid|Setgid|Socket|Bind|Connect|Mmap|Munmap|Ptrace)`),
}

// exits matches the dangers that end the process or its goroutine.
var exits = regexp.MustCompile(`^(os|syscall)\.Exit$|^runtime\.Goexit$|^log\.Fatal|^\(\*log\.Logger\)\.Fatal`)

// dangerDepth is how many calls within the package are followed.
const dangerDepth = 4

// dangerousFunc returns why fn itself must not be called, or "".
func dangerousFunc(fn *types.Func) string {
	if fn.Pkg() == nil {
		return ""
	}
	if re := dangers[fn.Pkg().Path()]; re != nil && re.MatchString(fn.FullName()) {
		return fn.FullName()
	}
	return ""
}

// IsHarm reports whether the reason of an excluded member is a harmful call, so that
// Input.Allow can have it called.
func IsHarm(reason string) bool {
	if reason == stdin {
		return true
	}
	for _, re := range dangers {
		if re.MatchString(reason) {
			return true
		}
	}
	return false
}

// stdin is the reason by which members are excluded that read the standard input.
const stdin = "os.Stdin"

// danger returns why a member has no operation, or "".
func (f *finder) danger(c callable) string {
	for p := range c.sig.Params().Variables() {
		if why := dangerousParam(p); why != "" {
			return why
		}
	}
	if allow := f.in.Allow; allow != nil && (allow.MatchString(c.member) || allow.MatchString(c.short)) {
		return ""
	}
	if why := dangerousFunc(c.fn); why != "" {
		return why
	}
	return f.bodyDanger(visit{fn: c.fn.Origin()}, dangerDepth, map[visit]bool{})
}

// mayExit reports whether a call of c ends the process for a setting, and else does no harm.
func (f *finder) mayExit(c callable) bool {
	harm := func(mode exitMode) string {
		return f.bodyDanger(visit{c.fn.Origin(), mode}, dangerDepth, map[visit]bool{})
	}
	return len(f.exiting) > 0 && harm(unlessSet) == "" && isExit(harm(allExits))
}

// isExit reports whether a danger is the end of the process.
func isExit(why string) bool { return exits.MatchString(why) }

// implementations returns the methods that a call of fn may reach if fn is a method
// of an interface that the package declares. They are the methods of the package's
// types that implement it: the caller may have any of these.
func (f *finder) implementations(fn *types.Func) []*types.Func {
	recv := fn.Signature().Recv()
	if recv == nil || fn.Pkg() != f.pkg {
		return nil
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var list []*types.Func
	for obj := range objects[*types.TypeName](f.pkg) {
		if obj.IsAlias() || types.IsInterface(obj.Type()) {
			continue
		}
		ptr := types.NewPointer(obj.Type())
		if !types.Implements(ptr, iface) {
			continue
		}
		if m, _, _ := types.LookupFieldOrMethod(ptr, false, f.pkg, fn.Name()); m != nil {
			list = append(list, m.(*types.Func))
		}
	}
	return list
}

var pointerish = regexp.MustCompile(`(?i)(ptr|addr)$`)

func dangerousParam(p *types.Var) string {
	key := typeKey(p.Type())
	switch {
	case key == "unsafe.Pointer", key == "uintptr" && pointerish.MatchString(p.Name()):
		return "takes a raw pointer"
	case key == "*testing.T", key == "*testing.B", key == "*testing.F", key == "*testing.M", key == "testing.TB":
		return "no value of type " + strings.TrimPrefix(key, "*") + " can be made"
	}
	return ""
}

// A visit is one of a function, in a mode.
type visit struct {
	fn   *types.Func
	mode exitMode
}

// bodyDanger looks for a dangerous call in the body of a function and of the functions of
// the package that it calls, depth calls away. A call of an interface method counts
// as a call of each method that implements it.
func (f *finder) bodyDanger(v visit, depth int, seen map[visit]bool) string {
	if seen[v] {
		return ""
	}
	seen[v] = true
	for _, m := range f.implementations(v.fn) {
		if why := f.bodyDanger(visit{m.Origin(), v.mode}, depth, seen); why != "" {
			return why
		}
	}
	decl := f.source.decl(v.fn)
	if decl == nil || decl.Body == nil {
		return ""
	}
	if v.mode == unlessSet && f.chooses(decl.Body) {
		v.mode = allExits
	}
	return f.nodeDanger(decl.Body, f.excused(decl), v, depth, seen)
}

// nodeDanger looks for a dangerous call in code of the function that is visited.
func (f *finder) nodeDanger(code ast.Node, excused map[ast.Node]bool, v visit, depth int, seen map[visit]bool) (why string) {
	ast.Inspect(code, func(n ast.Node) bool {
		if why != "" {
			return false
		}
		if v.mode == unlessSet && excused[n] {
			why = f.nodeDanger(n, nil, visit{v.fn, noExits}, depth, seen)
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := f.in.Info.Uses[id].(type) {
		case *types.Func:
			if why = dangerousFunc(obj); v.mode == noExits && isExit(why) {
				why = ""
			}
			if why == "" && obj.Pkg() == f.pkg && depth > 0 {
				why = f.bodyDanger(visit{obj.Origin(), v.mode}, depth-1, seen)
			}
		case *types.Var:
			if obj.Pkg() != nil && obj.Pkg().Path() == "os" && obj.Name() == "Stdin" && !obj.IsField() {
				why = stdin
			}
		}
		return why == ""
	})
	return why
}
