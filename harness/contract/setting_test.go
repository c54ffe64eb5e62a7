package contract

var settingPlantings = []Planting{
	{`v0 := planted.NewWhole(2); v1 := planted.NewWhole(3); v2 := planted.NewWhole(4); v3 := v0.Plus(v1, v2)`, "set-anew"},
}
