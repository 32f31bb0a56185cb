package slot

// Atomic is what an atomic leaves at its address: fetch-add of operand, or operand if the value is compare. The answer
// is the value before.
func Atomic(value uint64, fetchAdd bool, compare, operand uint64) uint64 {
	switch {
	case fetchAdd:
		return value + operand
	case value == compare:
		return operand
	default:
		return value
	}
}
