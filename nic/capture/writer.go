package capture

import (
	"io"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

// Writer writes Ethernet frames into a pcapng file. The same frames give the same bytes: stamps count from zero.
type Writer struct{ w *pcapgo.NgWriter }

// NewWriter starts a file.
func NewWriter(w io.Writer) (*Writer, error) {
	intf := pcapgo.NgInterface{Name: "tandem", LinkType: layers.LinkTypeEthernet, SnapLength: maxPacket, TimestampResolution: 9}
	options := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "tandem"}}
	ng, err := pcapgo.NewNgWriterInterface(w, intf, options)
	if err != nil {
		return nil, err
	}
	return &Writer{ng}, nil
}

// Write appends a frame, stamped with the time since the start of the run.
func (w *Writer) Write(frame []byte, at time.Duration) error {
	ci := gopacket.CaptureInfo{Timestamp: time.Unix(0, int64(at)).UTC(), CaptureLength: len(frame), Length: len(frame)}
	return w.w.WritePacket(ci, frame)
}

// Close flushes what is buffered.
func (w *Writer) Close() error { return w.w.Flush() }
