package confine

func tempVars() []string { return []string{"TMPDIR", "TMP", "TEMP"} }
