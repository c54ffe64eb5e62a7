// Package wire is the protocol between the coordinator and a worker: framed messages with
// checksums over private descriptors, and a shared mapping with the journal of the
// running sequence.
//
// Code under test may write to any descriptor. So a frame with a wrong checksum is an
// error and ends the conversation; earlier messages remain valid.
package wire

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// maxFrameBytes bounds a frame's payload before anything is allocated for it.
const maxFrameBytes = 64 << 20

// A frame begins with its length, the complement of that, and a checksum, little-endian. The
// complement tells a length that nobody wrote before so many bytes are waited for.
const frameHeaderBytes = 12

// ErrCorrupt is wrapped by errors about frames that do not check.
var ErrCorrupt = errors.New("corrupt frame")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes one message to w in one call.
func Write(w io.Writer, m *Message) error {
	payload, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	if len(payload) > maxFrameBytes {
		return fmt.Errorf("wire: message of %d bytes, want at most %d", len(payload), maxFrameBytes)
	}
	frame := make([]byte, frameHeaderBytes, frameHeaderBytes+len(payload))
	binary.LittleEndian.PutUint32(frame[0:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(frame[4:], ^uint32(len(payload)))
	binary.LittleEndian.PutUint32(frame[8:], crc32.Checksum(payload, castagnoli))
	if _, err := w.Write(append(frame, payload...)); err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	return nil
}

// Read reads one message. It returns io.EOF at a clean end, between frames.
func Read(r *bufio.Reader) (*Message, error) {
	var header [frameHeaderBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		if err == io.EOF {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("wire: header: %w", err)
	}
	n := binary.LittleEndian.Uint32(header[0:])
	if again := ^binary.LittleEndian.Uint32(header[4:]); n != again || n > maxFrameBytes {
		return nil, fmt.Errorf("wire: %w: length %d, then %d; want at most %d, twice", ErrCorrupt, n, again, maxFrameBytes)
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(r, payload); err != nil {
		if err == io.EOF { // torn right after the header
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("wire: payload: %w", err)
	}
	if got, want := crc32.Checksum(payload, castagnoli), binary.LittleEndian.Uint32(header[8:]); got != want {
		return nil, fmt.Errorf("wire: %w: checksum %08x, want %08x", ErrCorrupt, got, want)
	}
	m := new(Message)
	if err := json.Unmarshal(payload, m); err != nil {
		return nil, fmt.Errorf("wire: %w: %w", ErrCorrupt, err)
	}
	if n := m.fields(); n != 1 {
		return nil, fmt.Errorf("wire: %w: %d fields set, want one", ErrCorrupt, n)
	}
	return m, nil
}
