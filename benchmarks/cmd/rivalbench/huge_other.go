//go:build !linux

package main

func adviseHuge([]byte) {}

func warmPages(int) {}
