// Package arrow18 sorts data of Apache Arrow Go v18, github.com/apache/arrow-go/v18.
package arrow18
