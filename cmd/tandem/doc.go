// Command tandem runs a MetaRoCE NIC twice, as RTL and as a model, and says where they part. Its commands read flags,
// make a configuration and call a package; what they print is here, what they do is not.
package main
