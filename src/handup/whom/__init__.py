"""Whom to ask: routers say who may answer a question, and in which order they are asked."""

from handup.whom.router import InOrder, Router, check_router

__all__ = ["InOrder", "Router", "check_router"]
