// Package cover counts what the events of a run have shown: bins of values that belong together, such as the class of
// a window step with the epoch, the marks and flags of its packet, what became of it, and whether the step before was
// of the same path. A bin that stays empty over a regression is a case that was never tried; it is listed, or waived in
// vectors/cover/waivers.txt with the reason why it cannot be filled.
//
// Bins are counted from records of any target, so they are those of the device, and replaying a run fills them again.
package cover
