// Package divergence tells of the first place where device and model part, for people who look at it: what went wrong in
// words, every value of the transaction on both sides, the events around it in the device's order, the frame they belong
// to cut into its headers, and when the model in cycles would have done the same.
//
// Everything comes from the kept folder of a run (package journal): nothing is run but the model. A part that the folder
// does not hold is named in View.Absent.
//
// Units: cycles of the device, bytes. Predicted cycles are those of model/pipe, which was told when each frame came in and
// nothing else: they are near the device's, not equal to them.
package divergence
