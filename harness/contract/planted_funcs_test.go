package contract_test

import "foray.test/harness/contract/testdata/planted"

// plantedFuncs are the functions of package planted, by name.
var plantedFuncs = map[string]any{
	"Ache": planted.Ache, "At": planted.At, "Buffer": planted.Buffer, "Bytes": planted.Bytes, "Countdown": planted.Countdown, "Encoder": planted.Encoder, "Endless": planted.Endless,
	"Fail": planted.Fail, "Hurt": planted.Hurt, "Ints": planted.Ints, "Miss": planted.Miss, "Named": planted.Named, "NewBag": planted.NewBag, "NewBits": planted.NewBits,
	"NewBlob": planted.NewBlob, "NewBox": planted.NewBox, "NewChecked": planted.NewChecked, "NewCircle": planted.NewCircle, "NewCoin": planted.NewCoin,
	"NewCursor": planted.NewCursor, "NewDepth": planted.NewDepth, "NewDict": planted.NewDict, "NewDirect": planted.NewDirect, "NewDirty": planted.NewDirty, "NewFiles": planted.NewFiles,
	"NewFolder": planted.NewFolder, "NewFront": planted.NewFront, "NewGap": planted.NewGap, "NewGarbled": planted.NewGarbled,
	"NewHandler": planted.NewHandler, "NewHash": planted.NewHash, "NewHashed": planted.NewHashed, "NewHasty": planted.NewHasty, "NewHeap": planted.NewHeap, "NewHeld": planted.NewHeld,
	"NewHoard": planted.NewHoard, "NewIndex": planted.NewIndex, "NewIterator": planted.NewIterator,
	"NewJudged": planted.NewJudged, "NewKeep": planted.NewKeep, "NewKind": planted.NewKind, "NewLength": planted.NewLength, "NewLesser": planted.NewLesser, "NewLevel": planted.NewLevel,
	"NewLines": planted.NewLines, "NewLog": planted.NewLog, "NewLong": planted.NewLong, "NewLost": planted.NewLost, "NewMirror": planted.NewMirror, "NewMoney": planted.NewMoney,
	"NewNote": planted.NewNote, "NewNum": planted.NewNum, "NewPage": planted.NewPage, "NewPair": planted.NewPair, "NewPicky": planted.NewPicky, "NewPile": planted.NewPile,
	"NewPipe": planted.NewPipe, "NewPoint": planted.NewPoint, "NewQueue": planted.NewQueue, "NewRank": planted.NewRank, "NewRanked": planted.NewRanked, "NewReflexive": planted.NewReflexive,
	"NewRefused": planted.NewRefused, "NewRing": planted.NewRing, "NewRover": planted.NewRover, "NewRow": planted.NewRow, "NewSafe": planted.NewSafe, "NewSet": planted.NewSet,
	"NewShelf": planted.NewShelf, "NewShift": planted.NewShift, "NewShop": planted.NewShop, "NewShort": planted.NewShort, "NewSink": planted.NewSink, "NewStack": planted.NewStack,
	"NewSum": planted.NewSum, "NewSymmetric": planted.NewSymmetric, "NewTable": planted.NewTable, "NewTag": planted.NewTag, "NewTested": planted.NewTested, "NewText": planted.NewText,
	"NewTransitive": planted.NewTransitive, "NewTwin": planted.NewTwin, "NewUnstable": planted.NewUnstable, "NewWeight": planted.NewWeight,
	"NewWidth": planted.NewWidth, "NewWord": planted.NewWord, "OpenTail": planted.OpenTail, "Pairs": planted.Pairs, "ParseCode": planted.ParseCode, "ParseDrift": planted.ParseDrift,
	"BytesToPairs": planted.BytesToPairs, "DayFromWord": planted.DayFromWord, "DecodeDigits": planted.DecodeDigits, "EncodeDigits": planted.EncodeDigits, "WriteList": planted.WriteList, "ReadList": planted.ReadList, "NewDay": planted.NewDay,
	"NewBox2": planted.NewBox2, "NewWhole": planted.NewWhole, "NewFixed": planted.NewFixed, "NewParcel": planted.NewParcel, "NewGaugeFromInt": planted.NewGaugeFromInt, "NewLetter": planted.NewLetter, "NewNotice": planted.NewNotice, "NewPurseFromBig": planted.NewPurseFromBig, "Whole64": planted.Whole64, "Load": planted.Load, "Dump": planted.Dump, "Median": planted.Median, "NewMarks": planted.NewMarks, "EscapePairs": planted.EscapePairs, "UnescapePairs": planted.UnescapePairs,
	"DecodeLid": planted.DecodeLid, "EncodeLid": planted.EncodeLid, "NewLid": planted.NewLid,
	"PairsToBytes": planted.PairsToBytes, "Unpack": planted.Unpack,
	"Room": planted.Room, "Sorted": planted.Sorted, "Start": planted.Start, "Uniq": planted.Uniq,
}
