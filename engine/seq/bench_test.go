package seq

import "testing"

func benchSequence() (*fixture, Sequence) {
	f := newFixture()
	s, err := f.Parse("v0 := queue.New(2); v0.Put(3); v1, v1b := v0.Get(); v2 := v0.Len()" +
		"; v3 := []int{1, 2, 3}; v4 := v3[0]; v0.Put(v4); v0.Put(int8(3)); v5 := &queue.Item{}; v5.N = 3" +
		"; v6 := queue.Of[int](1, v2, v4); v7 := v6.Len(); v6.Put(v7); v6.Put(\"x\"); v8 := queue.Join(\"a\", v1)" +
		"; v6.Put(v8); v9, v9b := v6.Get(); v6.Put(v0); v6.Put(v6); v10 := v6.Len()")
	if err != nil {
		panic(err)
	}
	return f, s
}

func BenchmarkAppend(b *testing.B) {
	f, s := benchSequence()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = f.Append(buf[:0], s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s)), "ns/step")
}

func BenchmarkParse(b *testing.B) {
	f, s := benchSequence()
	text := f.String(s)
	p := mustParser(b, f.Table)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(s))/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkAppendStep(b *testing.B) {
	st := Step{Op: 20, Args: []Arg{Slot(3), Lit(&Literal{Pool: 7})}}
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendStep(buf[:0], st)
	}
}

func BenchmarkDecodeBinary(b *testing.B) {
	f, s := benchSequence()
	in := AppendBinary(nil, s)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeBinary(f.Table, nil, in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(s))/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkPruneTo(b *testing.B) {
	f, s := benchSequence()
	b.ReportAllocs()
	for b.Loop() {
		PruneTo(f.Table, s, 0, 8)
	}
}
