package main

// These are replaced in the instrumented program.
func prepare() {}
func begin()   {}
