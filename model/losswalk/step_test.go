package losswalk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/losswalk"
	"metaroce/tandem/model/xmit"
)

func TestFates(t *testing.T) {
	for _, c := range []struct {
		name string
		in   event.LossWalkIn
		fate uint8
	}{
		{"came", event.LossWalkIn{List: xmit.Live, Acked: true, LimitValid: true, Limit: 9, Tsn: 3}, losswalk.Acked},
		{"came, limit not there yet", event.LossWalkIn{List: xmit.Live, Acked: true, Tsn: 3}, losswalk.Acked},
		{"something behind it came", event.LossWalkIn{List: xmit.Live, LimitValid: true, Limit: 9, Tsn: 8}, losswalk.Lost},
		{"at the limit itself: an earlier transmission of it was the highest", event.LossWalkIn{List: xmit.Live, LimitValid: true, Limit: 9, Tsn: 9}, losswalk.Lost},
		{"behind the limit", event.LossWalkIn{List: xmit.Live, LimitValid: true, Limit: 9, Tsn: 10}, losswalk.Stays},
		{"behind the limit over the wrap", event.LossWalkIn{List: xmit.Live, LimitValid: true, Limit: 0xffffffff, Tsn: 0}, losswalk.Stays},
		{"before the limit over the wrap", event.LossWalkIn{List: xmit.Live, LimitValid: true, Limit: 1, Tsn: 0xfffffff0}, losswalk.Lost},
		{"no evidence in this epoch", event.LossWalkIn{List: xmit.Live, Limit: 9, Tsn: 3}, losswalk.Stays},
		{"live has no time here", event.LossWalkIn{List: xmit.Live, Now: 1000, Rto: 1, Down: true}, losswalk.Stays},
		{"lost waits for its turn", event.LossWalkIn{List: xmit.Lost, LimitValid: true, Limit: 9, Tsn: 3, Down: true, Now: 1000, Rto: 1}, losswalk.Stays},
		{"lost, and came late", event.LossWalkIn{List: xmit.Lost, Acked: true}, losswalk.Acked},
		{"away knows no order", event.LossWalkIn{List: xmit.Away, LimitValid: true, Limit: 9, Tsn: 3, Now: 5, Sent: 1, Rto: 5}, losswalk.Stays},
		{"away, its time has passed", event.LossWalkIn{List: xmit.Away, Now: 4, Sent: 0xffffffff, Rto: 5}, losswalk.Due},
		{"away, its carrier is down", event.LossWalkIn{List: xmit.Away, Now: 5, Sent: 4, Rto: 5, Down: true}, losswalk.Due},
		{"away, came", event.LossWalkIn{List: xmit.Away, Acked: true, Now: 50, Rto: 5}, losswalk.Acked},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := event.LossWalkOut{Fate: 9}
			losswalk.Step(&c.in, &out)
			require.Equal(t, c.fate, out.Fate)
		})
	}
}
