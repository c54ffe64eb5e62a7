package main

import "testing"

func TestParseKnown(t *testing.T) {
	for _, tt := range []struct{ line, signature, err string }{
		{"panic:index:(*Queue).Get # issue 41", "panic:index:(*Queue).Get", ""},
		{"contract:put-get:(*Table[...]).Put\t  #see #41 and # 42", "contract:put-get:(*Table[...]).Put", ""},
		{`"panic:explicit:want # of rows:Rows" # ours`, "panic:explicit:want # of rows:Rows", ""},
		{"panic:explicit:bad kind:Parse  # documented soon", "panic:explicit:bad kind:Parse", ""},
		{"panic:index:Get", "", "no reason: want it behind the signature and #"},
		{"panic:index:Get #  ", "", "no reason: want it behind the signature and #"},
		{"Get # a reason", "", `"Get" is not a signature: want one such as panic:index:(*Queue).Get`},
		{"crash:Get # a reason", "", `"crash:Get" is not a signature: want one such as panic:index:(*Queue).Get`},
		{`"panic:index:Get`, "", `"\"panic:index:Get" is not a signature: want one such as panic:index:(*Queue).Get`},
	} {
		got, _, err := parseKnown(tt.line)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != tt.signature || text != tt.err {
			t.Errorf("parseKnown(%q) = %q, %q; want %q, %q", tt.line, got, text, tt.signature, tt.err)
		}
	}
}
