// Package pathchoice says which path of a connection carries the next new packet (R-CHOICE; `ann:paths`).
//
// Three policies, selectable at every step: a rotating pointer that gives each path a few packets in a row and passes
// over one while its penalty lasts (0, the default), the largest free window (1), and a draw that knows nothing of the
// paths (2). They differ little; the number of paths matters more than the selector.
//
// Nothing waits for a penalty: if all paths with room are under one, that with the least carries the packet.
//
// Page: docs/blocks/path_choice.md.
package pathchoice
