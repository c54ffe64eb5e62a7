package main

// report is replaced in the rewritten program by one that prints the sides hit.
func report() {}
