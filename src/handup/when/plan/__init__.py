"""Planners behind `troubleshoot`: one file each."""
