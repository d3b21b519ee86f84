//go:build !linux

package main

func adviseHuge([]byte) {}

func back(int) {}
