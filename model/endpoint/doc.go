// Package endpoint is a whole NIC.
package endpoint
