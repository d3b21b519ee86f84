// Package repotest holds the repository to its rules: which package may import which, what every source file looks
// like, and that README tells the truth. It contains tests only.
package repotest
