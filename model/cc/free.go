package cc

import "metaroce/tandem/model/event"

// Free is how much of a path's window is free, in bytes: what the policy "largest free window" of path choice asks for.
func (e *Engine) Free(path *event.CcPath, conn *event.CcConn) uint32 {
	w := e.pathWindow(path, conn)
	return w - min(w, path.Inflight)
}
