"""Whom to ask: routers say who may answer a question, and in which order they are asked."""

from handup.whom.base import Router
from handup.whom.check import check_router
from handup.whom.in_order import InOrder

__all__ = ["InOrder", "Router", "check_router"]
